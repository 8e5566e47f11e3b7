import { withNewSession } from "../../context/pace.ts";
import { given } from "../../util/given.ts";
import { costOfAll, estimated, withSimulated } from "../cost.ts";
import { underPermissions } from "../denied.ts";
import type { ContextFigures, JobEvent } from "../events.ts";
import type { Job, SessionRecord } from "../job.ts";

type Event<T extends JobEvent["type"]> = Extract<JobEvent, { type: T }>;

export function inSession(
  job: Job,
  id: string,
  changed: (session: SessionRecord) => Partial<SessionRecord>,
): Pick<Job, "sessions"> {
  return {
    sessions: job.sessions.map((session) =>
      session.id === id ? { ...session, ...changed(session) } : session,
    ),
  };
}

/** As `inSession`, with the cost of the job, which is that of all its sessions. */
export function withCost(
  job: Job,
  id: string,
  changed: (session: SessionRecord) => Partial<SessionRecord>,
): Pick<Job, "sessions" | "costUsd" | "costBasis" | "simulatedUsd"> {
  const { sessions } = inSession(job, id, (session) => withSimulated({ ...session, ...changed(session) }));
  const cost = costOfAll(sessions);
  // What turned out not to be simulated would stay as the job's otherwise.
  const isNoMore = job.simulatedUsd !== undefined && cost.simulatedUsd === undefined;
  return { sessions, ...cost, ...(isNoMore && { simulatedUsd: 0 }) };
}

export function sessionStarting(job: Job, event: Event<"session:starting">): Partial<Job> {
  const { session: id, ordinal, mode, permissions, agent, runtime } = event;
  const known = job.sessions.some((session) => session.id === id);
  const idle = { tools: [], background: [], ...(permissions && underPermissions(job, permissions)) };
  if (known) {
    const { sessions } = inSession(job, id, (session) => ({
      mode,
      endReason: null,
      earlierCostUsd: session.costUsd,
      earlierCostBasis: session.costBasis,
      ...(session.simulatedUsd !== undefined && { earlierSimulatedUsd: session.simulatedUsd }),
    }));
    return { ...idle, sessions };
  }
  const session: SessionRecord = {
    id,
    ordinal,
    mode,
    ...given({ agent, runtime }),
    model: null,
    transcript: null,
    contextWindow: null,
    peakTokens: 0,
    turns: 0,
    endReason: null,
    lastMessage: null,
    costUsd: 0,
    costBasis: "told",
    earlierCostUsd: 0,
    earlierCostBasis: "told",
  };
  const pace = withNewSession(job.pace);
  return { ...idle, context: null, sessions: [...job.sessions, session], ...(pace && { pace }) };
}

export function sessionKnown(job: Job, event: Event<"session:known">): Partial<Job> {
  const known = job.sessions.find(({ id }) => id === event.session);
  const missed = known && event.turns !== undefined ? Math.max(0, event.turns - known.turns) : 0;
  return {
    ...withCost(job, event.session, (session) => ({
      contextWindow: event.contextWindow ?? session.contextWindow,
      transcript: event.transcript ?? session.transcript,
      turns: session.turns + missed,
      ...(missed > 0 && { ...estimated(session, event.missedCostUsd), ...simulator(session, event) }),
    })),
    turns: job.turns + missed,
  };
}

/** After a response, whose figure is 0 where nobody knows it. */
export function peakAfter(
  { peakTokens, peakIsEstimate }: SessionRecord,
  { tokens, isEstimate = false }: ContextFigures,
): Pick<SessionRecord, "peakTokens" | "peakIsEstimate"> {
  if (tokens <= peakTokens) return { peakTokens };
  const isNews = isEstimate !== (peakIsEstimate ?? false);
  return { peakTokens: tokens, ...(isNews && { peakIsEstimate: isEstimate }) };
}

/** Who answered last, where that is the simulator now or was before: to other sessions nothing is added. */
export function simulator(
  { simulated }: SessionRecord,
  event: { simulated?: true },
): Pick<SessionRecord, "simulated"> {
  if (event.simulated) return { simulated: true };
  return simulated === undefined ? {} : { simulated: false };
}
