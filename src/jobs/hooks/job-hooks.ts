import { existsSync } from "node:fs";
import type { AgentConfig } from "../../config/config.ts";
import type { HookConfig } from "../../config/hook-config.ts";
import { decide, promptAdditions, type ThresholdDecision } from "../../hooks/decision.ts";
import { grantsOf } from "../../hooks/grants.ts";
import { HookError, type HookNews } from "../../hooks/hook-call.ts";
import type { HookRun } from "../../hooks/hook-run.ts";
import type { ThresholdTrigger } from "../../hooks/payload.ts";
import { runHooks } from "../../hooks/run.ts";
import type { ContextFigures, JobEvent } from "../../job/events.ts";
import type { HandoffRecord, Job } from "../../job/job.ts";
import { isOutOfHandoffs } from "../../job/status-words.ts";
import type { Launch } from "../../processes/launch.ts";
import type { Redact } from "../../secrets/redact.ts";
import { messageOf } from "../../util/errors.ts";
import type { Journal } from "../journal.ts";
import {
  type Beginning,
  beforeRunNews,
  endNews,
  handoffNews,
  type JobEnd,
  sessionStartNews,
  thresholdNews,
} from "./hook-news.ts";

export interface JobHooksOptions {
  config: Pick<AgentConfig, "env" | "hooks" | "workingDirectory" | "workspace" | "agreed">;
  /** For what hooks are told. */
  redact: Redact;
  env: Record<string, string>;
  /** Where the job's store is: what a hook calls finds the job by it. */
  store: string;
  job: () => Job;
  append: (event: JobEvent) => void;
  now: () => Date;
  /** How commands are started in a folder, if not on this machine as it is. */
  launchIn?: (folder: string) => Promise<Launch | undefined>;
}

/** What each point is called in the configuration. */
const keys = {
  before_run: "beforeRun",
  after_run: "afterRun",
  on_error: "onError",
  on_session_start: "onSessionStart",
  on_context_threshold: "onContextThreshold",
  on_handoff: "onHandoff",
} as const;

/** For whoever ends a job without having run it: hooks belong to the process that runs the job. */
export function noHooks(
  config: Pick<AgentConfig, "workingDirectory" | "workspace">,
  { store, job }: Journal,
): JobHooks {
  const none = {
    beforeRun: [],
    afterRun: [],
    onError: [],
    onSessionStart: [],
    onContextThreshold: [],
    onHandoff: [],
  };
  return new JobHooks({
    config: { ...config, env: {}, hooks: none },
    redact: (value) => value,
    env: {},
    store: store.path,
    job: () => job,
    append: () => {},
    now: () => new Date(),
  });
}

/** Never on this machine as it is, where that was not asked for. */
function notThere(error: unknown): never {
  throw new HookError(`it was not run, because its container could not be made: ${messageOf(error)}`);
}

/** What the user has hung into the points of a job. */
export class JobHooks {
  readonly #options: JobHooksOptions;

  constructor(options: JobHooksOptions) {
    this.#options = options;
  }

  /** Whether anything waits for the end of a job. */
  get atEnd(): boolean {
    const { afterRun, onError } = this.#options.config.hooks;
    return afterRun.length + onError.length > 0;
  }

  /** Before the first session. Says why the job may not begin. */
  async beforeRun(signal: AbortSignal): Promise<string | undefined> {
    const { job, now } = this.#options;
    const { stoppedBy } = await this.#run("before_run", beforeRunNews(job(), now()), signal);
    return stoppedBy && `The hook "${stoppedBy.name}" of before_run failed: ${stoppedBy.error}`;
  }

  /** What a new session is told before its prompt, each line of it the user's own. */
  async sessionStart(
    session: string,
    prompt: string,
    from: Beginning | undefined,
    signal: AbortSignal,
  ): Promise<string> {
    const { job, append, now } = this.#options;
    const news = sessionStartNews(job(), { session, prompt, from }, now());
    const { runs } = await this.#run("on_session_start", news, signal);
    const { text, cut } = promptAdditions(runs);
    if (cut) {
      append({
        type: "warning",
        message: "What the hooks of on_session_start printed was cut: it is too long.",
      });
    }
    return text === "" ? prompt : `${text}\n\n${prompt}`;
  }

  /** What to do about a full window. Undefined where the user left that to Baton. */
  async threshold(
    full: { session: string; context: ContextFigures; trigger: ThresholdTrigger },
    signal: AbortSignal,
  ): Promise<ThresholdDecision | undefined> {
    const { config, job, now } = this.#options;
    if (config.hooks.onContextThreshold.length === 0) return undefined;
    const news = thresholdNews(job(), full, now());
    const { runs } = await this.#run("on_context_threshold", news, signal);
    return decide(runs);
  }

  async handoff(stored: HandoffRecord, signal: AbortSignal): Promise<void> {
    const { job, now } = this.#options;
    await this.#run("on_handoff", handoffNews(job(), stored, now()), signal);
  }

  /** After the work, with its result; `on_error` after `after_run`. */
  async ended(end: JobEnd, signal: AbortSignal): Promise<void> {
    const { job, now } = this.#options;
    const news = endNews(job(), end, now());
    await this.#run("after_run", news, signal);
    if (end.event === "failed" || end.event === "timeout" || isOutOfHandoffs(end.code))
      await this.#run("on_error", news, signal);
  }

  async #run(
    point: keyof typeof keys,
    news: HookNews,
    signal: AbortSignal,
  ): Promise<{ runs: HookRun[]; stoppedBy?: HookRun }> {
    const { config, redact, env, store, append, launchIn } = this.#options;
    const hooks: HookConfig[] = config.hooks[keys[point]];
    if (hooks.length === 0) return { runs: [] };
    const onRun = (run: HookRun) => {
      if (run.skipped === undefined) append({ type: "hook", point, event: news.event, ...run });
    };
    const cwd = this.#cwd();
    return runHooks(hooks, redact(news), {
      cwd,
      ...(launchIn && { launch: () => launchIn(cwd).catch(notThere) }),
      grants: grantsOf(config),
      env: { ...env, BATON_STORE: store },
      signal,
      onRun,
      ...(config.agreed && { agreed: config.agreed }),
    });
  }

  /** At a job's end its worktree may be gone. */
  #cwd(): string {
    const { config, job } = this.#options;
    const { workspace } = job();
    const candidates = [workspace?.path, workspace?.repo, config.workingDirectory];
    return candidates.find((folder) => folder && existsSync(folder)) ?? config.workingDirectory;
  }
}
