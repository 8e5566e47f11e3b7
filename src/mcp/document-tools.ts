import { basename, relative, sep } from "node:path";
import { ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { continueHere, dismissHere, handoffsHere, readHere } from "../app/sessions/handoffs.ts";
import { servesJob } from "../app/sessions/served.ts";
import { UsageError } from "../app/usage-error.ts";
import { oneLine } from "../display/style.ts";
import { unlessRefused } from "./refusals.ts";
import { type AddTools, LONGEST, onTrail, result, upTo } from "./tools.ts";

const document = upTo(LONGEST.path).describe(
  "Its path in the project, or its name in the folder of handoffs, as list_handoffs gives it",
);

const READ_ONLY = { readOnlyHint: true, openWorldHint: false };

export const addDocumentTools: AddTools = (server, served) => {
  server.registerTool(
    "list_handoffs",
    {
      title: "List handoffs",
      description:
        "Lists the handoff documents of this project, newest first, and those that wait to be picked up.",
      inputSchema: {},
      outputSchema: {
        handoffs: z.array(
          z.object({
            path: z.string(),
            number: z.number().nullable(),
            created: z.string().nullable(),
            session: z.string().nullable(),
            job: z.string().nullable().describe("Null for a session that a person started"),
            trigger: z.string().nullable().describe("Why it was made, such as threshold or manual"),
            outcome: z.string().nullable(),
            percent: z.number().nullable().describe("How much of the window was in use"),
            goal: z.string(),
            archived: z.boolean(),
          }),
        ),
        pending: z.string().nullable().describe("The newest document that waits to be picked up"),
        waiting: z
          .array(
            z.object({
              document: z.string(),
              number: z.number(),
              session: z.string(),
              created: z.string(),
              reason: z.string().describe("Why it did not continue on its own"),
            }),
          )
          .describe("All waiting handoffs, newest first"),
      },
      annotations: READ_ONLY,
    },
    async () => {
      const { handoffs, waiting } = await handoffsHere(served);
      return result({ handoffs, pending: waiting[0]?.document ?? null, waiting });
    },
  );

  server.registerTool(
    "read_handoff",
    {
      title: "Read a handoff",
      description: "Reads a handoff document of this project without continuing from it.",
      inputSchema: { document },
      outputSchema: {
        path: z.string(),
        text: z.string(),
        recorded: z.boolean().describe("False if Baton has no record of it, so that its author is unknown"),
        goal: z.string(),
        next_steps: z.array(z.string()),
        previous: z.string().nullable().describe("The document before it"),
      },
      annotations: READ_ONLY,
    },
    async (input) => {
      const read = unlessRefused(await readHere(served, input.document));
      const { path, framed: text, isRecorded: recorded, head, account } = read;
      const { goal, nextSteps: next_steps } = account;
      return result({ path, text, recorded, goal, next_steps, previous: head.previous ?? null });
    },
  );

  server.registerTool(
    "continue_handoff",
    {
      title: "Continue from a handoff",
      description:
        "Picks up a handoff of this project in this session: returns the document and what to do. Without a document, it takes the one that waits, or the newest.",
      inputSchema: { document: document.optional() },
      outputSchema: {
        path: z.string(),
        message: z.string().describe("The document, and what to do now"),
        mail: z
          .array(z.object({ from: z.string(), text: z.string(), at: z.string() }))
          .describe("What others sent to the earlier session in the meantime"),
      },
      annotations: { destructiveHint: false, openWorldHint: false },
    },
    onTrail(
      served,
      "continue_handoff",
      ({ path }) => path,
      async (input) => {
        const found = await continueHere(served, input.document);
        if ("none" in found) {
          throw new UsageError(
            `There is no handoff in ${found.none} yet. Name a document, or start from scratch.`,
          );
        }
        if ("several" in found) {
          const each = found.several.map(({ number, document, created }) =>
            oneLine(`- handoff ${number} of ${created.slice(0, 16).replace("T", " ")}: ${document}`),
          );
          throw new UsageError(
            [
              `${found.several.length} handoffs wait in this project:`,
              ...each,
              "Ask the user which one to continue, and name its document. dismiss_handoff removes one that nobody wants.",
            ].join("\n"),
          );
        }
        const { path, text, mail, takenBy } = unlessRefused(found);
        const warning = takenBy
          ? `Session ${takenBy} picked up this handoff before you. Ask the user whether it is still working on it.\n\n`
          : "";
        return result({ path, message: warning + text, mail });
      },
    ),
  );

  // What waits for a person is not a job's to dismiss.
  if (!servesJob(served)) addDismissal(server, served);

  server.registerResource(
    "handoff",
    new ResourceTemplate("baton://handoffs/{name}", {
      list: async () => {
        const { handoffs, dir } = await handoffsHere(served);
        const resources = handoffs.map(({ path, goal, archived }) => ({
          uri: `baton://handoffs/${encodeURIComponent(nameOf(path, dir, served.root))}`,
          name: basename(path),
          mimeType: "text/markdown",
          description: archived ? `${goal} (archived)` : goal,
        }));
        return { resources };
      },
    }),
    { title: "Handoff documents", description: "What earlier sessions of this project handed off" },
    async (uri, { name }) => {
      const { framed: text } = unlessRefused(await readHere(served, decodeURIComponent(String(name))));
      return { contents: [{ uri: uri.href, mimeType: "text/markdown", text }] };
    },
  );
};

/** By which it is found again: one of the folder of handoffs by its name alone. */
function nameOf(path: string, dir: string, root: string): string {
  return path.startsWith(dir + sep) ? basename(path) : relative(root, path);
}

const addDismissal: AddTools = (server, served) => {
  server.registerTool(
    "dismiss_handoff",
    {
      title: "Dismiss a handoff",
      description:
        "Stops offering a handoff of this project that waits to be picked up. Its document stays. Call it only if the user asks for it.",
      inputSchema: { document },
      outputSchema: { path: z.string() },
      annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    onTrail(
      served,
      "dismiss_handoff",
      ({ path }) => path,
      async (input) => {
        const dismissed = unlessRefused(await dismissHere(served, input.document));
        if ("no" in dismissed) {
          throw new UsageError(`${dismissed.no} is not waiting. list_handoffs lists those that are.`);
        }
        return result(dismissed);
      },
    ),
  );
};
