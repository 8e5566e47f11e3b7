import type { ScheduleConfig } from "../config/config.ts";
import { admission, keyOf, type Limits, type Situation, type Waiting, type WaitReason } from "./admission.ts";
import { decide, type Fire, serialOf } from "./schedules/fires.ts";

/** A job that is to run, or runs. */
export interface ForecastRun {
  project: string;
  agent: string;
  /** Missing where it is not on record yet. */
  job?: string;
  schedule?: string;
  /** When its schedule, or its place in the queue, let it come. */
  due: Date;
  /** Missing where it would still wait when the forecast ends. */
  starts?: Date;
  /** Missing where nobody knows how long such jobs take. */
  ends?: Date;
  /** What it waits for at first. */
  waits?: WaitReason;
}

/** Due times for which no job would run. */
interface ForecastLapse extends Fire {
  project: string;
  agent: string;
  schedule: string;
}

/** A due time at which work is looked for. What there will be then, nobody knows. */
interface ForecastLook {
  project: string;
  agent: string;
  schedule: string;
  due: Date;
}

export interface Forecast {
  /** In the order in which they come. */
  runs: ForecastRun[];
  looks: ForecastLook[];
  lapses: ForecastLapse[];
  /** The most slots that are taken at once, of these projects together, and since when. */
  most: { slots: number; at: Date };
}

export interface Outlook {
  now: Date;
  until: Date;
  /** Those that are on. `items`: how many its tracker has for it now; it runs once for each. */
  schedules: readonly {
    project: string;
    agent: string;
    schedule: ScheduleConfig;
    next: Date;
    items?: number;
  }[];
  /** `left`: how long it still takes, as far as that can be known. */
  running: readonly {
    project: string;
    job: string;
    agent: string;
    since: Date;
    left?: number;
    schedule?: string;
    serial?: string;
  }[];
  waiting: readonly (Waiting & { schedule?: string })[];
  /** Slots of projects that are not looked at, which nobody here knows the end of. */
  others: Situation["taken"];
  limits: Limits;
  lastServed: Situation["lastServed"];
  /** Why it may not start, from then on until the next of these: the first holds now. */
  bars: readonly { from: Date; barred: NonNullable<Situation["barred"]> }[];
  /** How long such jobs took before. */
  usualMs(run: Pick<ForecastRun, "project" | "agent" | "schedule">): number | undefined;
}

/** What the fleet would do until then, by its own decisions, if jobs took as long as they did before. */
export function forecast(outlook: Outlook): Forecast {
  const days = new Days(outlook);
  for (let at = outlook.now; at <= outlook.until; ) {
    days.passTo(at);
    const next = days.nextMoment();
    if (next === undefined) break;
    if (next > at) at = next;
  }
  return days.forecast();
}

interface Slot {
  run: ForecastRun;
  serial: string | undefined;
  /** What nobody knows the length of would hold its slot for good, or for no time: the latter says less that is false. */
  freeAt: Date;
}

/** The time that passes. */
class Days {
  readonly #outlook: Outlook;
  readonly #runs: ForecastRun[] = [];
  readonly #looks: ForecastLook[] = [];
  readonly #lapses: ForecastLapse[] = [];
  /** Of each schedule: what is left for it. */
  readonly #items: number[];
  readonly #next: (Date | undefined)[];
  /** By project and job. */
  readonly #completed = new Set<string>();
  #slots: Slot[];
  #waiting: { waiting: Waiting; run: ForecastRun }[];
  #most: Forecast["most"];
  readonly #bars: Outlook["bars"][number][];
  #barred: Situation["barred"];
  #place: number;

  constructor(outlook: Outlook) {
    const { now, schedules, running, waiting } = outlook;
    this.#outlook = outlook;
    this.#bars = [...outlook.bars];
    this.#next = schedules.map(({ next }) => next);
    this.#items = schedules.map(({ items = 0 }) => items);
    this.#slots = running.map(({ project, job, agent, since, left, schedule, serial }) => {
      const ends = left === undefined ? undefined : new Date(now.getTime() + left);
      const run = {
        project,
        agent,
        job,
        due: since,
        starts: since,
        ...(ends && { ends }),
        ...named(schedule),
      };
      return { run, serial, freeAt: ends ?? now };
    });
    this.#waiting = waiting.map(({ schedule, ...one }) => ({
      waiting: one,
      run: { project: one.project, agent: one.agent, job: one.job, due: now, ...named(schedule) },
    }));
    this.#runs.push(...this.#slots.map(({ run }) => run), ...this.#waiting.map(({ run }) => run));
    this.#most = { slots: this.#slots.length, at: now };
    this.#place = Math.max(0, ...waiting.map(({ place }) => place));
  }

  passTo(at: Date): void {
    for (const { run, freeAt } of this.#slots) {
      if (freeAt <= at && run.job !== undefined)
        this.#completed.add(keyOf({ project: run.project, job: run.job }));
    }
    this.#slots = this.#slots.filter(({ freeAt }) => freeAt > at);
    this.#fire(at);
    this.#start(at);
    if (this.#slots.length > this.#most.slots) this.#most = { slots: this.#slots.length, at };
  }

  /** When something changes next: a job ends, a schedule is due, or what kept jobs from starting may be over. */
  nextMoment(): Date | undefined {
    const moments = [this.#bars[0]?.from, ...this.#next, ...this.#slots.map(({ freeAt }) => freeAt)].filter(
      (at) => at !== undefined,
    );
    return moments.reduce<Date | undefined>((first, at) => (first && first <= at ? first : at), undefined);
  }

  forecast(): Forecast {
    return {
      runs: this.#runs.toSorted((a, b) => a.due.getTime() - b.due.getTime()),
      looks: this.#looks,
      lapses: this.#lapses,
      most: this.#most,
    };
  }

  #fire(at: Date): void {
    this.#outlook.schedules.forEach(({ project, agent, schedule }, index) => {
      const next = this.#next[index];
      if (!next || next > at) return;
      const isOfIt = (run: ForecastRun) =>
        run.project === project && run.agent === agent && run.schedule === schedule.name;
      const state = {
        ...{ next, isPaused: false },
        waiting: this.#waiting.filter(({ run }) => isOfIt(run)).length,
        running: this.#slots.filter(({ run }) => isOfIt(run)).length,
      };
      const decided = decide(schedule, state, at);
      this.#next[index] = decided.next;
      for (const fire of decided.fires) {
        if (fire.outcome === "queued") this.#queue(project, agent, schedule, fire.last);
        else if (fire.outcome === "looking") this.#look(index, fire.last);
        else this.#lapses.push({ ...fire, project, agent, schedule: schedule.name });
      }
    });
  }

  #look(index: number, due: Date): void {
    const found = this.#outlook.schedules[index];
    if (!found) return;
    const { project, agent, schedule } = found;
    this.#looks.push({ project, agent, schedule: schedule.name, due });
    const items = this.#items[index] ?? 0;
    this.#items[index] = 0;
    for (let item = 0; item < items; item++) this.#queue(project, agent, schedule, due);
  }

  #queue(project: string, agent: string, schedule: ScheduleConfig, due: Date): void {
    const run: ForecastRun = { project, agent, schedule: schedule.name, due };
    // Each of its jobs has an item of its own.
    const serial = schedule.workSource ? undefined : serialOf(agent, schedule);
    const place = ++this.#place;
    const one = {
      project,
      job: `forecast-${place}`,
      agent,
      priority: 0,
      place,
      queuedAt: due.toISOString(),
    };
    this.#runs.push(run);
    this.#waiting.push({ waiting: { ...one, after: [], ...(serial !== undefined && { serial }) }, run });
  }

  #start(at: Date): void {
    const { others, limits, lastServed, usualMs } = this.#outlook;
    while (this.#bars[0] && this.#bars[0].from <= at) this.#barred = this.#bars.shift()?.barred;
    const barred = this.#barred;
    const waiting = this.#waiting.map(({ waiting }) => ({
      ...waiting,
      after: waiting.after.map(({ job, status }) => ({
        job,
        status: this.#completed.has(keyOf({ project: waiting.project, job }))
          ? ("completed" as const)
          : status,
      })),
    }));
    const taken = this.#slots.map(({ run: { project, agent }, serial }) => ({
      ...{ project, agent },
      ...(serial !== undefined && { serial }),
    }));
    const { start, waits } = admission({
      ...{ waiting, taken: [...others, ...taken], limits, lastServed, ...(barred && { barred }) },
    });
    const starts = new Set(start.map(keyOf));
    for (const { waiting, run } of this.#waiting) {
      if (starts.has(keyOf(waiting))) {
        const took = usualMs(run);
        run.starts = at;
        if (took !== undefined) run.ends = new Date(at.getTime() + took);
        this.#slots.push({ run, serial: waiting.serial, freeAt: run.ends ?? at });
        continue;
      }
      const reason = waits.get(keyOf(waiting))?.reason;
      if (reason) run.waits ??= reason;
    }
    this.#waiting = this.#waiting.filter(({ waiting }) => !starts.has(keyOf(waiting)));
  }
}

const named = (schedule: string | undefined) => (schedule === undefined ? {} : { schedule });
