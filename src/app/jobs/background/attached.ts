import { agentNamed } from "../../../config/agent-named.ts";
import type { AgentConfig } from "../../../config/config.ts";
import { configWithoutFile } from "../../../config/without-file.ts";
import type { JournalEvent } from "../../../job/events.ts";
import { apply } from "../../../job/fold.ts";
import type { Job } from "../../../job/job.ts";
import { getJob, isClaimed } from "../../../store/jobs.ts";
import type { Store } from "../../../store/store.ts";
import { configOf, type Project } from "../../project.ts";
import { UsageError } from "../../usage-error.ts";
import { eventsSoFar, followed } from "../follow.ts";
import { callOffById } from "../hand-off.ts";
import { namedOrRunning } from "../which.ts";

/** A job, whichever process runs it, as somebody sees it who came later. */
export class AttachedJob {
  readonly #store: Store;
  #job: Job;
  readonly config: Pick<AgentConfig, "session">;

  constructor(store: Store, job: Job, config: Pick<AgentConfig, "session">) {
    this.#store = store;
    this.#job = job;
    this.config = config;
  }

  /** Up to the last event that was told. */
  get job(): Job {
    return this.#job;
  }

  /** The last of what happened until now. `most`: or all of it. */
  async earlier(most = Number.POSITIVE_INFINITY): Promise<JournalEvent[]> {
    const { id, seq } = this.#job;
    const events: JournalEvent[] = [];
    for await (const event of eventsSoFar(this.#store, id, Math.max(0, seq - most))) {
      if (event.seq <= seq) events.push(event);
    }
    return events;
  }

  /** What happens from now on, until the job ends or `signal` is aborted. */
  async *events(signal: AbortSignal): AsyncGenerator<JournalEvent> {
    for await (const event of followed(this.#store, this.#job.id, this.#job.seq, signal)) {
      this.#job = apply(this.#job, event);
      yield event;
    }
    if (!signal.aborted) this.#job = await getJob(this.#store, this.#job.id);
  }

  /** Asks for the handoff that is being made to be called off. False where there is none. */
  callOff(): boolean {
    if (!this.#job.pendingHandoff) return false;
    // What came of it is an event like any other.
    void callOffById(this.#store, this.#job.id).catch(() => {});
    return true;
  }
}

/** The job of this name, or the only one at work. Refused where it was never begun. */
export async function attachTo(
  store: Store,
  project: Project,
  named: string | undefined,
): Promise<AttachedJob> {
  const job = await namedOrRunning(store, named, "attach");
  if (job.status === "created" && !(await isClaimed(store, job.id))) {
    throw new UsageError(
      `${job.id} is recorded, but no process runs it. Start it with: baton resume ${job.id}`,
    );
  }
  return new AttachedJob(store, job, await configFor(job, project));
}

/** Only the marks on the screen depend on it: a file that cannot be read now is no reason to show nothing. */
async function configFor(
  { agent, configPath, chosen }: Job,
  project: Project,
): Promise<Pick<AgentConfig, "session">> {
  try {
    const config = await configOf(configPath ? { ...project, configPath } : project, chosen && { chosen });
    return agentNamed(config, agent);
  } catch {
    return agentNamed(configWithoutFile(project.root));
  }
}
