import { basename, resolve } from "node:path";
import { z } from "zod";
import { agentNamed } from "../config/agent-named.ts";
import type { Account } from "../handoff/account.ts";
import { parseDocument } from "../handoff/document.ts";
import { askAgain, handoffRequest } from "../handoff/request.ts";
import { templateInUse } from "../handoff/template.ts";
import { accountFrom, accountShape } from "../handoff/tools.ts";
import type { Submission } from "../sessions/handoff/submit.ts";
import type { OwnSession } from "../sessions/record/session.ts";
import { documentInside, RefusedError } from "./inside.ts";
import { type AddTools, agentOf, callingSession, foldersOf, result, type Served } from "./served.ts";

const submission = {
  status: z.enum(["stored", "again", "stopped"]),
  message: z.string().describe("What to do now"),
  document: z.string().optional().describe("Where the document is"),
  number: z.number().optional().describe("Of the handoff, within the chain of sessions"),
  missing: z.array(z.string()).optional().describe("What the account lacks"),
  mended: z.string().optional().describe("What Baton filled in or corrected"),
  warnings: z.array(z.string()).optional(),
};

/** In the prompt from the start: a session that is nearly full should not have to search for it. */
const ALWAYS_LOADED = { "anthropic/alwaysLoad": true };

export const addHandoffTools: AddTools = (server, served) => {
  server.registerTool(
    "submit_handoff",
    {
      title: "Submit a handoff",
      description:
        "Hands this session's work over to a fresh session. It is checked against the transcript and the files, and stored. Call it when you are asked for a handoff.",
      inputSchema: accountShape,
      outputSchema: submission,
      annotations: { destructiveHint: false, openWorldHint: false },
      _meta: ALWAYS_LOADED,
    },
    async (input) => submit(served, await callingSession(served), accountFrom(input)),
  );

  server.registerTool(
    "request_handoff",
    {
      title: "Begin a handoff",
      description:
        "Begins a handoff of your own accord, before a step that needs more room than your window has left. Tells you what to submit.",
      inputSchema: {
        reason: z.string().trim().default("").describe("Why a fresh window is needed, in a sentence"),
        focus: z.string().trim().default("").describe("What the handoff should focus on"),
      },
      outputSchema: {
        status: z.literal("asked"),
        number: z.number(),
        message: z.string().describe("What to do now"),
      },
      annotations: { destructiveHint: false, openWorldHint: false },
    },
    async ({ reason, focus }) => request(served, await callingSession(served), focus || reason),
  );

  server.registerTool(
    "handoff_created",
    {
      title: "Announce a handoff document",
      description:
        "Announces a handoff document that was written by other means, and has it checked and stored like one that is submitted.",
      inputSchema: {
        project: z.string().trim().describe("The project's folder, or its name"),
        handoff_path: z.string().trim().describe("The document, in the project"),
        session_type: z.enum(["cli", "editor", "browser"]).describe("Where this session runs"),
      },
      outputSchema: submission,
      annotations: { destructiveHint: false, openWorldHint: false },
    },
    async ({ project, handoff_path, session_type }) => {
      refuseOtherProject(served, project);
      const { text } = await documentInside(await foldersOf(served), handoff_path);
      const session = await callingSession(served);
      await served.registry.update(session.id, (known = session) => ({ ...known, kind: session_type }));
      return submit(served, { ...session, kind: session_type }, parseDocument(text).account);
    },
  );
};

function refuseOtherProject({ root }: Served, project: string): void {
  if (project === basename(root) || resolve(root, project) === root) return;
  throw new RefusedError(
    `This server serves ${root} and no other project. Call it from a session in ${project}.`,
  );
}

async function submit(served: Served, session: OwnSession, account: Account) {
  const config = await served.config();
  const { handoff, env } = agentNamed(config);
  const { storeHandoff } = await import("../sessions/handoff/submit.ts");
  const outcome = await storeHandoff(session, account, {
    registry: served.registry,
    handoff,
    env: { ...served.env, ...env },
    checkMessage: config.watch.message,
    signal: served.signal,
  });
  return result(answer(outcome, session, handoff.autoContinue));
}

function answer(outcome: Submission, session: OwnSession, autoContinue: boolean) {
  switch (outcome.status) {
    case "stored": {
      const { number, documentPath: document, mended, warnings } = outcome;
      return {
        status: outcome.status,
        message: `Handoff ${number} is stored. ${whatFollows(session, autoContinue)} End your turn now, with one sentence that says so.`,
        document,
        number,
        ...(mended !== null && { mended }),
        ...(warnings.length > 0 && { warnings }),
      };
    }
    case "again":
      return { ...outcome, message: askAgain(outcome.missing, true) };
    case "stopped": {
      const { status, number, documentPath: document, reason } = outcome;
      return {
        status,
        message: `The document is stored, but nothing is cleared: ${reason} Have that resolved, then call submit_handoff once more.`,
        document,
        number,
      };
    }
  }
}

function whatFollows({ kind, pane }: OwnSession, autoContinue: boolean): string {
  if (kind === "cli" && autoContinue) {
    return pane
      ? "This session is cleared, and a fresh one continues here."
      : "A fresh session is started and continues from it.";
  }
  return "The user continues in a new session, with /baton:continue.";
}

async function request(served: Served, session: OwnSession, focus: string) {
  const { handoff } = await agentOf(served);
  const { extra } = await templateInUse(handoff.templatePath, () => {});
  const { askForHandoff } = await import("../sessions/handoff/submit.ts");
  const number = await askForHandoff(served.registry, session, { trigger: "agent", ...(focus && { focus }) });
  return result({
    status: "asked" as const,
    number,
    message: handoffRequest({ extra, ...(focus && { focus }) }),
  });
}
