import { basename } from "node:path";
import { ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { parseDocument } from "../handoff/document.ts";
import { readPending } from "../sessions/handoff/pending.ts";
import { takeUp, takeUpText } from "../sessions/handoff/take-up.ts";
import type { OwnSession } from "../sessions/record/session.ts";
import { listDocuments } from "./documents.ts";
import { documentInside, type Folders, RefusedError } from "./inside.ts";
import { type AddTools, callingSession, foldersOf, result, type Served } from "./served.ts";

const document = z
  .string()
  .trim()
  .describe("Its path in the project, or its name in the folder of handoffs: list_handoffs tells them");

const READ_ONLY = { readOnlyHint: true, openWorldHint: false };

export const addDocumentTools: AddTools = (server, served) => {
  server.registerTool(
    "list_handoffs",
    {
      title: "List handoffs",
      description: "Lists the handoff documents of this project, newest first, and the one that waits.",
      inputSchema: {},
      outputSchema: {
        handoffs: z.array(
          z.object({
            path: z.string(),
            number: z.number().nullable(),
            created: z.string().nullable(),
            session: z.string().nullable(),
            job: z.string().nullable().describe("Null for a session that a person started"),
            trigger: z.string().nullable().describe("What it was made for, such as threshold or manual"),
            outcome: z.string().nullable(),
            percent: z.number().nullable().describe("Of the window that was in use"),
            goal: z.string(),
            archived: z.boolean(),
          }),
        ),
        pending: z.string().nullable().describe("The document that waits to be picked up"),
      },
      annotations: READ_ONLY,
    },
    async () => {
      const folders = await foldersOf(served);
      const [handoffs, waiting] = await Promise.all([
        listDocuments(folders),
        readPending(folders.handoffDir),
      ]);
      return result({ handoffs, pending: waiting?.document ?? null });
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
        goal: z.string(),
        next_steps: z.array(z.string()),
        previous: z.string().nullable().describe("The document before it"),
      },
      annotations: READ_ONLY,
    },
    async (input) => {
      const { path, text } = await documentInside(await foldersOf(served), input.document);
      const { head, account } = parseDocument(text);
      const { goal, nextSteps: next_steps } = account;
      return result({ path, text, goal, next_steps, previous: head.previous ?? null });
    },
  );

  server.registerTool(
    "continue_handoff",
    {
      title: "Continue from a handoff",
      description:
        "Picks up a handoff of this project in this session: gives you the document and what to do. Without a document it is the one that waits, or the newest.",
      inputSchema: { document: document.optional() },
      outputSchema: {
        path: z.string(),
        message: z.string().describe("The document, and what to do now"),
        mail: z
          .array(z.object({ from: z.string(), text: z.string(), at: z.string() }))
          .describe("What others told the earlier session meanwhile"),
      },
      annotations: { destructiveHint: false, openWorldHint: false },
    },
    async (input) => {
      const folders = await foldersOf(served);
      const session = await callingSession(served);
      const named = input.document || (await theOneToGoOnWith(folders, session));
      const found = await documentInside(folders, named);
      const taken = await takenBefore(served, session, found.text);
      const mail = await takeUp(served.registry, session, found, folders.handoffDir);
      return result({ path: found.path, message: taken + takeUpText(found), mail });
    },
  );

  server.registerResource(
    "handoff",
    new ResourceTemplate("baton://handoffs/{name}", {
      list: async () => ({
        resources: (await listDocuments(await foldersOf(served))).map(({ path, goal, archived }) => ({
          uri: `baton://handoffs/${encodeURIComponent(basename(path))}`,
          name: basename(path),
          mimeType: "text/markdown",
          description: archived ? `${goal} (archived)` : goal,
        })),
      }),
    }),
    { title: "Handoff documents", description: "What earlier sessions of this project handed over" },
    async (uri, { name }) => {
      const { text } = await documentInside(await foldersOf(served), decodeURIComponent(String(name)));
      return { contents: [{ uri: uri.href, mimeType: "text/markdown", text }] };
    },
  );
};

async function theOneToGoOnWith(folders: Folders, { id }: OwnSession): Promise<string> {
  const waiting = await readPending(folders.handoffDir);
  if (waiting) return waiting.document;
  const newest = (await listDocuments(folders)).find(({ session }) => session !== id);
  if (newest) return newest.path;
  throw new RefusedError(
    `There is no handoff in ${folders.handoffDir} yet. Name a document, or start from scratch.`,
  );
}

/** Two sessions that do the same work get in each other's way, so the second one is told. */
async function takenBefore({ registry }: Served, { id }: OwnSession, text: string): Promise<string> {
  const { session: wrote } = parseDocument(text).head;
  const handoff = wrote ? (await registry.find(wrote))?.handoff : undefined;
  if (handoff?.state !== "taken-up" || !handoff.successor || handoff.successor === id) return "";
  return `Session ${handoff.successor} picked up this handoff before you. Ask the user whether it still works on it.\n\n`;
}
