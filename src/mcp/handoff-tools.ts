import { z } from "zod";
import {
  ALWAYS_LOADED,
  accountFrom,
  accountShape,
  announceHere,
  requestHere,
  type Submitted,
  submitHere,
  type WhatFollows,
} from "../app/sessions/submit.ts";
import { unlessRefused } from "./refusals.ts";
import { type AddTools, LONGEST, onTrail, result, upTo } from "./tools.ts";

const submission = {
  status: z.enum(["stored", "again", "stopped"]),
  message: z.string().describe("What to do now"),
  document: z.string().optional().describe("Where the document is"),
  number: z.number().optional().describe("The number of the handoff within its chain of sessions"),
  missing: z.array(z.string()).optional().describe("What the account lacks"),
  mended: z.string().optional().describe("What Baton filled in or corrected"),
  warnings: z.array(z.string()).optional(),
};

export const addHandoffTools: AddTools = (server, served) => {
  server.registerTool(
    "submit_handoff",
    {
      title: "Submit a handoff",
      description:
        "Hands this session's work off to a fresh session. Your account is checked against the transcript and the files, and stored. Call it when you are asked for a handoff.",
      inputSchema: accountShape,
      outputSchema: submission,
      annotations: { destructiveHint: false, openWorldHint: false },
      // A session that is nearly full should not have to search for it.
      _meta: ALWAYS_LOADED,
    },
    onTrail(
      served,
      "submit_handoff",
      ({ document }) => document,
      async (input) => result(answer(await submitHere(served, accountFrom(input)))),
    ),
  );

  server.registerTool(
    "request_handoff",
    {
      title: "Start a handoff",
      description:
        "Starts a handoff on your own initiative, before a step that needs more room than your window has left. Returns what to submit.",
      inputSchema: {
        reason: upTo(LONGEST.text).default("").describe("Why you need a fresh window, in a sentence"),
        focus: upTo(LONGEST.text).default("").describe("What the handoff should focus on"),
      },
      outputSchema: {
        status: z.literal("asked"),
        number: z.number(),
        message: z.string().describe("What to do now"),
      },
      annotations: { destructiveHint: false, openWorldHint: false },
    },
    onTrail(
      served,
      "request_handoff",
      () => undefined,
      async ({ reason, focus }) => {
        const { number, request: message } = await requestHere(served, focus || reason);
        return result({ status: "asked" as const, number, message });
      },
    ),
  );

  server.registerTool(
    "handoff_created",
    {
      title: "Announce a handoff document",
      description:
        "Announces a handoff document that you wrote to a file in the project. It is checked like a submitted one and stays in that file; Baton adds a header and the facts.",
      inputSchema: {
        project: upTo(LONGEST.path).describe("The project's folder, or its name"),
        handoff_path: upTo(LONGEST.path).describe("The document, in the project"),
        session_type: z.enum(["cli", "editor", "browser"]).describe("Where this session runs"),
      },
      outputSchema: submission,
      annotations: { destructiveHint: false, openWorldHint: false },
    },
    onTrail(
      served,
      "handoff_created",
      ({ document }) => document,
      async ({ project, handoff_path, session_type }) => {
        const announced = { project, document: handoff_path, kind: session_type };
        return result(answer(unlessRefused(await announceHere(served, announced))));
      },
    ),
  );
};

function answer(outcome: Submitted) {
  switch (outcome.status) {
    case "stored": {
      const { number, documentPath: document, mended, warnings } = outcome;
      return {
        status: outcome.status,
        message: `Handoff ${number} is stored. ${IN_WORDS[outcome.follows]} End your turn now, with one sentence that says so.`,
        document,
        number,
        ...(mended !== null && { mended }),
        ...(warnings.length > 0 && { warnings }),
      };
    }
    case "again":
      return { status: outcome.status, missing: outcome.missing, message: outcome.request };
    case "stopped": {
      const { status, number, documentPath: document, reason } = outcome;
      return {
        status,
        message: `The document is stored, but nothing was cleared: ${reason} Get that resolved, then call submit_handoff again.`,
        document,
        number,
      };
    }
  }
}

const IN_WORDS: Record<WhatFollows, string> = {
  here: "This session is cleared, and a fresh one continues here.",
  "waits-here": "This session is cleared, and a fresh one waits here for the user.",
  "by-clear": "The user continues here with /clear, in a fresh session.",
  elsewhere: "A fresh session starts and continues from it.",
  "by-person": "The user continues in a new session, with /baton:continue.",
};
