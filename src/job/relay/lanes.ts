import { triggerTokens } from "../../context/policy.ts";
import type { JobEventType, JournalEvent, SessionEnd } from "../events.ts";
import { endOf, type Job } from "../job.ts";
import { windowUse } from "../window.ts";

/** A moment on a lane: how long its session had been at work, and what its window held. */
interface LanePoint {
  ms: number;
  tokens: number;
  isEstimate?: boolean;
}

/** Time in which a session did nothing, cut out of its lane. `ms`: where on the lane. */
interface LaneGap {
  ms: number;
  lastedMs: number;
  because: "limit" | "retry" | "person" | "stopped" | "asleep";
}

/** One session of a job, as its window filled. */
export interface Lane {
  session: string;
  ordinal: number;
  agent: string;
  model: string | null;
  window: number | null;
  /** The tokens at which it hands off. */
  mark: number | null;
  startedAt: string;
  /** Null while it is the current one. */
  end: SessionEnd | null;
  turns: number;
  costUsd: number;
  /** At work, up to its last event. */
  ms: number;
  points: LanePoint[];
  gaps: LaneGap[];
  /** Where on the lane, and the number by which `baton checkpoints` knows it. */
  checkpoints: { ms: number; number: number }[];
}

/** What of a journal the lanes are made of. */
export const LANE_EVENTS: readonly JobEventType[] = [
  "session:starting",
  "session:ended",
  "response",
  "checkpoint",
  "limit:waiting",
  "limit:over",
  "retry",
  "person:awaited",
  "message:sent",
  "job:started",
  "job:resumed",
  "job:queued",
  "job:interrupted",
  "job:paused",
  "job:failed",
  "job:completed",
  "job:cancelled",
  "clock:moved",
];

/** More than a lane has pixels to show. */
const MOST_POINTS = 240;

/** A retry that took less is no gap that anybody would see. */
const SHORTEST_GAP_MS = 1_000;

/** The lanes of a job from the events of `LANE_EVENTS`, oldest first. */
export function lanesOf(job: Job, events: Iterable<JournalEvent>): Lane[] {
  const drawing = new Map<string, Drawing>();
  let current: Drawing | undefined;
  for (const event of events) {
    if (event.type === "session:starting") {
      current = drawing.get(event.session) ?? begun(job, event);
      drawing.set(event.session, current);
    }
    if (current) draw(current, event);
  }
  return [...drawing.values()].map(({ lane }) => ({ ...lane, points: thinned(lane.points, MOST_POINTS) }));
}

/** A lane, and up to which time it is drawn. */
interface Drawing {
  lane: Lane;
  until: number;
  idle?: Idle | undefined;
}

/** Nothing is done on a lane, and why. `retryUntil`: until then at most. */
interface Idle {
  because: LaneGap["because"];
  retryUntil?: number;
}

function begun(job: Job, event: Extract<JournalEvent, { type: "session:starting" }>): Drawing {
  const record = job.sessions.find(({ id }) => id === event.session);
  const window = record?.contextWindow ?? null;
  return {
    until: Date.parse(event.at),
    lane: {
      session: event.session,
      ordinal: event.ordinal,
      agent: event.agent ?? job.agent,
      model: record?.model ?? null,
      window,
      mark: markOf(job, event.agent, window),
      startedAt: event.at,
      end: record ? endOf(job, record) : null,
      turns: record?.turns ?? 0,
      costUsd: record?.costUsd ?? 0,
      ms: 0,
      points: [],
      gaps: [],
      checkpoints: [],
    },
  };
}

/** By the configuration that the job began with. Nothing is known here of that of another agent that took over. */
function markOf(job: Job, agent: string | undefined, window: number | null): number | null {
  const session = job.agentConfig?.session;
  if (!session || window === null || (agent !== undefined && agent !== job.agent)) return null;
  const state = { window: { tokens: window, source: "live" as const } };
  return triggerTokens({ ...state, growth: undefined, autoCompactThreshold: undefined }, session) ?? null;
}

function draw(drawing: Drawing, event: JournalEvent): void {
  advance(drawing, event);
  drawing.idle = idleAfter(drawing.idle, event);
  const { lane } = drawing;
  if (event.type === "checkpoint") {
    lane.checkpoints.push({ ms: lane.ms, number: Number(event.ref.split("/").at(-1)) });
  }
  if (event.type !== "response" || event.session !== lane.session || !windowUse(event.context)) return;
  const { tokens, handoffAt, isEstimate } = event.context;
  lane.mark = handoffAt ?? lane.mark;
  lane.points.push({ ms: lane.ms, tokens, ...(isEstimate && { isEstimate }) });
}

function idleAfter(idle: Idle | undefined, event: JournalEvent): Idle | undefined {
  switch (event.type) {
    case "limit:waiting":
      return { because: "limit" };
    case "person:awaited":
      return { because: "person" };
    case "retry":
      return { because: "retry", retryUntil: Date.parse(event.at) + event.delayMs };
    case "job:interrupted":
    case "job:paused":
    case "job:failed":
    case "job:completed":
    case "job:cancelled":
      return { because: "stopped" };
    // It waits for a slot, or has no session yet: nothing is done on any lane.
    case "job:queued":
    case "job:started":
    case "job:resumed":
    case "clock:moved":
    case "checkpoint":
      return idle;
    default:
      return undefined;
  }
}

/** Moves on to the time of an event: along the lane where something was done, as a gap where nothing was. */
function advance(drawing: Drawing, event: JournalEvent): void {
  const { lane, idle, until } = drawing;
  const now = Math.max(until, Date.parse(event.at));
  drawing.until = now;
  const asleepMs = event.type === "clock:moved" ? Math.min(now - until, Math.max(0, event.byMs)) : 0;
  if (asleepMs > 0) gap(lane, "asleep", asleepMs);
  const ms = now - until - asleepMs;
  // What nobody saw the end of: its owner died after its last event.
  const because = event.type === "job:interrupted" ? "stopped" : idle?.because;
  if (because === undefined) {
    lane.ms += ms;
    return;
  }
  const idleMs = idle?.retryUntil === undefined ? ms : Math.min(ms, Math.max(0, idle.retryUntil - until));
  gap(lane, because, idleMs);
  lane.ms += ms - idleMs;
}

/** One after another at the same place are one, named after the longest. */
function gap(lane: Lane, because: LaneGap["because"], lastedMs: number): void {
  if (lastedMs < SHORTEST_GAP_MS) {
    lane.ms += lastedMs;
    return;
  }
  const last = lane.gaps.at(-1);
  if (last?.ms !== lane.ms) {
    lane.gaps.push({ ms: lane.ms, lastedMs, because });
    return;
  }
  if (lastedMs > last.lastedMs) last.because = because;
  last.lastedMs += lastedMs;
}

/** The first, the last, and of every stretch between the fullest. */
function thinned(points: LanePoint[], most: number): LanePoint[] {
  if (points.length <= most) return points;
  const [first, last] = [points[0], points.at(-1)];
  const between = points.slice(1, -1);
  const stretch = Math.ceil(between.length / (most - 2));
  const kept: LanePoint[] = [];
  for (let from = 0; from < between.length; from += stretch) {
    const among = between.slice(from, from + stretch);
    kept.push(among.reduce((fullest, point) => (point.tokens > fullest.tokens ? point : fullest)));
  }
  return [first, ...kept, last].filter((point) => point !== undefined);
}
