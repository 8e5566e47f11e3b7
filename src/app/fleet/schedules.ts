import type { Chosen } from "../../config/chosen.ts";
import type { AgentConfig, Config, ScheduleConfig } from "../../config/config.ts";
import { recordable } from "../../config/recordable.ts";
import { nextDue } from "../../fleet/schedules/due.ts";
import { decide, type Fire, serialOf } from "../../fleet/schedules/fires.ts";
import { newJobId } from "../../jobs/new-id.ts";
import {
  type FiredJob,
  firesOf,
  openRunsOf,
  putSchedule,
  recordFires,
  type ScheduleRow,
  scheduleRows,
  setPaused,
} from "../../store/schedules.ts";
import type { Store } from "../../store/store.ts";
import { given } from "../../util/given.ts";
import { heardBy } from "../conversations/channel.ts";
import { UsageError } from "../usage-error.ts";
import type { FleetProject } from "./projects.ts";

/** What became of due times, and the job where one was started. */
export interface Fired extends Fire {
  agent: string;
  schedule: string;
  job?: string;
}

/** Puts into the queue what has come due, and records the outcome of every due time. */
export async function fireDue({ config, store }: FleetProject, now: Date): Promise<Fired[]> {
  const fired: Fired[] = [];
  const wanted = config.agents.flatMap((agent) => agent.schedules.map((schedule) => ({ agent, schedule })));
  const rows = await scheduleRows(store);
  const isOn = ({ agent, name }: ScheduleRow) =>
    wanted.some(({ agent: of, schedule }) => of.name === agent && schedule.name === name && schedule.enabled);
  for (const row of rows) if (!isOn(row) && row.definition !== OFF) await turnOff(store, row);
  for (const { agent, schedule } of wanted) {
    if (!schedule.enabled) continue;
    const known = rows.find((row) => row.agent === agent.name && row.name === schedule.name);
    const row = await upToDate(store, agent.name, schedule, known, now);
    if (await isPauseOver(store, row, now)) row.pausedAt = null;
    if (row.nextDue === null || new Date(row.nextDue) > now) continue;
    fired.push(...(await fire(store, config, { agent, schedule, row, now: lookedAt(row, now) })));
  }
  return fired;
}

/** A pause ends by itself once every due time in it is accounted for. */
async function isPauseOver(store: Store, row: ScheduleRow, now: Date): Promise<boolean> {
  const { pausedUntil: until, nextDue: next } = row;
  if (until === null || now < new Date(until) || (next !== null && next < until)) return false;
  await setPaused(store, row, null);
  return true;
}

/** Where no fleet ran when a pause ended, what came due in it was skipped, and what came due later was not. */
function lookedAt({ pausedAt, pausedUntil: until }: ScheduleRow, now: Date): Date {
  if (pausedAt === null || until === null || now < new Date(until)) return now;
  return new Date(Date.parse(until) - 1);
}

const OFF = "off";

/** One that is off, or is no longer there, has no due times: when it is back, none of that time is made up for. */
async function turnOff(store: Store, { agent, name }: ScheduleRow): Promise<void> {
  await putSchedule(store, { agent, name, definition: OFF, nextDue: null });
}

/** One that is new, or says other times than before, is due anew. */
async function upToDate(
  store: Store,
  agent: string,
  schedule: ScheduleConfig,
  known: ScheduleRow | undefined,
  now: Date,
): Promise<ScheduleRow> {
  const definition = JSON.stringify(schedule.times);
  if (known?.definition === definition) return known;
  const next = await firstDue(store, agent, schedule, now);
  const row = { agent, name: schedule.name, definition, nextDue: next?.toISOString() ?? null };
  await putSchedule(store, row);
  return { ...row, pausedAt: known?.pausedAt ?? null, pausedUntil: known?.pausedUntil ?? null };
}

/** An interval fires at once when it is first seen, and counts from its last due time where that is known. */
async function firstDue(
  store: Store,
  agent: string,
  schedule: ScheduleConfig,
  now: Date,
): Promise<Date | undefined> {
  if (schedule.times.kind !== "interval") return nextDue(schedule, now);
  const [last] = await firesOf(store, 1, { agent, schedule: schedule.name });
  const next = last && nextDue(schedule, new Date(last.due));
  return next && next > now ? next : now;
}

interface Firing {
  agent: AgentConfig;
  schedule: ScheduleConfig;
  row: ScheduleRow;
  now: Date;
}

async function fire(store: Store, config: Config, { agent, schedule, row, now }: Firing): Promise<Fired[]> {
  const open = await openRunsOf(store, agent.name, schedule.name);
  const { fires, next } = decide(
    schedule,
    { next: new Date(row.nextDue ?? now), isPaused: row.pausedAt !== null, ...open },
    now,
  );
  const decided = fires.map((each) => ({
    fire: each,
    ...(each.outcome === "queued" && { job: firedJob(config, agent, schedule) }),
  }));
  const isRecorded = await recordFires(
    store,
    row,
    next?.toISOString() ?? null,
    decided.map(({ fire: { first, last, count, outcome, reason }, job }) => ({
      ...{ firstDue: first.toISOString(), due: last.toISOString(), count, outcome, reason },
      at: now.toISOString(),
      ...(job && { job }),
    })),
    now,
  );
  if (!isRecorded) return [];
  return decided.map(({ fire, job }) => ({
    ...fire,
    agent: agent.name,
    schedule: schedule.name,
    ...(job && { job: job.id }),
  }));
}

/** Puts into the queue what somebody called for, unless the schedule says otherwise, and records what became of the call. */
export async function fireCalled(
  { config, store }: Pick<FleetProject, "config" | "store">,
  { agent, schedule }: Pick<Firing, "agent" | "schedule">,
  { id, says, chosen, now }: { id: string; says: string; chosen: Chosen; now: Date },
): Promise<Pick<Fire, "outcome" | "reason">> {
  const known = (await scheduleRows(store)).find(
    (row) => row.agent === agent.name && row.name === schedule.name,
  );
  const row = await upToDate(store, agent.name, schedule, known, now);
  if (await isPauseOver(store, row, now)) row.pausedAt = null;
  const open = await openRunsOf(store, agent.name, schedule.name);
  const { fires } = decide(schedule, { next: now, isPaused: row.pausedAt !== null, ...open }, now);
  const [fire] = fires;
  if (!fire) throw new Error(`a call of ${agent.name}/${schedule.name} came to nothing`);
  const { outcome, reason } = fire;
  const at = now.toISOString();
  const job = firedJob(config, agent, schedule, { id, says, chosen });
  const recorded = { firstDue: at, due: at, at, count: 1, outcome, reason };
  const isRecorded = await recordFires(
    ...([store, row, null] as const),
    [{ ...recorded, ...(outcome === "queued" && { job }) }],
    now,
  );
  if (!isRecorded) throw new UsageError(`${schedule.name} of ${agent.name} has just changed. Call it again.`);
  return { outcome, reason };
}

/** `says`: what its caller said, framed. `chosen`: for this job alone. */
function firedJob(
  { path }: Config,
  agent: AgentConfig,
  schedule: ScheduleConfig,
  { id, says, chosen = {} }: { id: string; says?: string; chosen?: Chosen } = { id: newJobId() },
): FiredJob {
  return {
    id,
    created: {
      type: "job:created",
      agent: agent.name,
      prompt: [promptOf(agent, schedule), ...(says === undefined ? [] : [says])].join("\n\n"),
      ...(path !== undefined && { configPath: path }),
      schedule: schedule.name,
      ...(Object.keys(chosen).length > 0 && { chosen }),
      agentConfig: recordable(agent),
    },
    wanted: { priority: 0, ...given({ serial: serialOf(agent.name, schedule) }) },
    ...given({ tells: heardBy(agent, schedule, id, new Date()) }),
  };
}

function promptOf({ name, defaultPrompt }: AgentConfig, schedule: ScheduleConfig): string {
  const prompt = schedule.prompt ?? defaultPrompt;
  if (prompt === undefined) throw new Error(`schedules.${schedule.name} of ${name} has no prompt`);
  return prompt;
}

/** One that takes items has nothing to do without one. */
export function refuseWithoutItem({ name, workSource }: ScheduleConfig): void {
  if (!workSource) return;
  throw new UsageError(
    `${name} runs once for each item of its work_source, when it is due. Have one worked on now: baton work claim`,
  );
}

/** The schedule of this name of an agent. */
export function scheduleNamed(agent: AgentConfig, name: string): ScheduleConfig {
  const found = agent.schedules.find((schedule) => schedule.name === name);
  if (found) return found;
  const known = agent.schedules.map((schedule) => schedule.name);
  const list = known.length === 0 ? "It has none." : `Its schedules: ${known.join(", ")}.`;
  throw new UsageError(`${agent.name} has no schedule named "${name}". ${list}`);
}
