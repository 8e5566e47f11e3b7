import type { AnswerOf } from "../../src/http/contract.ts";
import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { now } from "../data/clock.ts";
import { Answer, Nothing } from "../parts/answer.tsx";
import { Gauge } from "../parts/gauge.tsx";
import { Status } from "../parts/status.tsx";
import { counted, firstLine, lasting } from "../parts/words.ts";

type OwnSession = AnswerOf<"listOwnSessions">["sessions"][number];

const MINUTE_MS = 60_000;

/** Sessions that the person started themselves, each with its gauge. Nothing tells of them in the stream: they are asked for. */
export default function OwnSessions() {
  const answer = useAsked(
    (signal) => api.listOwnSessions({}, undefined, { signal }),
    [Math.floor(now.value.getTime() / (MINUTE_MS / 6))],
  );
  return (
    <section>
      <h1>Own sessions</h1>
      <Answer of={answer}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <Nothing
              says="None of your own sessions is open, or Baton does not watch them yet. To have it watch every claude that you start:"
              command="baton install claude-code"
            />
          ) : (
            <>
              <p class="sub">
                {counted(sessions.filter(({ state }) => state === "open").length, "session")} open · started
                by you, watched by Baton
              </p>
              <div class="rows">
                {sessions.map((session) => (
                  <Line key={session.id} session={session} now={now.value} />
                ))}
              </div>
            </>
          )
        }
      </Answer>
    </section>
  );
}

const STATES: Record<string, string> = { open: "running", gone: "interrupted", ended: "completed" };

const HANDOFFS: Record<string, string> = {
  asked: "is handing off",
  stored: "handed off, not continued yet",
  clearing: "handed off, a fresh session starts",
  pending: "its handoff waits for you: baton handoffs",
  failed: "its handoff failed: baton status",
};

function Line({ session, now }: { session: OwnSession; now: Date }) {
  const { id, title, prompt, state, context, handoff, handoffAt, cwd, pane, startedAt, seenAt } = session;
  const where = [cwd, pane?.name && `pane ${pane.name}`, context?.model].filter(Boolean).join(" · ");
  const name = title ?? (prompt === undefined ? id : firstLine(prompt));
  const said = handoff ? HANDOFFS[handoff.state] : undefined;
  return (
    <article class="entry" aria-label={name}>
      <div class="line session">
        <Status status={STATES[state] ?? state} word={state} />
        <span class="wide">
          <span class="title">{name}</span>
          <span class="meta">{where}</span>
        </span>
        <span class="wide">
          <Gauge of={context ? windowOf(context, handoffAt) : undefined} />
        </span>
        <span class="meta wide">{said ?? ""}</span>
        <span class="num meta" title={`started ${new Date(startedAt).toLocaleString()}`}>
          {lasting(now.getTime() - Date.parse(seenAt ?? startedAt))} ago
        </span>
      </div>
    </article>
  );
}

function windowOf(context: NonNullable<OwnSession["context"]>, handoffAt: number | undefined) {
  const { tokens, window, pending, turnsLeft, source } = context;
  return {
    tokens,
    contextWindow: window,
    ...(source === "estimate" && { isEstimate: true }),
    ...(pending !== undefined && { pendingEstimate: pending }),
    ...(turnsLeft !== undefined && { turnsLeft }),
    ...(handoffAt !== undefined && { handoffAt }),
  };
}
