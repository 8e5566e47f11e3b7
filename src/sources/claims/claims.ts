import { randomUUID } from "node:crypto";
import { type ProcessIdentity, thisProcess } from "../../processes/owner.ts";
import { statusesOf } from "../../store/queue.ts";
import type { Store } from "../../store/store.ts";
import type { ClaimEnd, ItemState } from "../../store/tables.ts";
import {
  adoptClaim,
  findItem,
  isLeft,
  isTaken,
  listItems,
  takeItem,
  updateClaim,
  type WorkItemRow,
} from "../../store/work-items.ts";
import { messageOf } from "../../util/errors.ts";
import { MINUTE_MS } from "../../util/time.ts";
import type { Claim, ClaimAnswer, ClaimWanted } from "./claim.ts";
import { type Clocks, type Moment, ownClocks, ServerClock } from "./clocks.ts";
import type { Decision } from "./decide.ts";
import { ClaimKeptError } from "./errors.ts";
import { HeldClaim, renewed } from "./held-claim.ts";
import { Ownership } from "./ownership.ts";
import type { ClaimRecord } from "./record.ts";
import type { Register, Standing } from "./register.ts";

const LEASE_MS = 10 * MINUTE_MS;

export interface ClaimsOptions {
  store: Store;
  register: Register;
  source: string;
  /** By the last answer of the tracker's server. */
  serverTime: () => Date | undefined;
  leaseMs?: number;
  clocks?: Clocks;
  owner?: ProcessIdentity;
}

/** Who has an item, as the register says it, for whoever only looks. */
export type Look = Decision & { record?: ClaimRecord };

/** A job of this store that has an item and nobody to keep its claim alive. */
export interface Orphan {
  item: string;
  job: string;
}

/** What this process keeps alive, and what it is about to claim, by whichever `Claims` of it. */
const inHand = new Set<string>();

/** What this process has claimed of one source. Whoever opened it closes it: then the claims run out, or others continue with them. */
export class Claims implements AsyncDisposable {
  readonly #options: ClaimsOptions;
  readonly #leaseMs: number;
  readonly #clocks: Clocks;
  readonly #server: ServerClock;
  readonly #held = new Map<string, HeldClaim>();
  /** One after another, of each item: what this process has, and has not yet, is the same for all of them. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #ownership: Ownership;

  constructor(options: ClaimsOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#clocks = options.clocks ?? ownClocks;
    this.#server = new ServerClock(options.serverTime, this.#clocks);
    const { source, store } = options;
    const [leaseMs, clocks, server] = [this.#leaseMs, this.#clocks, this.#server];
    this.#ownership = new Ownership({ source, storePath: store.path, leaseMs, clocks, server });
  }

  /** First the row of this store, which keeps its other jobs away, then the register, for all others. */
  claim(wanted: ClaimWanted, signal?: AbortSignal): Promise<ClaimAnswer> {
    return this.#inTurn(wanted.item, () => this.#claim(wanted, signal));
  }

  async #claim(wanted: ClaimWanted, signal?: AbortSignal): Promise<ClaimAnswer> {
    const claim = randomUUID();
    inHand.add(claim);
    try {
      return await this.#enter(claim, wanted, signal);
    } finally {
      if (!this.#held.has(claim)) inHand.delete(claim);
    }
  }

  async #enter(claim: string, { item, job, agent }: ClaimWanted, signal?: AbortSignal): Promise<ClaimAnswer> {
    const { store, source, register } = this.#options;
    const wanted = { claim, job, agent, owner: this.#owner(), leaseUntil: this.#until() };
    const row = await takeItem(store, { source, item }, wanted, this.#now());
    if ("held" in row) {
      const { held } = row;
      const until = held.leaseUntil === null ? undefined : new Date(held.leaseUntil);
      return { kind: "held", by: `${held.job}`, ...(until && { until }) };
    }
    const key = { source, item, claim };
    let isSent = false;
    try {
      const standing = await register.read(item, signal);
      const found = this.#ownership.decide(item, standing, row.taken.holder);
      if (found.kind !== "free") {
        await this.#giveBack(key, found.kind === "done" ? "done" : "free", standing?.record);
        return found.kind === "done" ? { kind: "done" } : found;
      }
      const epoch = Math.max(found.epoch, row.taken.epoch) + 1;
      const attempts = found.attempts + (await this.#lostAttempts(found));
      await updateClaim(store, key, { epoch, attempts });
      const since = this.#clocks();
      const record = this.#ownership.record({ item, job, agent, epoch, attempts, holder: row.taken.holder });
      isSent = true;
      const taken = await register.take(record, standing, signal);
      if (!taken) {
        const winner = await register.read(item, signal);
        await this.#giveBack(key, "free", winner?.record);
        return { kind: "held", by: `${winner?.record?.job ?? "somebody"} of another fleet` };
      }
      await updateClaim(store, key, { state: "claimed" });
      const left = attempts > found.attempts;
      return { kind: "claimed", claim: this.#hold(key, taken, record, since), attempts, left };
    } catch (error) {
      // Where it may stand there, that is cleared before anybody here claims it again.
      const left = isSent ? ({ state: "ending", ending: "released" } as const) : ({ state: "free" } as const);
      await updateClaim(store, key, { ...left, owner: null });
      return { kind: "unreachable", why: messageOf(error) };
    }
  }

  /**
   * The claim of a job that continues, in whichever process of this store. Undefined where it is not the job's any more: then
   * nothing may be written for its item. Throws where another process keeps it alive.
   */
  async resume(job: string, signal?: AbortSignal): Promise<Claim | undefined> {
    const { store, source } = this.#options;
    const row = (await listItems(store, { source, job })).find(isTaken);
    return row && this.#inTurn(row.item, () => this.#resume(row.item, job, signal));
  }

  async #resume(item: string, job: string, signal?: AbortSignal): Promise<Claim | undefined> {
    const { store, source, register } = this.#options;
    const row = await findItem(store, { source, item });
    if (!row?.claim || row.job !== job || !isTaken(row) || row.state === "ending") return undefined;
    const here = this.#held.get(row.claim);
    if (here) return here;
    if (!(await this.#adopt(row))) throw new ClaimKeptError(item, source, row.owner);
    const key = { source, item: row.item, claim: row.claim };
    let standing = await register.read(item, signal);
    while (standing?.record && this.#ownership.isOf(row, standing)) {
      const since = this.#clocks();
      const record = renewed(standing.record, this.#server, since.wall);
      const taken = await register.change(record, standing, signal);
      if (taken) {
        await updateClaim(store, key, { state: "claimed" });
        return this.#hold(key, taken, record, since);
      }
      // What the killed process had sent may have arrived only now.
      standing = await register.read(item, signal);
    }
    await this.#giveBack(key, "free", standing?.record);
    return undefined;
  }

  /**
   * Brings to an end what killed processes of this store began: what was to end is ended, and a claim without a job is
   * released. The jobs that have an item and nobody to keep their claim alive are for the caller to continue, or to end.
   */
  async recover(signal?: AbortSignal): Promise<Orphan[]> {
    const { store, source } = this.#options;
    const rows = (await listItems(store, { source })).filter(isTaken);
    const left = rows.filter((row) => this.#isLeft(row));
    const known = await statusesOf(
      store,
      left.flatMap(({ job }) => job ?? []),
    );
    const orphans: Orphan[] = [];
    for (const row of left) {
      const { item, job, state, ending } = row;
      if (state !== "ending" && job !== null && known.has(job)) orphans.push({ item, job });
      else await this.#inTurn(item, () => this.#settle(row, ending ?? "released", signal));
    }
    return orphans;
  }

  /** Who has which of these, for whoever shows them or looks for what was left behind. Free: nobody, or nobody any more. */
  async look(items: readonly string[], signal?: AbortSignal): Promise<Map<string, Look>> {
    const { store, source, register } = this.#options;
    if (items.length === 0) return new Map();
    const rows = new Map((await listItems(store, { source })).map((row) => [row.item, row]));
    const standing = await register.readAll(items, signal);
    return new Map(
      items.map((item): [string, Look] => {
        const row = rows.get(item);
        const there = standing.get(item);
        const { record } = there ?? {};
        const isHere =
          row !== undefined && isTaken(row) && record !== undefined && this.#ownership.isOf(row, there);
        const decision: Decision = isHere
          ? { kind: "held", by: record.job, ...(record.until && { until: new Date(record.until) }) }
          : this.#ownership.decide(item, there, row?.holder ?? "");
        return [item, { ...decision, ...(record && { record }) }];
      }),
    );
  }

  /**
   * For a person: whoever has it loses it, what was done counts as never tried, and anybody may claim it. False: somebody
   * changes it at the same time.
   */
  release(item: string, signal?: AbortSignal): Promise<boolean> {
    return this.#inTurn(item, () => this.#release(item, signal));
  }

  async #release(item: string, signal?: AbortSignal): Promise<boolean> {
    const { store, source, register } = this.#options;
    const standing = await register.read(item, signal);
    const row = await findItem(store, { source, item });
    if (standing) {
      const epoch = Math.max(row?.epoch ?? 0, standing.record?.epoch ?? 0) + 1;
      const { job = "nobody", agent = "nobody" } = standing.record ?? {};
      const by = { item, job, agent, epoch, attempts: 0, holder: row?.holder ?? randomUUID() };
      const record: ClaimRecord = { ...this.#ownership.record(by), state: "released" };
      if (!(await register.take(record, standing, signal))) return false;
    }
    // What this process holds, it will find out itself.
    if (row?.claim && (!isTaken(row) || (await this.#adopt(row)))) {
      await updateClaim(
        store,
        { source, item, claim: row.claim },
        { state: "free", attempts: 0, owner: null },
      );
    }
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const claim of [...this.#held.values()]) claim.close();
  }

  /** Ends what a killed process left, if it stands there at all. What cannot be asked now stays to be asked again. */
  async #settle(row: WorkItemRow, how: ClaimEnd, signal?: AbortSignal): Promise<void> {
    const { store, register } = this.#options;
    const { source, item, claim } = row;
    if (claim === null || !(await this.#adopt(row))) return;
    const key = { source, item, claim };
    await updateClaim(store, key, { state: "ending", ending: how });
    const standing = await register.read(item, signal);
    if (!standing?.record || !this.#ownership.isOf(row, standing)) {
      const isOurs = standing?.record?.holder === this.#ownership.holder(row.holder);
      const isEnded = isOurs && standing?.record?.state === how;
      return this.#giveBack(key, isEnded ? how : "free", standing?.record);
    }
    const { attempts } = row;
    const ended = { ...renewed(standing.record, this.#server, this.#clocks().wall), state: how, attempts };
    if (await register.change(ended, standing, signal)) await this.#giveBack(key, how, ended);
    else await updateClaim(store, key, { owner: null });
  }

  #isLeft(row: WorkItemRow): boolean {
    return isLeft(row, inHand.has(row.claim ?? "") ? undefined : this.#owner(), this.#now());
  }

  /** False where somebody else keeps it alive, or this process does already. */
  async #adopt(row: WorkItemRow): Promise<boolean> {
    if (!this.#isLeft(row)) return false;
    return adoptClaim(this.#options.store, row, this.#owner(), this.#until(), this.#now());
  }

  #inTurn<T>(item: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(item) ?? Promise.resolve()).then(work, work);
    const quiet = turn.then(
      () => {},
      () => {},
    );
    this.#turns.set(item, quiet);
    void quiet.then(() => this.#turns.get(item) === quiet && this.#turns.delete(item));
    return turn;
  }

  #hold(
    key: { source: string; item: string; claim: string },
    standing: Standing,
    record: ClaimRecord,
    since: Moment,
  ): HeldClaim {
    const { store, register } = this.#options;
    const held = new HeldClaim({
      ...{ register, standing, record, since, clocks: this.#clocks, server: this.#server },
      note: (known) => updateClaim(store, key, { ...known, ...(isOver(known.state) && { owner: null }) }),
      renewed: () => updateClaim(store, key, { leaseUntil: this.#until() }),
      over: () => {
        this.#held.delete(key.claim);
        inHand.delete(key.claim);
      },
    });
    this.#held.set(key.claim, held);
    inHand.add(key.claim);
    return held;
  }

  /** What was left by somebody who worked on it counts as tried: it may be what ended them. */
  async #lostAttempts({ abandoned }: Extract<Decision, { kind: "free" }>): Promise<number> {
    if (!abandoned) return 0;
    const row = await findItem(this.#options.store, abandoned);
    const isOfThisStore = row !== undefined && abandoned.holder === this.#ownership.holder(row.holder);
    if (!isOfThisStore) return 1;
    return (await statusesOf(this.#options.store, [abandoned.job])).has(abandoned.job) ? 1 : 0;
  }

  async #giveBack(
    key: { source: string; item: string; claim: string },
    state: ItemState,
    record: ClaimRecord | undefined,
  ): Promise<void> {
    const known = record && { epoch: record.epoch, attempts: record.attempts };
    await updateClaim(this.#options.store, key, { state, owner: null, ...known });
  }

  #owner(): ProcessIdentity {
    return this.#options.owner ?? thisProcess();
  }

  #now(): Date {
    return new Date(this.#clocks().wall);
  }

  /** By the clock of this machine, for other processes of this store. */
  #until(): Date {
    return new Date(this.#clocks().wall + this.#leaseMs);
  }
}

function isOver(state: ItemState | undefined): boolean {
  return state !== undefined && state !== "ending" && state !== "claimed";
}
