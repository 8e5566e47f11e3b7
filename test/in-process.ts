import { join } from "node:path";
import { claude } from "../src/agents/claude/claude.ts";
import { agentNamed } from "../src/config/agent-named.ts";
import type { JobEvent, JournalEvent } from "../src/job/events.ts";
import type { Job } from "../src/job/job.ts";
import { Journal } from "../src/jobs/journal.ts";
import { newJob } from "../src/jobs/new-job.ts";
import type { Control } from "../src/jobs/run/control.ts";
import { runJob } from "../src/jobs/run/relay.ts";
import { jobEnvironment } from "../src/jobs/run/spec.ts";
import { thisProcess } from "../src/processes/owner.ts";
import { claimJob } from "../src/store/claims.ts";
import { openStore } from "../src/store/store.ts";
import { configAt } from "./agree.ts";
import { isAboutClaude, type TestProject } from "./harness.ts";
import { scripted } from "./scripted/agent.ts";

/**
 * Runs a job as a program does that uses Baton as its library. `on` is told every event once it is durable, `before` each as soon
 * as it has happened: an event that nothing waits for is written a moment later, and much can have happened by then.
 */
export async function runInProcess(
  { folder, env }: TestProject,
  prompt: string,
  control: Control,
  { on, before }: { on?: (event: JournalEvent) => void; before?: (event: JobEvent) => void },
): Promise<{ job: Job; events: JournalEvent[] }> {
  const config = configAt(join(folder, "baton.yaml"));
  const agent = agentNamed(config);
  await using store = await openStore(join(folder, ".baton", "baton.db"));
  const id = await newJob(store, config, agent, prompt);
  await using journal = new Journal(
    store,
    await claimJob(store, id, thisProcess(), new Date()),
    () => new Date(),
  );
  const events: JournalEvent[] = [];
  journal.subscribe((event) => {
    events.push(event);
    on?.(event);
  });
  if (before) {
    const append = journal.append.bind(journal);
    journal.append = (event) => {
      append(event);
      queueMicrotask(() => before(event));
    };
    const record = journal.record.bind(journal);
    journal.record = (event) => {
      queueMicrotask(() => before(event));
      return record(event);
    };
  }
  const { signal } = new AbortController();
  const job = await runJob({
    journal,
    config: agent,
    agent: isAboutClaude() ? claude : scripted,
    env: jobEnvironment(env, agent, { job: id, attempt: journal.attempt }),
    signal,
    control,
  });
  return { job, events };
}
