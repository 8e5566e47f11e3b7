import { claude } from "../agents/claude.ts";
import type { AgentConfig } from "../config/config.ts";
import type { Job } from "../jobs/job.ts";
import { Journal } from "../jobs/journal.ts";
import { thisProcess } from "../jobs/owner.ts";
import type { Prestarted } from "../jobs/prestart.ts";
import { runJob } from "../jobs/relay.ts";
import { claimJob } from "../store/claims.ts";
import { readEvents } from "../store/events.ts";
import type { Store } from "../store/store.ts";
import { jsonScreen, peopleScreen } from "./display/screen.ts";
import { listenForEndings } from "./endings.ts";
import { ownEnvironment } from "../jobs/environment.ts";

interface DriveOptions {
  store: Store;
  config: AgentConfig;
  job: string;
  json: boolean;
  /** Said in the journal first when a job is taken up again. */
  resumed?: string;
  /** What the agent's environment is made from, where it is not this process's own. */
  env?: Record<string, string>;
  /** The agent's program, started ahead for this job. */
  prestarted?: Prestarted;
}

/** Runs a job in this process until it ends, showing it as it goes: a new one from its first event. */
export async function drive(options: DriveOptions): Promise<Job> {
  const { store, config, job: id, json, resumed, prestarted, env = ownEnvironment() } = options;
  const claim = await claimJob(store, id, thisProcess(), new Date());
  await using journal = new Journal(store, claim, () => new Date());
  using endings = listenForEndings(store, id, claim.attempt);
  const screen = json ? jsonScreen(process.stdout) : peopleScreen(journal, config, process.stdout);
  endings.signal.addEventListener("abort", () =>
    screen.say("Ending the agent … Ctrl-C now ends Baton without waiting for it."),
  );
  try {
    if (resumed === undefined) for (const event of await readEvents(store, id, 0)) screen.show(event);
    journal.subscribe(screen.show);
    if (resumed !== undefined) await journal.record({ type: "job:resumed", message: resumed });
    const { signal } = endings;
    return await runJob({ journal, config, agent: claude, env, signal, ...(prestarted && { prestarted }) });
  } finally {
    await journal.flush().catch(() => {});
    screen.stop();
  }
}
