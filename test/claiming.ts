import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { thisProcess } from "../src/processes/owner.ts";
import { Claims, type ClaimsOptions } from "../src/sources/claims/claims.ts";
import type { Moment } from "../src/sources/claims/clocks.ts";
import { GitRegister } from "../src/sources/claims/git-register.ts";
import { claimRef } from "../src/sources/claims/ref-name.ts";
import { createJob } from "../src/store/jobs.ts";
import { openStore, type Store } from "../src/store/store.ts";
import { addOrigin, beginRepository, git } from "./repository.ts";

export const SOURCE = "github:acme/app";
export const LEASE_MS = 600_000;

/** Clocks that move when they are told to. */
class PlayedClocks {
  now: Moment = { steady: 1_000_000, wall: Date.parse("2026-05-01T10:00:00Z") };
  readonly read = (): Moment => this.now;

  pass(ms: number): void {
    this.now = { steady: this.now.steady + ms, wall: this.now.wall + ms };
  }

  /** Somebody sets the one, or the machine sleeps and the other stands still. */
  jump(ms: number): void {
    this.now = { ...this.now, wall: this.now.wall + ms };
  }
}

/** A store, a checkout and a machine's clocks. */
export class TestFleet implements AsyncDisposable {
  readonly store: Store;
  readonly folder: string;
  readonly clocks = new PlayedClocks();
  /** What the tracker's server said last. */
  serverTime: Date | undefined;
  readonly #opened: Claims[] = [];

  constructor(store: Store, folder: string) {
    this.store = store;
    this.folder = folder;
  }

  get register(): GitRegister {
    return new GitRegister({ root: this.folder, remote: "origin", source: SOURCE });
  }

  /** What a process of this fleet claims with. */
  claims(options: Partial<ClaimsOptions> = {}): Claims {
    const claims = new Claims({
      ...{ store: this.store, source: SOURCE, clocks: this.clocks.read, leaseMs: LEASE_MS },
      register: this.register,
      serverTime: () => this.serverTime,
      ...options,
    });
    this.#opened.push(claims);
    return claims;
  }

  /** All its processes, at once: what they have in the store stays as it is. */
  async kill(): Promise<void> {
    for (const claims of this.#opened.splice(0)) await claims[Symbol.asyncDispose]();
    const owner = JSON.stringify({ ...thisProcess(), boot: "an earlier boot", since: "" });
    await this.store.db.updateTable("work_items").set({ owner }).where("owner", "is not", null).execute();
  }

  async job(id: string): Promise<void> {
    const created = { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} } as const;
    await createJob(this.store, id, created, new Date());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const claims of this.#opened) await claims[Symbol.asyncDispose]();
    await this.store.close();
  }
}

/** Fleets with one remote. */
export class TestFleets implements AsyncDisposable {
  readonly remote: string;
  readonly all: TestFleet[] = [];
  readonly #top: string;

  constructor(top: string) {
    this.#top = top;
    this.remote = join(top, "remote.git");
  }

  async add(): Promise<TestFleet> {
    const folder = join(this.#top, `fleet-${this.all.length}`);
    if (this.all.length === 0) {
      await mkdir(folder);
      await writeFile(join(folder, "baton.yaml"), "");
      await beginRepository(folder);
      await addOrigin(folder, this.remote);
    } else await git(this.#top, "clone", "-q", "--template=", this.remote, folder);
    const fleet = new TestFleet(await openStore(join(folder, ".baton", "baton.db")), folder);
    this.all.push(fleet);
    return fleet;
  }

  /** The name of what stands at the remote for an item. */
  async standing(item: string): Promise<string> {
    return git(this.remote, "for-each-ref", "--format=%(objectname)", claimRef(SOURCE, item));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const fleet of this.all) await fleet[Symbol.asyncDispose]();
    await rm(this.#top, { recursive: true, force: true });
  }
}

export async function fleets(count: number): Promise<TestFleets> {
  const made = new TestFleets(await mkdtemp(join(tmpdir(), "baton-fleets-")));
  for (let fleet = 0; fleet < count; fleet++) await made.add();
  return made;
}
