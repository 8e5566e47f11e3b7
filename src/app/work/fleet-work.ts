import { admission, type Situation } from "../../fleet/admission.ts";
import type { Job } from "../../job/job.ts";
import type { FleetProject } from "../fleet/projects.ts";
import type { HeldItem } from "./held.ts";
import { ProjectWork, type WorkOptions } from "./project-work.ts";

/** The work of all projects of a fleet. */
export class FleetWork {
  readonly #projects: ReadonlyMap<string, ProjectWork>;

  constructor(projects: readonly FleetProject[], options: WorkOptions) {
    this.#projects = new Map(projects.map((where) => [where.project.root, new ProjectWork(where, options)]));
  }

  /** Begins what is due, and waits for nothing. */
  look(now: Date): void {
    for (const work of this.#projects.values()) work.look(now);
  }

  /** Takes items for which there would be a slot after all jobs that wait have theirs: by the fleet's own decision. */
  take(situation: Situation, now: Date): void {
    const all = [...this.#projects.values()].flatMap((work) =>
      work.candidates(now).map((candidate) => ({ work, candidate })),
    );
    if (all.length === 0) return;
    const candidates = all.map(({ candidate }) => candidate);
    const { start } = admission({ ...situation, waiting: [...situation.waiting, ...candidates] });
    for (const { work, candidate } of all) if (start.includes(candidate)) work.take(candidate);
  }

  async itemOf(job: Job, project: string): Promise<HeldItem | undefined> {
    return this.#projects.get(project)?.itemOf(job);
  }

  /** What it holds is kept for the next fleet, as long as its lease lasts. */
  async end(): Promise<void> {
    await Promise.all([...this.#projects.values()].map((work) => work[Symbol.asyncDispose]()));
  }
}
