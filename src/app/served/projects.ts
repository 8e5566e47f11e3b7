import { basename } from "node:path";
import type { Job } from "../../job/job.ts";
import { AmbiguousJobError, JobNotFoundError } from "../../store/errors.ts";
import { findJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { digest } from "../../util/digest.ts";
import { maySee, type Principal } from "../access/principal.ts";
import { openSwept, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { NotFoundError } from "./not-found.ts";

/** A project whose jobs are shown over HTTP. */
export interface ServedProject {
  /** By which requests name it: no path comes in by request. */
  key: string;
  /** For people. */
  name: string;
  project: Project;
  store: Store;
}

/** The projects of a fleet, each with its store open, to look into again and again. */
export class ServedProjects implements AsyncDisposable {
  readonly all: readonly ServedProject[];

  private constructor(all: readonly ServedProject[]) {
    this.all = all;
  }

  static async open(projects: readonly Project[]): Promise<ServedProjects> {
    const all: ServedProject[] = [];
    for (const project of projects) {
      const { root } = project;
      all.push({ key: digest(root), name: basename(root), project, store: await openSwept(project) });
    }
    return new ServedProjects(all);
  }

  /** Those that somebody may see; or the one that they name. */
  seenBy(principal: Principal, named?: string): ServedProject[] {
    const seen = this.all.filter(({ project }) => maySee(principal, project.root));
    if (named === undefined) return seen;
    const found = seen.filter(({ key, name }) => key === named || name === named);
    if (found.length === 1) return found;
    const known = seen.map(({ key, name }) => `${name} (${key})`).join(", ");
    throw new NotFoundError(`No project ${named} is served here. These are: ${known || "none"}.`);
  }

  /** The one that is meant where there is only one, or the one that is named. */
  only(principal: Principal, named?: string): ServedProject {
    const seen = this.seenBy(principal, named);
    const [first, ...others] = seen;
    if (first && others.length === 0) return first;
    if (!first) throw new UsageError("This token is for no project that is served here.");
    throw new UsageError(`Say which project: ${seen.map(({ key, name }) => `${name} (${key})`).join(", ")}.`);
  }

  /** A job by its id, or by the beginning of it, in whichever project. One that somebody may not see is not there. */
  async job(principal: Principal, named: string): Promise<{ where: ServedProject; job: Job }> {
    let missing: unknown = new JobNotFoundError(named);
    const found: { where: ServedProject; job: Job }[] = [];
    for (const where of this.seenBy(principal)) {
      try {
        found.push({ where, job: await findJob(where.store, named) });
      } catch (error) {
        if (!(error instanceof JobNotFoundError)) throw error;
        missing = error;
      }
    }
    const [first, ...others] = found;
    if (!first) throw missing;
    const exact = found.find(({ job }) => job.id === named);
    if (exact || others.length === 0) return exact ?? first;
    throw new AmbiguousJobError(
      named,
      found.map(({ job }) => job.id),
    );
  }

  /** Whether somebody may see all that is served here. */
  isAllSeenBy(principal: Principal): boolean {
    return this.all.every(({ project }) => maySee(principal, project.root));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.all.map(({ store }) => store.close()));
  }
}
