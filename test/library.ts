import { join } from "node:path";
import * as baton from "../src/index.ts";

/** A job that this process runs the way a program does that uses Baton as its library. */
export interface LibraryJob {
  id: string;
  journal: baton.Journal;
  events: baton.JournalEvent[];
  ended: Promise<baton.Job>;
  /** The first event for which the predicate holds, past ones included. */
  event(matches: (event: baton.JournalEvent) => boolean): Promise<baton.JournalEvent>;
  abort(reason: Error): void;
}

interface Run {
  agent: baton.Agent;
  limits?: baton.AgentConfig["limits"];
  /** A job to take up again, in place of a new one. */
  job?: string;
}

/** Runs a job in the project of this folder to its end, and gives it up. */
export async function runInLibrary(store: baton.Store, folder: string, run: Run): Promise<LibraryJob> {
  const config = baton.loadConfig(join(folder, "baton.yaml"));
  const coder = baton.agentNamed(config, "coder");
  const agent = { ...coder, ...(run.limits && { limits: run.limits }) };
  const id = run.job ?? (await baton.newJob(store, config, agent, "Work."));
  const claim = await baton.claimJob(store, id, baton.thisProcess(), new Date());
  const journal = new baton.Journal(store, claim, () => new Date());
  const events: baton.JournalEvent[] = [];
  const listeners = new Set<() => void>();
  journal.subscribe((event) => {
    events.push(event);
    for (const listener of listeners) listener();
  });
  const ending = new AbortController();
  const env = { PATH: process.env.PATH ?? "" };
  const { signal } = ending;
  const ended = baton
    .runJob({ journal, config: agent, agent: run.agent, env, signal })
    .finally(() => journal.close());
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
