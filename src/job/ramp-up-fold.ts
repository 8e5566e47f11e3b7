import type { JobEvent, JournalEvent } from "./events.ts";
import type { HandoffRecord, Job } from "./job.ts";
import { timeAtWork } from "./limits.ts";
import { RAMP_UP_BEGINS, type RampUp, withOneMore } from "./ramp-up.ts";
import {
  EMPTY_TRAIL,
  type OpenCall,
  resultOf,
  type Trail,
  trailOfNext,
  withCommand,
  withRead,
  withWritten,
} from "./trail.ts";

type Event<T extends JobEvent["type"]> = Extract<JournalEvent, { type: T }>;
type Change = Partial<Pick<Job, "trail" | "handoffs">>;

/** As with what a session needs next: what it reads or runs again after so many calls is part of its work. */
const FIRST_CALLS = 40;
/** Of calls at a time. One whose end is never told must not stay for good. */
const MOST_OPEN = 50;

/**
 * What an event adds to the trail of a job, and to the ramp-up of the handoff that its session began with. `job`: with all
 * else that the event changed. A journal that does not tell what calls did has no trail, and nothing is known.
 */
export function rampUpAfter(job: Job, event: JournalEvent): Change {
  if (event.type === "job:created") return { trail: EMPTY_TRAIL };
  const { trail } = job;
  if (!trail) return {};
  switch (event.type) {
    // It is not continued, and what is listed of it need not carry its trail.
    case "job:completed":
      return { trail: null };
    case "session:starting":
      return sessionStarting(job, trail, event);
    case "context:handoff:complete":
      return {
        handoffs: job.handoffs.map((handoff) =>
          handoff.number === event.handoffNumber ? { ...handoff, rampUp: RAMP_UP_BEGINS } : handoff,
        ),
      };
    case "limit:waiting":
      return { trail: { ...trail, limitedSince: event.at } };
    case "limit:over":
      return { trail: limitOver(trail, event.at) };
    case "message:sent":
    case "response":
    case "subagent:response":
    case "tool:start":
    case "tool:end":
    case "tool:denied":
    case "session:ended":
      return event.session === trail.session ? inSession(job, trail, event) : {};
    default:
      return {};
  }
}

function inSession(
  job: Job,
  trail: Trail,
  event: Event<
    | "message:sent"
    | "response"
    | "subagent:response"
    | "tool:start"
    | "tool:end"
    | "tool:denied"
    | "session:ended"
  >,
): Change {
  switch (event.type) {
    case "message:sent":
      return { trail: { ...trail, sinceMs: trail.sinceMs ?? atWork(job, event.at) } };
    case "response":
      return responded(job, trail, event);
    case "subagent:response":
      return whileMeasured(job, ({ costUsd }) => ({ costUsd: plus(costUsd, event.costUsd) }));
    case "tool:start":
      return { trail: callStarted(job, trail, event) };
    case "tool:denied":
      return { trail: { ...trail, open: trail.open.filter(({ id }) => id !== event.id) } };
    case "tool:end": {
      const call = trail.open.find(({ id }) => id === event.id);
      if (!call) return {};
      const open = trail.open.filter((other) => other !== call);
      return callEnded(job, { ...trail, open }, call, event);
    }
    case "session:ended":
      return whileMeasured(job, () => ({ state: "ended" }));
  }
}

function sessionStarting(job: Job, trail: Trail, { session }: Event<"session:starting">): Change {
  if (session !== trail.session) return { trail: trailOfNext(trail, session) };
  // It ran before, and may come to new work yet.
  const again = inRampUp(job, ({ state }) => (state === "ended" ? { state: "measuring" } : {}));
  return { trail: { ...trail, open: [] }, ...again };
}

function limitOver(trail: Trail, at: string): Trail {
  const { sinceMs, limitedSince } = trail;
  if (limitedSince === null) return trail;
  const waited = Math.max(0, Date.parse(at) - Date.parse(limitedSince));
  return { ...trail, limitedSince: null, sinceMs: sinceMs === null ? null : sinceMs + waited };
}

function responded(job: Job, trail: Trail, { at, usage, costUsd }: Event<"response">): Change {
  const sent = usage ? usage.input + usage.cacheRead + usage.cacheWrite : null;
  const grown = grownBy(trail.sent, sent);
  const spent = whileMeasured(job, (rampUp) => ({
    turns: rampUp.turns + 1,
    tokens: rampUp.turns === 0 && sent !== null ? 0 : plus(rampUp.tokens, grown),
    ms: spentMs(job, trail, at),
    costUsd: plus(rampUp.costUsd, costUsd),
  }));
  return { trail: { ...trail, sent }, ...spent };
}

/** A window that was compacted has not grown. */
function grownBy(before: number | null, now: number | null): number | undefined {
  return before === null || now === null ? undefined : Math.max(0, now - before);
}

function callStarted(job: Job, trail: Trail, event: Event<"tool:start">): Trail | null {
  const { id, does, digest, summary, path = summary, removed = [], added = [] } = event;
  const isCompared = does === "command" || does === "read" || does === "write";
  // An earlier version wrote this, and does not say enough.
  if (does === undefined || (isCompared && digest === undefined)) return null;
  const isSubagents = event.subagent !== undefined;
  const calls = trail.calls + (isSubagents ? 0 : 1);
  if (digest === undefined) return { ...trail, calls };
  const { turns = 0, costUsd = null } = measured(job)?.rampUp ?? {};
  const spent = { turns, costUsd, ms: spentMs(job, trail, event.at) };
  const name = does === "command" ? summary : path;
  const call: OpenCall = { id, does, digest, name, removed, added, isSubagents, ...spent };
  return { ...trail, calls, open: [...trail.open, call].slice(-MOST_OPEN) };
}

function callEnded(job: Job, trail: Trail, call: OpenCall, event: Event<"tool:end">): Change {
  switch (call.does) {
    // What a subagent reads and runs, the session does not see.
    case "read":
      return event.ok && !call.isSubagents ? fileRead(job, trail, call) : { trail };
    case "command":
      return call.isSubagents ? { trail } : commandRun(job, trail, call, event.digest ?? "");
    case "write":
      return event.ok ? fileWritten(job, trail, call) : { trail };
    default:
      return { trail };
  }
}

function fileRead(job: Job, trail: Trail, { digest, name }: OpenCall): Change {
  const { own, before, calls } = trail;
  const isAgain = before.read.includes(digest) && !own.read.includes(digest) && !own.written.includes(digest);
  const after = { ...trail, own: withRead(own, digest) };
  if (!isAgain || calls > FIRST_CALLS || isDocument(job, name)) return { trail: after };
  const more = inRampUp(job, ({ readAgain }) => ({ readAgain: withOneMore(readAgain, shown(job, name)) }));
  return { trail: after, ...more };
}

function commandRun(job: Job, trail: Trail, call: OpenCall, result: string): Change {
  const { own, before, calls } = trail;
  const { digest, name } = call;
  const earlier = resultOf(before, digest);
  const after = { ...trail, own: withCommand(own, digest, result) };
  if (earlier === undefined) return { trail: after, ...newWork(job, call) };
  // Once the session has changed something, it is right to look what comes of it.
  const isFirst = resultOf(own, digest) === undefined && own.written.length === 0 && calls <= FIRST_CALLS;
  if (!isFirst || earlier !== result) return { trail: after };
  return { trail: after, ...inRampUp(job, ({ repeated }) => ({ repeated: withOneMore(repeated, name) })) };
}

function fileWritten(job: Job, trail: Trail, call: OpenCall): Change {
  const { own, before } = trail;
  const { digest, name, removed, added } = call;
  // What the session itself has taken out and put back is a detour of its own.
  const isRedone = added.some((text) => before.texts.includes(text) && !own.texts.includes(text));
  const after = { ...trail, own: withWritten(own, digest, [...removed, ...added]) };
  if (!isRedone) return { trail: after, ...newWork(job, call) };
  const more = inRampUp(job, ({ redone }) => ({ redone: withOneMore(redone, shown(job, name)) }));
  return { trail: after, ...more };
}

/** It counts from when the call began. What the window had grown by then is known since its response. */
function newWork(job: Job, { turns, ms, costUsd }: OpenCall): Change {
  return whileMeasured(job, () => ({ state: "reached", turns, ms, costUsd }));
}

function measured({ trail, handoffs }: Job): HandoffRecord | undefined {
  return handoffs.findLast(({ toSession }) => toSession !== null && toSession === trail?.session);
}

function inRampUp(job: Job, change: (rampUp: RampUp) => Partial<RampUp>): Change {
  const handoff = measured(job);
  const { rampUp } = handoff ?? {};
  if (!rampUp) return {};
  const changed = { ...rampUp, ...change(rampUp) };
  return {
    handoffs: job.handoffs.map((other) => (other === handoff ? { ...other, rampUp: changed } : other)),
  };
}

function whileMeasured(job: Job, change: (rampUp: RampUp) => Partial<RampUp>): Change {
  return inRampUp(job, (rampUp) => (rampUp.state === "measuring" ? change(rampUp) : {}));
}

function atWork(job: Job, at: string): number {
  return timeAtWork(job, new Date(at));
}

function spentMs(job: Job, { sinceMs }: Trail, at: string): number {
  return sinceMs === null ? 0 : Math.max(0, atWork(job, at) - sinceMs);
}

const plus = (sum: number | null, more: number | undefined) =>
  sum === null || more === undefined ? null : sum + more;

/** The handoff itself is no file that it should have carried. */
function isDocument({ handoffs }: Job, path: string): boolean {
  return handoffs.some(({ documentPath, archivedFrom }) => path === documentPath || path === archivedFrom);
}

function shown({ workspace }: Job, path: string): string {
  return workspace && path.startsWith(`${workspace.path}/`) ? path.slice(workspace.path.length + 1) : path;
}
