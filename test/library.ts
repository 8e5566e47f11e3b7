import { join } from "node:path";
import type { Agent } from "../src/agents/agent.ts";
import { agentNamed } from "../src/config/agent-named.ts";
import type { AgentConfig } from "../src/config/config.ts";
import type { JournalEvent } from "../src/job/events.ts";
import type { Job } from "../src/job/job.ts";
import { Journal } from "../src/jobs/journal.ts";
import { newJob } from "../src/jobs/new-job.ts";
import { runJob } from "../src/jobs/run/relay.ts";
import { jobEnvironment } from "../src/jobs/run/spec.ts";
import { thisProcess } from "../src/processes/owner.ts";
import { claimJob } from "../src/store/claims.ts";
import type { Store } from "../src/store/store.ts";
import { configAt } from "./agree.ts";

/** A job that this process runs, with an agent of the test's own. */
export interface LibraryJob {
  id: string;
  journal: Journal;
  events: JournalEvent[];
  ended: Promise<Job>;
  /** The first event for which the predicate holds, past ones included. */
  event(matches: (event: JournalEvent) => boolean): Promise<JournalEvent>;
  abort(reason: Error): void;
}

interface Run {
  agent: Agent;
  limits?: AgentConfig["limits"];
  /** A job to resume, in place of a new one. */
  job?: string;
}

/** Runs a job in the project of this folder to its end, and gives it up. */
export async function runInLibrary(store: Store, folder: string, run: Run): Promise<LibraryJob> {
  const config = configAt(join(folder, "baton.yaml"));
  const coder = agentNamed(config, "coder");
  const agent = { ...coder, ...(run.limits && { limits: run.limits }) };
  const id = run.job ?? (await newJob(store, config, agent, "Work."));
  const claim = await claimJob(store, id, thisProcess(), new Date());
  const journal = new Journal(store, claim, () => new Date());
  const events: JournalEvent[] = [];
  const listeners = new Set<() => void>();
  journal.subscribe((event) => {
    events.push(event);
    for (const listener of listeners) listener();
  });
  const ending = new AbortController();
  const own = { PATH: process.env.PATH ?? "" };
  const env = jobEnvironment(own, agent, { job: id, attempt: claim.attempt });
  const { signal } = ending;
  const ended = runJob({ journal, config: agent, agent: run.agent, env, signal }).finally(() =>
    journal.close(),
  );
  ended.catch(() => {});
  return {
    id,
    journal,
    events,
    ended,
    abort: (reason) => ending.abort(reason),
    event: async (matches) => {
      for (;;) {
        const found = events.find(matches);
        if (found) return found;
        const heard = new Promise<void>((resolve) => {
          const listener = () => {
            listeners.delete(listener);
            resolve();
          };
          listeners.add(listener);
        });
        const over = ended.then((job) => {
          if (!events.some(matches)) throw new Error(`the job is ${job.status}, without the event`);
        });
        await Promise.race([heard, over]);
      }
    },
  };
}
