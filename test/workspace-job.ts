import { join } from "node:path";
import { ownEnvironment } from "../src/agents/own-environment.ts";
import { agentNamed } from "../src/config/agent-named.ts";
import type { JournalEvent } from "../src/job/events.ts";
import type { Job } from "../src/job/job.ts";
import { closeJob } from "../src/jobs/end/closing.ts";
import { ledgerOf } from "../src/jobs/end/janitor.ts";
import { noHooks } from "../src/jobs/hooks/job-hooks.ts";
import { Journal } from "../src/jobs/journal.ts";
import { newJob } from "../src/jobs/new-job.ts";
import { strategyFor, workspaceJob } from "../src/jobs/run/workspaces.ts";
import { thisProcess } from "../src/processes/owner.ts";
import { redactor } from "../src/secrets/redact.ts";
import { claimJob } from "../src/store/claims.ts";
import { openStore, type Store } from "../src/store/store.ts";
import type { Outcome, Workspace } from "../src/workspace/workspace.ts";
import { configAt } from "./agree.ts";

interface Origin {
  workItem?: string;
  schedule?: string;
}

/** A job that this process owns, with its workspace and without an agent in it. */
export interface WorkspaceOnly {
  id: string;
  workspace: Workspace;
  events: JournalEvent[];
  /** Closes it as the relay does, and gives it up. */
  end(kind: Outcome["kind"], text?: string): Promise<Job>;
  /** Gives it up so that it can be resumed. */
  pause(): Promise<void>;
}

export interface WorkspaceJobs extends AsyncDisposable {
  /** Puts a job on record and sets up its workspace, as the relay does it for an agent. */
  setUp(origin?: Origin): Promise<WorkspaceOnly>;
}

/** Jobs of the project in this folder. One process has one connection to a store. */
export async function openJobs(folder: string): Promise<WorkspaceJobs> {
  const opened = new AsyncDisposableStack();
  const store = opened.use(await openStore(join(folder, ".baton", "baton.db")));
  return {
    setUp: async (origin = {}) => {
      const { leave, ...job } = await setUpJob(store, folder, origin);
      opened.defer(leave);
      return job;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function setUpJob(
  store: Store,
  folder: string,
  { workItem, schedule }: Origin,
): Promise<WorkspaceOnly & { leave: () => Promise<void> }> {
  const path = join(folder, "baton.yaml");
  const agent = agentNamed(configAt(path));
  const origin = {
    ...(workItem !== undefined && { workItem: { id: workItem } }),
    ...(schedule && { schedule }),
  };
  const id = await newJob(store, { path, ...origin }, agent, "Do it.");
  const now = () => new Date();
  const journal = new Journal(store, await claimJob(store, id, thisProcess(), now()), now);
  const leave = () => journal[Symbol.asyncDispose]();
  const events: JournalEvent[] = [];
  journal.subscribe((event) => events.push(event));
  const strategy = strategyFor(agent, ledgerOf(store));
  const redact = redactor({});
  const { signal } = new AbortController();
  const work = () => workspaceJob(journal, { env: ownEnvironment(), signal, redact, now });
  await journal.record({ type: "job:started", pid: process.pid, marker: id });
  const workspace = await strategy.setup(work()).catch(async (error: unknown) => {
    await journal.record({ type: "job:failed", error: String(error) });
    await leave();
    throw error;
  });
  return {
    id,
    workspace,
    events,
    async end(kind, text = "Done as told.") {
      const hooks = noHooks(agent, journal);
      await closeJob({ journal, redact, strategy, hooks, work: work(), workspace, outcome: { kind, text } });
      await leave();
      return journal.job;
    },
    async pause() {
      await journal.record({ type: "job:paused", code: "limit_reached", message: "Enough for now." });
      await leave();
    },
    leave,
  };
}
