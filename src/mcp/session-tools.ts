import { z } from "zod";
import { contextHere } from "../app/sessions/context.ts";
import { askEarlier, subagentHere } from "../app/sessions/earlier.ts";
import { UsageError } from "../app/usage-error.ts";
import { type AddTools, LONGEST, result, upTo } from "./tools.ts";

const READ_ONLY = { readOnlyHint: true, openWorldHint: false };

export const addSessionTools: AddTools = (server, served) => {
  server.registerTool(
    "context_status",
    {
      title: "How full the window is",
      description: "Returns how full this session's context window is, and when it will hand off.",
      inputSchema: {},
      outputSchema: {
        session: z.string(),
        model: z.string().nullable(),
        tokens: z.number(),
        pending_estimate: z.number().describe("About how much tool results since then add to the tokens"),
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
      const { session, figure, context, handoffAt } = await contextHere(served);
      const { handoff } = session;
      return result({
        session: session.id,
        model: context.model ?? null,
        tokens: context.tokens,
        pending_estimate: figure?.pending ?? 0,
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
        "Returns the state of a subagent that was started by this session, or by an earlier one whose work it continues.",
      inputSchema: {
        agent_id: upTo(LONGEST.name).describe("As the handoff document or the launch names it"),
      },
      outputSchema: {
        id: z.string(),
        task: z.string(),
        state: z.enum(["running", "completed", "failed", "stopped", "unknown"]),
        session: z.string().describe("The session that started it"),
        transcript: z.string().nullable(),
        last_seen: z.string().nullable(),
        turns: z.number(),
        tokens: z.number(),
        last_text: z.string().nullable(),
      },
      annotations: READ_ONLY,
    },
    async ({ agent_id }) => {
      const found = await subagentHere(served, agent_id);
      if (!found) {
        throw new UsageError(
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
        "Asks one question of the session whose handoff this one picked up, if the document does not answer it. It costs as many tokens as that session's window holds.",
      inputSchema: {
        question: upTo(LONGEST.text).min(1),
        session: upTo(LONGEST.name)
          .optional()
          .describe("An earlier session of this project; by default the last one"),
      },
      outputSchema: { session: z.string(), answer: z.string() },
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    async ({ question, session: named }, { signal }) => {
      const answered = await askEarlier(served, question, { named, signal });
      switch (answered.status) {
        case "answered":
          return result({ session: answered.session, answer: answered.answer });
        case "none":
          throw new UsageError(
            "This session has not picked up a handoff, so there is no session before it. continue_handoff picks one up; list_handoffs lists earlier sessions.",
          );
        case "unknown":
          throw new UsageError(`No session ${named} of this project is on record. list_handoffs lists them.`);
      }
    },
  );
};
