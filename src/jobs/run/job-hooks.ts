import { existsSync } from "node:fs";
import type { AgentConfig } from "../../config/config.ts";
import type { HookConfig, HookEvent } from "../../config/hook-config.ts";
import { decide, promptAdditions, type ThresholdDecision } from "../../hooks/decision.ts";
import type { HookRun } from "../../hooks/hook-run.ts";
import { type HookPayload, jobPayload, sessionStartPayload } from "../../hooks/payload.ts";
import { runHooks } from "../../hooks/run.ts";
import type { ContextFigures, JobEvent } from "../../job/events.ts";
import type { HandoffRecord, Job } from "../../job/job.ts";
import type { Journal } from "../journal.ts";
import {
  endPayload,
  handoffPayloadOf,
  type JobEndEvent,
  jobInput,
  sessionInput,
  thresholdPayload,
} from "./hook-payloads.ts";

export interface JobHooksOptions {
  config: Pick<AgentConfig, "hooks" | "workingDirectory">;
  env: Record<string, string>;
  /** Where the job's store is: what a hook calls finds the job by it. */
  store: string;
  job: () => Job;
  append: (event: JobEvent) => void;
  now: () => Date;
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

/** How a job ended, for the hooks. */
export interface JobEnd {
  event: JobEndEvent;
  text: string;
}

/** The handoff that a session begins from. A document by another tool may not say which session wrote it. */
interface Beginning {
  number: number;
  session: string | null;
  path: string;
}

/** For whoever ends a job without having run it: hooks belong to the process that runs the job. */
export function noHooks(config: Pick<AgentConfig, "workingDirectory">, { store, job }: Journal): JobHooks {
  const none = {
    beforeRun: [],
    afterRun: [],
    onError: [],
    onSessionStart: [],
    onContextThreshold: [],
    onHandoff: [],
  };
  return new JobHooks({
    config: { workingDirectory: config.workingDirectory, hooks: none },
    env: {},
    store: store.path,
    job: () => job,
    append: () => {},
    now: () => new Date(),
  });
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
    const payload = jobPayload({ event: "before_run", job: jobInput(this.#options.job(), "running") });
    const { stoppedBy } = await this.#run("before_run", "before_run", payload, signal);
    return stoppedBy && `The hook "${stoppedBy.name}" of before_run failed: ${stoppedBy.error}`;
  }

  /** What a new session is told before its prompt, each line of it the user's own. */
  async sessionStart(
    session: string,
    prompt: string,
    from: Beginning | undefined,
    signal: AbortSignal,
  ): Promise<string> {
    const { append } = this.#options;
    const payload = sessionStartPayload({
      session: sessionInput(this.#options.job(), session),
      prompt,
      ...(from && {
        continues: {
          handoff: from.number,
          documentPath: from.path,
          ...(from.session !== null && { previousSessionId: from.session }),
        },
      }),
    });
    const { runs } = await this.#run("on_session_start", "session_start", payload, signal);
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
    session: string,
    figures: ContextFigures,
    signal: AbortSignal,
  ): Promise<ThresholdDecision | undefined> {
    if (this.#options.config.hooks.onContextThreshold.length === 0) return undefined;
    const payload = thresholdPayload(this.#options.job(), session, figures);
    const { runs } = await this.#run("on_context_threshold", "context_threshold", payload, signal);
    return decide(runs);
  }

  async handoff(stored: HandoffRecord, signal: AbortSignal): Promise<void> {
    const payload = handoffPayloadOf(this.#options.job(), stored);
    await this.#run("on_handoff", "handoff", payload, signal);
  }

  /** After the work, with its result; `on_error` after `after_run`. */
  async ended({ event, text }: JobEnd, signal: AbortSignal): Promise<void> {
    const payload = endPayload(this.#options.job(), event, text, this.#options.now());
    await this.#run("after_run", event, payload, signal);
    if (event === "failed" || event === "timeout") await this.#run("on_error", event, payload, signal);
  }

  async #run(
    point: keyof typeof keys,
    event: HookEvent | "before_run",
    payload: HookPayload,
    signal: AbortSignal,
  ): Promise<{ runs: HookRun[]; stoppedBy?: HookRun }> {
    const { config, env, store, append } = this.#options;
    const hooks: HookConfig[] = config.hooks[keys[point]];
    if (hooks.length === 0) return { runs: [] };
    const onRun = (run: HookRun) => {
      if (run.skipped === undefined) append({ type: "hook", point, event, ...run });
    };
    return runHooks(hooks, event, payload, {
      cwd: this.#cwd(),
      env: { ...env, BATON_STORE: store },
      signal,
      onRun,
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
