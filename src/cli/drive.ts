import { claude } from "../agents/claude.ts";
import type { AgentConfig } from "../config/config.ts";
import { JobCancelled, JobInterrupted } from "../jobs/ending.ts";
import type { Job } from "../jobs/job.ts";
import { Journal } from "../jobs/journal.ts";
import { thisProcess } from "../jobs/owner.ts";
import { runJob } from "../jobs/relay.ts";
import { claimJob } from "../store/claims.ts";
import { takeRequests } from "../store/requests.ts";
import type { Store } from "../store/store.ts";
import { jsonScreen, peopleScreen, type Screen } from "./display/screen.ts";

export interface DriveOptions {
  store: Store;
  config: AgentConfig;
  job: string;
  json: boolean;
  /** Said in the journal first when a job is taken up again. */
  resumed?: string;
  /** What the agent's environment is made from, where it is not this process's own. */
  env?: Record<string, string>;
}

const REQUEST_POLL_MS = 200;

/** Runs a job in this process until it ends, showing it as it goes. */
export async function drive(options: DriveOptions): Promise<Job> {
  const { store, config, job: id, json, resumed, env = ownEnvironment() } = options;
  const claim = await claimJob(store, id, thisProcess(), new Date());
  await using journal = new Journal(store, claim, () => new Date());
  using endings = listenForEndings(store, journal);
  const screen: Screen = json
    ? jsonScreen(journal, process.stdout)
    : peopleScreen(journal, config, process.stdout);
  try {
    if (resumed !== undefined) await journal.record({ type: "job:resumed", message: resumed });
    return await runJob({ journal, config, agent: claude, env, signal: endings.signal });
  } finally {
    await journal.flush().catch(() => {});
    screen.stop();
  }
}

interface Endings extends Disposable {
  signal: AbortSignal;
}

/** Signals to this process, and requests that other processes left in the store. */
function listenForEndings(store: Store, journal: Journal): Endings {
  const controller = new AbortController();
  let pressed = 0;
  const onInterrupt = () => {
    pressed++;
    // The guard ends the agent when this process goes.
    if (pressed > 1) process.exit(130);
    controller.abort(new JobCancelled("by Ctrl-C"));
  };
  const onTerminate = (signal: NodeJS.Signals) =>
    controller.abort(new JobInterrupted(`Baton received ${signal}.`));
  const poll = setInterval(() => {
    takeRequests(store, journal.job.id, journal.attempt, new Date()).then(
      (requests) => {
        if (requests.some(({ kind }) => kind === "cancel"))
          controller.abort(new JobCancelled("by `baton cancel`"));
      },
      // The journal meets the same trouble with the store, and says so.
      () => {},
    );
  }, REQUEST_POLL_MS);
  process.on("SIGINT", onInterrupt).on("SIGTERM", onTerminate).on("SIGHUP", onTerminate);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearInterval(poll);
      process.off("SIGINT", onInterrupt).off("SIGTERM", onTerminate).off("SIGHUP", onTerminate);
    },
  };
}

/** Marks of a Claude Code that Baton itself was started from: the agent must not take itself for a part of it. */
const NOT_OURS = ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT"];

export function ownEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !NOT_OURS.includes(name)) env[name] = value;
  }
  return env;
}
