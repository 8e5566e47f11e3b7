import type { Job } from "../../job/job.ts";
import type { Claim } from "../../sources/claims/claim.ts";
import type { Claims } from "../../sources/claims/claims.ts";
import { jobsWith } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { claimFor } from "./held.ts";
import type { Line, Lines } from "./lines.ts";

/** The claims that this process keeps alive, by the jobs that have them. */
export class ClaimKeeper {
  readonly #store: Store;
  readonly #lines: Lines;
  readonly #signal: AbortSignal;
  readonly #claims = new Map<string, Promise<Claim>>();

  constructor(store: Store, lines: Lines, signal: AbortSignal) {
    this.#store = store;
    this.#lines = lines;
    this.#signal = signal;
  }

  /** Undefined: this process does not have it. */
  async known(job: string): Promise<Claim | undefined> {
    return this.#claims.get(job);
  }

  keep(job: string, claim: Promise<Claim>): Promise<Claim> {
    this.#claims.set(job, claim);
    const drop = () => this.drop(job);
    claim.then((held) => held.lost.addEventListener("abort", drop, { once: true }), drop);
    return claim;
  }

  drop(job: string): void {
    this.#claims.delete(job);
  }

  /** Throws an ItemLost where another has it. One at a time: of two who ask at once, one would be told that the other has it. */
  of(job: Job, source: string): Promise<Claim> {
    const known = this.#claims.get(job.id);
    if (known) return known;
    return this.keep(job.id, this.#claim(job, source));
  }

  async #claim(job: Job, source: string): Promise<Claim> {
    const claims = await this.#lines.claimsOf(this.lineOf(job, source));
    return claimFor(job, { claims, store: this.#store, source, signal: this.#signal });
  }

  /** Throws where the configuration has it no more. */
  lineOf({ id, agent }: Job, source: string): Line {
    const line = this.#lines.lineOf(agent, source);
    if (line) return line;
    throw new Error(`No work_source of ${agent} is ${source} any more, which the item of ${id} is of.`);
  }

  /** What killed processes left: claims without jobs are given up, and those of jobs are kept alive from now on. */
  async recover(line: Line, seen: Set<unknown>): Promise<void> {
    const claims = await this.#lines.claimsOf(line);
    if (seen.has(claims)) return;
    seen.add(claims);
    const left = await claims.recover(this.#signal);
    const jobs = await jobsWith(
      this.#store,
      left.map(({ job }) => job),
    );
    for (const job of jobs) await this.#resume(job, claims);
  }

  /** Whoever runs a job has its claim resumed. */
  async #resume(job: Job, claims: Claims): Promise<void> {
    if (job.status === "running" || job.status === "waiting" || this.#claims.has(job.id)) return;
    const claim = await claims.resume(job.id, this.#signal);
    if (claim) await this.keep(job.id, Promise.resolve(claim));
  }
}
