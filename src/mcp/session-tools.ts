import { z } from "zod";
import { agentNamed } from "../config/agent-named.ts";
import { triggerTokens } from "../context/policy.ts";
import { initialContext } from "../context/tracker.ts";
import { subagentStatus } from "../sessions/handoff/subagents.ts";
import { chainOf } from "../sessions/record/chain.ts";
import type { OwnSession } from "../sessions/record/session.ts";
import { compactionOf, figureOf } from "../sessions/watch/figure.ts";
import { listDocuments } from "./documents.ts";
import { RefusedError } from "./inside.ts";
import { type AddTools, agentOf, callingSession, foldersOf, result, type Served } from "./served.ts";

const LONGEST_ANSWER_MS = 2 * 60_000;

const READ_ONLY = { readOnlyHint: true, openWorldHint: false };

export const addSessionTools: AddTools = (server, served) => {
  server.registerTool(
    "context_status",
    {
      title: "How full the window is",
      description: "Tells how full this session's context window is, and when it will be handed over.",
      inputSchema: {},
      outputSchema: {
        session: z.string(),
        model: z.string().nullable(),
        tokens: z.number(),
        window: z.number().nullable(),
        percent: z.number().nullable(),
        turns: z.number(),
        turns_left: z.number().nullable().describe("At the pace of the last turns"),
        handoff_at_tokens: z.number().nullable(),
        handoff: z
          .object({ state: z.string(), number: z.number(), document: z.string().nullable() })
          .nullable(),
      },
      annotations: READ_ONLY,
    },
    async () => {
      const session = await callingSession(served);
      const { figure, context, handoffAt } = await windowOf(served, session);
      const { handoff } = session;
      return result({
        session: session.id,
        model: context.model ?? null,
        tokens: context.tokens,
        window: figure?.window ?? null,
        percent: figure ? Math.round(figure.percent * 10) / 10 : null,
        turns: context.turns,
        turns_left: figure?.turnsLeft ?? null,
        handoff_at_tokens: handoffAt ?? null,
        handoff: handoff && {
          state: handoff.state,
          number: handoff.number,
          document: handoff.documentPath ?? null,
        },
      });
    },
  );

  server.registerTool(
    "subagent_status",
    {
      title: "The state of a subagent",
      description:
        "Tells the state of a subagent that this session started, or one before it whose work it continues.",
      inputSchema: { agent_id: z.string().trim().describe("As the handoff document or the launch names it") },
      outputSchema: {
        id: z.string(),
        task: z.string(),
        state: z.enum(["running", "completed", "failed", "stopped", "unknown"]),
        session: z.string().describe("That started it"),
        transcript: z.string().nullable(),
        last_seen: z.string().nullable(),
        turns: z.number(),
        tokens: z.number(),
        last_text: z.string().nullable(),
      },
      annotations: READ_ONLY,
    },
    async ({ agent_id }) => {
      const found = await subagentStatus(served.registry, await callingSession(served), agent_id);
      if (!found) {
        throw new RefusedError(
          `No subagent ${agent_id} was started by this session, or by one whose work it continues. Look for its id in the handoff document.`,
        );
      }
      const { seenAt: last_seen, lastText: last_text, ...rest } = found;
      return result({ ...rest, last_seen, last_text });
    },
  );

  server.registerTool(
    "ask_predecessor",
    {
      title: "Ask the session before this one",
      description:
        "Asks the session whose handoff this one picked up one question, where the document does not tell. It costs as many tokens as that session's window holds.",
      inputSchema: {
        question: z.string().trim().min(1),
        session: z
          .string()
          .trim()
          .optional()
          .describe("An earlier one of this project; the last unless given"),
      },
      outputSchema: { session: z.string(), answer: z.string() },
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    async ({ question, session: named }, { signal }) => {
      const session = await earlierSession(served, await callingSession(served), named);
      const { env, executable } = await agentOf(served);
      // The agent's program is only needed here, and is slow to load.
      const { askPredecessor } = await import("../sessions/handoff/ask-earlier.ts");
      const answer = await askPredecessor(session, question, {
        env: { ...served.env, ...env },
        ...(executable !== undefined && { executable }),
        timeoutMs: LONGEST_ANSWER_MS,
        signal: AbortSignal.any([signal, served.signal]),
      });
      return result({ session, answer });
    },
  );
};

async function windowOf(served: Served, session: OwnSession) {
  const config = await served.config();
  const { contextWindow, session: keys } = agentNamed(config);
  const { figure, reading } = await figureOf(session, contextWindow);
  const context = reading?.context ?? initialContext({});
  const threshold = session.role === "orchestrator" ? config.watch.threshold : keys.threshold;
  const autoCompactThreshold = compactionOf(figure, served.env);
  const handoffAt = triggerTokens({ ...context, autoCompactThreshold }, { threshold });
  return { figure, context, handoffAt };
}

/** Sessions of other projects have nothing to say here. */
async function earlierSession(
  served: Served,
  session: OwnSession,
  named: string | undefined,
): Promise<string> {
  if (named === undefined) {
    if (session.parent !== null) return session.parent;
    throw new RefusedError(
      "This session picked up no handoff, so there is none before it. continue_handoff picks one up; list_handoffs names earlier sessions.",
    );
  }
  const chain = await chainOf(served.registry, session);
  if (chain.slice(1).some(({ id }) => id === named)) return named;
  const found = await served.registry.find(named);
  if (found?.project === served.root) return named;
  const documents = await listDocuments(await foldersOf(served));
  if (documents.some((document) => document.session === named)) return named;
  throw new RefusedError(`No session ${named} of this project is on record. list_handoffs names them.`);
}
