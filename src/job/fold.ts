import type { TokenUsage } from "../agents/events.ts";
import { paceAfter } from "../context/pace.ts";
import { isAsking, withAnswer, withAsk, withoutAsk, withoutLateAnswer } from "./asks/asks.ts";
import { estimated, sumOfUsage, told } from "./cost.ts";
import { withDenied, withoutCall } from "./denied.ts";
import type { Continued, JobEvent, JournalEvent } from "./events.ts";
import { inSession, peakAfter, sessionKnown, sessionStarting, simulator, withCost } from "./folds/session.ts";
import { workspaceAfter } from "./folds/workspace.ts";
import { countedHandoffs, type HandoffRecord, isOnlyToBeClosed, type Job, statusBeforeQueue } from "./job.ts";
import { rampUpAfter } from "./ramp-up-fold.ts";
import { timeAfter } from "./time-split.ts";

export function apply(job: Job, event: JournalEvent): Job {
  const { seq, at, attempt } = event;
  // Nothing has happened to a job that was only compacted.
  const updatedAt = event.type === "journal:compacted" ? event.summary.updatedAt : at;
  const changed = { ...job, ...change(job, event), ...timeAfter(job, event), seq, attempt, updatedAt };
  return { ...changed, ...rampUpAfter(changed, event) };
}

function change(job: Job, event: JournalEvent): Partial<Job> {
  switch (event.type) {
    case "job:created":
      return {
        agent: event.agent,
        prompt: event.prompt,
        configPath: event.configPath ?? null,
        agentConfig: event.agentConfig,
        epic: event.epic ?? null,
        workItem: event.workItem ?? null,
        schedule: event.schedule ?? null,
        continues: event.continues ? continuedOf(event.continues) : null,
        ...(event.chosen && { chosen: event.chosen }),
        ...(event.attended && { attended: event.attended }),
        ...(event.conversation && { conversation: event.conversation }),
        ...(event.startedBy && { startedBy: event.startedBy }),
        ...(event.parent && { parent: event.parent }),
        createdAt: event.at,
      };
    case "job:queued": {
      const { at, priority, after } = event;
      const from = statusBeforeQueue(job);
      return {
        ...resting(job, job.updatedAt),
        // Where the fleet puts it back, what a person asked for before still holds.
        ...(event.message === undefined && unsuspected(job)),
        status: "queued",
        queued: { at, priority, from, ...(after && { after }) },
        ...(event.chosen && { chosen: event.chosen }),
        error: null,
        pauseCode: null,
        finishedAt: null,
      };
    }
    case "job:started":
      return { ...going(job, event.at), marker: event.marker, ...(job.container && { container: null }) };
    case "job:resumed": {
      const { activeMs, ...rest } = going(job, event.at);
      const { costUsd, turns } = job;
      const renewed = { costUsd, turns, activeMs, handoffs: countedHandoffs(job) };
      // Somebody who resumes a job that had stopped wants it to go on. A crash is no such word.
      const allowance = statusBeforeQueue(job) === "interrupted" ? job.allowance : renewed;
      const chosen = event.chosen && { chosen: event.chosen };
      const closing = isOnlyToBeClosed(job) ? job.closing : null;
      return { ...rest, ...chosen, ...signedInAgain(job), activeMs, allowance, closing };
    }
    case "job:interrupted":
      // Nobody knows when the owner died, but it lived when it wrote last.
      return { ...resting(job, job.updatedAt), status: "interrupted", error: event.message };
    case "job:paused":
      return {
        ...ended(job, event.at),
        // A handoff that only lacks room is made once there is some.
        ...(event.code === "no_room" && { pendingHandoff: job.pendingHandoff }),
        status: "paused",
        // What waits for a person can be answered while it rests.
        ...(event.code === "asking" && { asks: job.asks ?? [] }),
        error: event.message,
        pauseCode: event.code,
      };
    case "job:completed":
      return { ...ended(job, event.at), status: "completed", result: event.result, finishedAt: event.at };
    case "job:failed":
      return { ...ended(job, event.at), status: "failed", error: event.error, finishedAt: event.at };
    case "job:cancelled":
      // What it stopped at before is no reason for this.
      return {
        ...ended(job, event.at),
        status: "cancelled",
        error: null,
        pauseCode: null,
        finishedAt: event.at,
      };
    case "checkpoint":
      return { checkpoint: event.ref };
    case "checkpoints:removed":
      return job.checkpoint !== null && event.refs.includes(job.checkpoint) ? { checkpoint: null } : {};
    case "job:closing":
      return { closing: { outcome: event.outcome, text: event.text } };
    case "workspace:waiting":
      return { ...resting(job, event.at), status: "waiting" };
    case "workspace:creating":
    case "workspace:ready":
    case "workspace:pushing":
    case "workspace:pushed":
    case "workspace:proposed":
    case "workspace:removing":
    case "workspace:removed":
    case "workspace:kept": {
      const workspace = workspaceAfter(job.workspace, event);
      const isHad = event.type === "workspace:creating" || event.type === "workspace:ready";
      const waited = isHad && job.status === "waiting";
      return { workspace, ...(waited && { status: "running" as const, activeSince: event.at }) };
    }
    case "session:starting":
      return sessionStarting(job, event);
    case "session:started":
      return inSession(job, event.session, () => ({ model: event.model }));
    case "session:known":
      return sessionKnown(job, event);
    case "session:ended":
      return { ...inSession(job, event.session, () => ({ endReason: event.reason })), tools: [] };
    case "message:sent":
      return {
        ...inSession(job, event.session, () => ({ lastMessage: event.kind })),
        tools: [],
        ...atWork(job, event.at),
        // A person who speaks sees how often the work was passed on, and wants it to go on.
        ...(event.kind === "said" && {
          allowance: { ...job.allowance, handoffs: countedHandoffs(job) },
          ...(job.circles && job.circles.length > 0 && { circles: [] }),
        }),
      };
    case "response":
      return {
        ...withCost(job, event.session, (session) => ({
          turns: session.turns + 1,
          ...peakAfter(session, event.context),
          contextWindow: event.context.window || session.contextWindow,
          ...estimated(session, event.costUsd),
          ...simulator(session, event),
        })),
        ...atWork(job, event.at),
        turns: job.turns + 1,
        ...used(job, event.usage),
        // A new run of the program knows no figure until a response tells one.
        context: event.context.tokens === 0 && job.context ? job.context : event.context,
        ...paced(job, event),
      };
    case "subagent:response":
      return {
        ...withCost(job, event.session, (session) => estimated(session, event.costUsd)),
        ...used(job, event.usage),
      };
    case "tool:start": {
      if (event.subagent !== undefined) return {};
      const { id, name, summary } = event;
      return { tools: [...job.tools, { id, name, summary, startedAt: event.at }] };
    }
    case "tool:end":
      return {
        ...(event.ok && withoutCall(job, event.id)),
        tools: job.tools.filter((tool) => tool.id !== event.id),
        ...(job.context && event.pending && { context: { ...job.context, pending: event.pending } }),
      };
    case "tool:denied":
      return {
        tools: job.tools.filter((tool) => tool.id !== event.id),
        deniedToolCalls: job.deniedToolCalls + 1,
        ...withDenied(job, event),
      };
    case "todos:changed":
      return { todos: event.todos };
    case "job:reported":
      return { report: { status: event.status, at: event.at } };
    case "pause:requested":
      return { pauseRequested: true };
    case "stall:suspected": {
      const { seq, at, quietMs, tool } = event;
      return { stall: { seq, at, quietMs, ...(tool !== undefined && { tool }) } };
    }
    case "stall:over":
      return { stall: null };
    case "circles:suspected": {
      const { seq, at, kind, what, times, since, failing } = event;
      const others = (job.circles ?? []).filter((circle) => circle.kind !== kind || circle.what !== what);
      return { circles: [...others, { seq, at, kind, what, times, since, ...(failing && { failing }) }] };
    }
    case "ask:made":
      return { ...resting(job, event.at), ...withAsk(job, event, event.at) };
    case "ask:answered":
      return again(job, withAnswer(job, event), event.at);
    case "ask:withdrawn":
    case "ask:expired":
      return again(job, withoutAsk(job, event.ask), event.at);
    case "ask:used":
      return withoutLateAnswer(job, event.ask);
    case "tool:permitted":
    case "repository:left-out":
    case "message:delivered":
    case "pause:refused":
      return {};
    case "background":
    case "background:left":
      return { background: event.tasks };
    case "cost":
      return withCost(job, event.session, (session) => told(session, event.costUsd));
    case "context:handoff:start":
      return {
        ...atWork(job, event.at),
        pendingHandoff: {
          number: event.handoffNumber,
          fromSession: event.oldSessionId,
          trigger: event.trigger,
          tokens: event.inputTokens,
          contextWindow: event.contextWindow,
          percent: Math.round(event.usagePercent * 1000) / 10,
          ...(event.isEstimate && { isEstimate: true }),
          ...(event.pending !== undefined && { pending: event.pending }),
        },
      };
    case "agent:switched":
      return agentSwitched(job, event);
    case "handoff:cancelled":
    case "handoff:failed":
      return { pendingHandoff: null };
    case "handoff:unstored":
      return { pendingHandoff: job.pendingHandoff && { ...job.pendingHandoff, unstored: true } };
    case "handoff:stored":
      return handoffStored(job, event);
    case "handoff:archived":
      return inHandoff(job, event.handoffNumber, ({ documentPath, archivedFrom }) => ({
        documentPath: event.documentPath,
        archivedFrom: archivedFrom ?? documentPath,
      }));
    case "context:handoff:complete":
      return inHandoff(job, event.handoffNumber, () => ({ toSession: event.newSessionId }));
    case "person:awaited":
      return { ...resting(job, event.at), attended: true };
    case "clock:moved":
      return { activeSince: job.activeSince && moved(job.activeSince, event.byMs) };
    case "limit:waiting":
      return { status: "waiting", waiting: { until: event.until, message: event.message } };
    case "limit:over":
      return { status: "running", waiting: null };
    case "journal:compacted":
      return { ...event.summary, compacted: { events: event.removed, at: event.at } };
    case "box:opened":
      return { container: event.container };
    case "box:denied":
      return { deniedHosts: (job.deniedHosts ?? 0) + 1 };
    case "workspace:command":
    case "workspace:committed":
    case "workspace:keeping":
    case "workspace:ignored":
    case "text":
    case "compaction":
    case "context:warning":
    case "handoff:requested":
    case "handoff:refused":
    case "handoff:asked":
    case "hook":
    case "facts:collected":
    case "retry":
    case "warning":
      return {};
    default:
      return event satisfies never;
  }
}

function going(job: Job, at: string) {
  const fresh = { result: null, error: null, pauseCode: null, finishedAt: null };
  return {
    ...resting(job, job.updatedAt),
    ...fresh,
    ...unsuspected(job),
    status: "running" as const,
    activeSince: at,
  };
}

/** The time in which a person was waited for is no time at work. */
function atWork(job: Job, at: string): Partial<Job> {
  const { status, activeSince } = job;
  return status === "running" && activeSince === null && !isAsking(job) ? { activeSince: at } : {};
}

/** The last answer sets it to work again. */
function again(job: Job, changed: Partial<Job>, at: string): Partial<Job> {
  return { ...changed, ...atWork({ ...job, ...changed }, at) };
}

function ended(job: Job, at: string) {
  return {
    ...resting(job, at),
    ...unsuspected(job),
    tools: [],
    pendingHandoff: null,
    ...(job.asks && { asks: [] }),
  };
}

/** Nothing that was thought of its work so far holds any longer. */
function unsuspected({ pauseRequested, stall, circles }: Job): Partial<Job> {
  return {
    ...(pauseRequested && { pauseRequested: false }),
    ...(stall && { stall: null }),
    ...(circles && circles.length > 0 && { circles: [] }),
  };
}

function resting(job: Job, until: string) {
  const { activeMs, activeSince } = job;
  const more = activeSince === null ? 0 : Math.max(0, Date.parse(until) - Date.parse(activeSince));
  return { activeMs: activeMs + more, activeSince: null, waiting: null };
}

function moved(at: string, byMs: number): string {
  return new Date(Date.parse(at) + byMs).toISOString();
}

function inHandoff(
  job: Job,
  number: number,
  changed: (handoff: HandoffRecord) => Partial<HandoffRecord>,
): Pick<Job, "handoffs"> {
  return {
    handoffs: job.handoffs.map((handoff) =>
      handoff.number === number ? { ...handoff, ...changed(handoff) } : handoff,
    ),
  };
}

type Event<T extends JobEvent["type"]> = Extract<JobEvent, { type: T }>;

function paced({ pace }: Job, { usage }: Event<"response">): Pick<Job, "pace"> {
  const after = paceAfter(pace, usage);
  return after ? { pace: after } : {};
}

function used(job: Job, usage: TokenUsage | undefined): Pick<Job, "usage" | "uncounted"> {
  if (usage) return { usage: sumOfUsage(job.usage, usage) };
  return { usage: job.usage, uncounted: (job.uncounted ?? 0) + 1 };
}

function agentSwitched(job: Job, event: Event<"agent:switched"> & { at: string }): Partial<Job> {
  const { out } = job;
  const { at, from, to, reason, message, until = null } = event;
  const record = { at, from, to, reason, message, ...(until !== null && { until }) };
  const runsOn = { agent: to, reason };
  const switches = [...(job.switches ?? []), record];
  const isOut = reason === "usage_limit" || reason === "api_failing" || reason === "no_access";
  if (!isOut) return { runsOn, switches };
  return { runsOn, switches, out: { ...out, [from]: { until, times: (out?.[from]?.times ?? 0) + 1 } } };
}

/** Whoever resumes a job may have signed in again. */
function signedInAgain({ out }: Job): Pick<Job, "out"> {
  if (!out) return {};
  return { out: Object.fromEntries(Object.entries(out).filter(([, { until }]) => until !== null)) };
}

function handoffStored(job: Job, event: Event<"handoff:stored"> & { at: string }): Partial<Job> {
  if (job.pendingHandoff?.number !== event.handoffNumber) return {};
  const { unstored: _, ...pending } = job.pendingHandoff;
  const { source, outcome, reason = null, documentPath, durationMs, at: storedAt } = event;
  const checks = event.checks.map(({ name, ok }) => ({ name, ok }));
  const how = { source, outcome, checks, reason, documentPath, durationMs, storedAt };
  const stored: HandoffRecord = { ...pending, toSession: null, archivedFrom: null, ...how };
  return {
    pendingHandoff: null,
    handoffs: [...job.handoffs.filter((handoff) => handoff.number !== stored.number), stored],
  };
}

function continuedOf({ document, recorded, ways }: Continued): NonNullable<Job["continues"]> {
  return { document, ...(recorded && { recorded }), ...(ways && { ways }) };
}
