import type { WorkSourceConfig } from "../../config/work-source.ts";
import type { Job } from "../../job/job.ts";
import { chosen } from "../../sources/choose.ts";
import type { Item, Source } from "../../sources/source.ts";
import { jobsWith } from "../../store/jobs.ts";
import { pollsAsked } from "../../store/work/sources.ts";
import { isTaken, isTakenHere, listItems, type WorkItemRow } from "../../store/work-items.ts";
import { messageOf } from "../../util/errors.ts";
import { oneLine } from "../../util/printable.ts";
import { MINUTE_MS } from "../../util/time.ts";
import type { Tell } from "../fleet/news.ts";
import type { FleetProject } from "../fleet/projects.ts";
import { type HeldItem, heldBy } from "./held.ts";
import { ClaimKeeper } from "./keeper.ts";
import { Lanes } from "./lanes.ts";
import { type Line, Lines } from "./lines.ts";
import { Looks } from "./looks.ts";
import { recordSources } from "./record.ts";
import { type Candidate, Takings, takeItem } from "./take.ts";
import { type HeldRow, tendItems } from "./tend.ts";

export interface WorkOptions {
  env: Record<string, string>;
  tell: Tell;
  /** Whoever waits for work looks again. */
  changed: () => void;
  open?: (config: WorkSourceConfig, env: Record<string, string>) => Source;
}

/** More than any fleet has slots for. */
const MOST_CANDIDATES = 50;
const TEND_MS = 1_000;
const RECOVER_MS = MINUTE_MS;
const LAST_WORDS_MS = 10_000;
const NEVER = Number.NEGATIVE_INFINITY;
/** After all jobs that wait already. */
const LAST_PLACE = Number.MAX_SAFE_INTEGER - 1_000;

/** Takes work from the trackers of one project, keeps its claims, and shows there what became of it. */
export class ProjectWork implements AsyncDisposable {
  readonly #where: FleetProject;
  readonly #options: WorkOptions;
  readonly #lines: Lines;
  readonly #looks: Looks;
  readonly #claims: ClaimKeeper;
  readonly #ending = new AbortController();
  /** By source and id. */
  readonly #takings = new Takings();
  /** By source and id, as the last look found them. */
  #rows = new Map<string, WorkItemRow>();
  #tending: Promise<void> | undefined;
  #tendedAt = NEVER;
  /** What is begun of each tracker. */
  readonly #lanes = new Lanes();
  /** When its claims were last looked through, by source. */
  readonly #recoveredAt = new Map<string, number>();
  /** The last problem with each thing that was told. */
  readonly #told = new Map<string, string>();

  constructor(where: FleetProject, options: WorkOptions) {
    this.#where = where;
    this.#options = options;
    const { store } = where;
    const { env, open } = options;
    const { signal } = this.#ending;
    this.#lines = new Lines({ store, env, signal, now: () => new Date(), ...(open && { open }) });
    this.#looks = new Looks(store);
    this.#claims = new ClaimKeeper(store, this.#lines, signal);
  }

  /** Begins what is due, and waits for nothing. What was in the queue before is known to whoever takes after it. */
  look(now: Date): void {
    this.#takings.nextRound();
    const before = this.#lines.all;
    try {
      this.#lines.turnTo(this.#where.config);
      this.#solved("configuration");
    } catch (error) {
      this.#problem("configuration", error);
    }
    if (this.#lines.all !== before) this.#tendedAt = NEVER;
    for (const feed of this.#lines.feeds) if (feed.isDue(now)) void this.#poll(feed);
    if (this.#isIdle || this.#tending || performance.now() - this.#tendedAt < TEND_MS) return;
    this.#tendedAt = performance.now();
    this.#tending = this.#tend(now).finally(() => {
      this.#tending = undefined;
    });
  }

  /** In the order in which they should get slots. Those that are being taken come first: they will need theirs. */
  candidates(now: Date): Candidate[] {
    const begun = this.#takings.all;
    const found = new Map<string, Candidate>();
    for (const line of this.#lines.all) {
      if (!this.#looks.isOpen(line) || line.feed.state.problem) continue;
      for (const item of this.#choose(line, now).take.slice(0, MOST_CANDIDATES)) {
        const key = keyOf(line, item);
        if (!found.has(key) && !begun.has(key)) found.set(key, this.#candidate(line, item, now));
      }
    }
    return [...begun.values(), ...found.values()].map((candidate, index) => ({
      ...candidate,
      place: LAST_PLACE + index,
    }));
  }

  /** There is a slot for it. */
  take(candidate: Candidate): void {
    const { line, item } = candidate;
    const key = keyOf(line, item);
    if (this.#takings.all.has(key) || this.#ending.signal.aborted) return;
    const taken = this.#take(line, item).finally(() => this.#hurry());
    this.#takings.begin(key, candidate, taken);
  }

  /** The item of a job that begins or continues, if it has one. Throws an ItemLost where it is somebody else's. */
  async itemOf(job: Job): Promise<HeldItem | undefined> {
    const source = job.workItem?.source;
    if (source === undefined) return undefined;
    const claim = await this.#claims.of(job, source);
    return heldBy(claim, this.#claims.lineOf(job, source).feed.source);
  }

  /** What it holds is kept for whoever comes next, as long as its lease lasts. */
  async [Symbol.asyncDispose](): Promise<void> {
    // What became of the last jobs is shown before it ends, unless that takes too long.
    const patience = setTimeout(() => this.#ending.abort(), LAST_WORDS_MS);
    await this.#tending;
    await this.#lanes.ended();
    if (!this.#isIdle) {
      await this.#tend(new Date());
      await this.#lanes.ended();
    }
    clearTimeout(patience);
    this.#ending.abort();
    await this.#takings.ended();
    await this.#lines[Symbol.asyncDispose]();
  }

  /** A project that takes no work costs nothing, once it has forgotten what it took before. */
  get #isIdle(): boolean {
    return this.#lines.all.length === 0 && this.#tendedAt !== NEVER && !this.#tending;
  }

  #candidate(line: Line, item: Item, now: Date): Candidate {
    const agent = line.agent.name;
    const job = `${agent}/${keyOf(line, item)}`;
    const wants = { project: this.#where.project.root, job, agent, priority: 0, place: LAST_PLACE };
    return { ...wants, queuedAt: now.toISOString(), after: [], line, item };
  }

  async #poll(feed: Line["feed"]): Promise<void> {
    const before = feed.state.problem?.why;
    await feed.poll(this.#ending.signal, () => new Date());
    if (this.#ending.signal.aborted) return;
    const { problem } = feed.state;
    if (problem && problem.why !== before) this.#say(`${feed.source.name}: ${problem.why}`, true);
    if (!problem && before !== undefined) {
      this.#say(`${feed.source.name} answers again`);
      this.#lanes.wake(feed.source.name);
    }
    this.#hurry();
  }

  #choose(line: Line, now: Date) {
    const { feed, config } = line;
    return chosen(feed.items ?? [], config, (item) =>
      feed.known(item, this.#rows.get(keyOf(line, item)), now),
    );
  }

  /** Never rejects. Resolves with whether there is a job for it now. */
  async #take(line: Line, item: Item): Promise<boolean> {
    const { feed, agent } = line;
    const { store, config } = this.#where;
    const now = new Date();
    const about = `taking from ${feed.source.name}`;
    try {
      const taking = { store, lines: this.#lines, configPath: config.path, signal: this.#ending.signal, now };
      const taken = await takeItem(line, item, taking);
      if ("why" in taken) feed.refuse(item, taken.why, now, taken.forMs);
      else {
        feed.taken(item);
        await this.#claims.keep(taken.job, Promise.resolve(taken.claim));
        const left = taken.isLeft ? ", which somebody had left without an end" : "";
        this.#say(`${agent.name} takes ${oneLine(`${item.id}: ${item.title}`)}${left}`);
      }
      await this.#readRows();
      this.#solved(about);
      return "job" in taken;
    } catch (error) {
      if (!this.#ending.signal.aborted) feed.troubled(item, error, now);
      this.#problem(about, error);
      return false;
    }
  }

  async #readRows(): Promise<WorkItemRow[]> {
    const rows = await listItems(this.#where.store);
    this.#rows = new Map(rows.map((row) => [`${row.source}\0${row.item}`, row]));
    return rows;
  }

  /** Looks what there is to do, and begins it. What cannot be done now is tried again. */
  async #tend(now: Date): Promise<void> {
    const { store } = this.#where;
    const lines = this.#lines.all;
    try {
      await this.#looks.read(lines);
      const asked = await pollsAsked(store);
      for (const feed of this.#lines.feeds) if (asked.includes(feed.source.name)) feed.hurry(now);
      await this.#beginLanes(lines, now);
      const left = (line: Line) => {
        const { take, wait } = this.#choose(line, now);
        const again = wait.filter(({ why }) => why.code === "trouble");
        return take.length + again.length + this.#takings.all.size;
      };
      await this.#looks.end(lines, left, now);
      const jobOf = (line: Line, item: Item) => this.#rows.get(keyOf(line, item))?.job;
      await recordSources(store, lines, (line) => this.#choose(line, now), jobOf);
      this.#solved("tend");
    } catch (error) {
      this.#problem("tend", error);
    }
  }

  /** What jobs here have of each tracker is brought up to date, and what others left there is looked for. */
  async #beginLanes(lines: readonly Line[], now: Date): Promise<void> {
    const rows = (await this.#readRows()).filter(isTaken);
    const ids = rows.flatMap(({ job }) => job ?? []);
    const jobs = new Map((await jobsWith(this.#where.store, ids)).map((job) => [job.id, job]));
    const held = rows.flatMap((row): HeldRow[] => {
      const job = row.job === null ? undefined : jobs.get(row.job);
      return job ? [{ row, job }] : [];
    });
    const heldOf = Map.groupBy(held, ({ row }) => row.source);
    const linesOf = Map.groupBy(lines, ({ feed }) => feed.source.name);
    for (const source of new Set([...linesOf.keys(), ...heldOf.keys()])) {
      const ofSource = linesOf.get(source) ?? [];
      const firstRestMs = Math.min(MINUTE_MS, ...ofSource.map(({ config }) => config.pollMs));
      this.#lanes.begin(source, firstRestMs, async () => {
        await this.#recover(source, ofSource);
        await this.#tendItems(heldOf.get(source) ?? [], now);
        await this.#lookForLeft(ofSource, now);
      });
    }
  }

  async #recover(source: string, lines: readonly Line[]): Promise<void> {
    if (performance.now() - (this.#recoveredAt.get(source) ?? NEVER) < RECOVER_MS) return;
    this.#recoveredAt.set(source, performance.now());
    const seen = new Set<unknown>();
    for (const line of lines) {
      const about = `claims of ${line.agent.name}`;
      try {
        await this.#claims.recover(line, seen);
        this.#solved(about);
      } catch (error) {
        this.#problem(about, error);
      }
    }
  }

  /** What another fleet had, and left when it died, looks as if it still had it. */
  async #lookForLeft(lines: readonly Line[], now: Date): Promise<void> {
    for (const line of lines) {
      const about = `items of ${line.feed.source.name} that look taken`;
      try {
        const isOurs = (item: Item) => isTakenHere(this.#rows.get(keyOf(line, item)));
        await this.#lines.lookForLeft(line, isOurs, now);
        this.#solved(about);
      } catch (error) {
        this.#problem(about, error);
      }
    }
  }

  #tendItems(held: readonly HeldRow[], now: Date): Promise<void> {
    const [lines, claims] = [this.#lines, this.#claims];
    const { store } = this.#where;
    return tendItems(held, now, {
      ...{ lines, claims, store, signal: this.#ending.signal },
      say: (text, isTrouble) => this.#say(text, isTrouble),
      problem: (about, error) => this.#problem(about, error),
      solved: (about) => this.#solved(about),
      ended: () => this.#hurry(),
    });
  }

  /** What has just been read, or done, is to be acted on. */
  #hurry(): void {
    this.#tendedAt = NEVER;
    this.#options.changed();
  }

  #say(text: string, isTrouble = false): void {
    const { root } = this.#where.project;
    this.#options.tell({ project: root, what: "work", text, ...(isTrouble && { trouble: true }) });
  }

  /** Said once, until it is solved. */
  #problem(about: string, error: unknown): void {
    if (this.#ending.signal.aborted) return;
    const why = messageOf(error);
    if (this.#told.get(about) === why) return;
    this.#told.set(about, why);
    this.#say(`${about}: ${why}`, true);
  }

  #solved(about: string): void {
    this.#told.delete(about);
  }
}

const keyOf = ({ feed }: Pick<Line, "feed">, { id }: Pick<Item, "id">) => `${feed.source.name}\0${id}`;
