import { basename } from "node:path";
import { endedBefore } from "../../handoff/continuation.ts";
import { type AccountSource, draftHandoff, storeDraft, storeUnstored } from "../../handoff/make.ts";
import { askAgain, handoffRequest } from "../../handoff/request.ts";
import type { ContextFigures, JobEvent } from "../../job/events.ts";
import type { JobAtWork } from "../run/phases.ts";
import { askSession, type LeftRunning } from "./ask.ts";
import { accountAskedOf, type HandoffFrom, sessionOf, triggerOf } from "./handoff-from.ts";

type HandingOver = Pick<
  JobAtWork,
  "crew" | "config" | "cwd" | "facts" | "job" | "redact" | "append" | "record" | "now"
>;

export interface JobHandoff {
  from: HandoffFrom;
  number: number;
  figures: ContextFigures;
  /** What was left running. */
  background: LeftRunning;
  /** Without an account of the session's own there is to be no handoff. */
  ownAccountOnly: boolean;
  /** Made meanwhile. */
  checkpoint: Promise<string | undefined>;
  /** Another agent has the job from then on: on record as soon as the document is, and not before. */
  switched?: Extract<JobEvent, { type: "agent:switched" }> | undefined;
  /** By `performance.now()`. */
  startedAt: number;
  /** Aborted to call the handoff off. */
  signal: AbortSignal;
  /** From here on it cannot be called off any more. */
  onStoring: () => void;
}

/** The session was asked for its account, and gave none. */
class NoAccountError extends Error {
  override readonly name = "NoAccountError";

  constructor(why: string | null) {
    super(why ?? "the session gave no account");
  }
}

/** Has the account written and checked, and the document on disk and on record. Nothing of the session is needed then. */
export async function makeJobHandoff(work: HandingOver, handoff: JobHandoff): Promise<void> {
  const { crew, config, cwd, facts, job, redact, append, record, now } = work;
  const { from, number, startedAt, signal, switched } = handoff;
  const session = sessionOf(from);
  const warn = (message: string) => append({ type: "warning", message });
  const transcript = (await crew.transcriptOf(session)) ?? null;
  const { workspace, epic, workItem } = job();
  const base = workspace?.base;
  const draft = await draftHandoff(
    {
      origin: {
        job: job().id,
        project: basename(config.workingDirectory),
        ...(epic !== null && { epic }),
        ...(workItem && { item: workItem.id }),
        ...(workItem?.url && { item_url: workItem.url }),
        agent: job().agent,
        number,
        previous: job().handoffs.at(-1)?.documentPath ?? null,
        reason: triggerOf(from),
        session,
        transcript,
        tokens: handoff.figures.tokens,
        window: handoff.figures.window,
        percent: handoff.figures.percent,
      },
      config: config.handoff,
      place: { cwd, ...(base && { base }) },
      facts: redact(facts.facts()),
      background: handoff.background,
      redact,
      warn,
    },
    sourceOf(work, handoff),
  );
  const { written, source } = draft;
  const { outcome, checks, reason } = written;
  if (handoff.ownAccountOnly && outcome === "from-facts") throw new NoAccountError(reason);
  const how = { handoffNumber: number, session, source, outcome, checks, ...(reason !== null && { reason }) };
  const collected = () => {
    facts.addProgress(written.account.progress);
    facts.endSubagents();
    append({ type: "facts:collected", handoffNumber: number, facts: redact(facts.facts()) });
    if (switched) append(switched);
  };
  const { conflict } = await storeDraft(draft, {
    now,
    checkpoint: handoff.checkpoint,
    begin: () => {
      signal.throwIfAborted();
      handoff.onStoring();
    },
    async keep(unstored) {
      collected();
      const durationMs = Math.round(performance.now() - startedAt);
      await record({ type: "handoff:unstored", ...how, durationMs, ...unstored });
    },
    async record(documentPath) {
      collected();
      const durationMs = Math.round(performance.now() - startedAt);
      await record({ type: "handoff:stored", ...how, documentPath, durationMs });
    },
  });
  if (conflict) warn(conflict);
}

/** Stores the document of a handoff that its folder had no room for. */
export async function storeKeptHandoff(
  { config, cwd, redact, append, record }: HandingOver,
  kept: Extract<JobEvent, { type: "handoff:unstored" }>,
): Promise<void> {
  const { type: _, document, order, ...how } = kept;
  const parts = { config: config.handoff, place: { cwd }, redact };
  const { conflict } = await storeUnstored({ document, order }, parts, {
    record: (documentPath) => record({ type: "handoff:stored", ...how, documentPath }),
  });
  if (conflict) append({ type: "warning", message: conflict });
}

function sourceOf({ config, record }: HandingOver, { from, number, signal }: JobHandoff): AccountSource {
  const asked = accountAskedOf(from);
  if ("why" in asked) return { kind: "nobody", ...asked };
  const { live, focus, byAgent = false, ended = [] } = asked;
  return {
    kind: "session",
    async ask(shortfalls, { extra }) {
      const again = shortfalls.length > 0;
      await record({
        type: "handoff:asked",
        session: live.id,
        handoffNumber: number,
        ...(again && { again: [...shortfalls] }),
      });
      const text = again
        ? askAgain(shortfalls, true)
        : handoffRequest({ extra, byAgent, ...(focus && { focus }) });
      const known = !again && ended.length > 0 ? `\n\n${endedBefore(ended)}` : "";
      return askSession(live, `${text}${known}`, config.handoff.timeoutMs, signal);
    },
  };
}
