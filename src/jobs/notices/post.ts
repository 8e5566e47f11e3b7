import type { AgentConfig } from "../../config/config.ts";
import { grantsOf } from "../../hooks/grants.ts";
import type { HookNews } from "../../hooks/hook-call.ts";
import type { HookRun } from "../../hooks/hook-run.ts";
import { runHooks } from "../../hooks/run.ts";
import { heldUntil } from "../../job/notices/hold.ts";
import type { Notice } from "../../job/notices/notice.ts";
import { type Told, together } from "../../job/notices/together.ts";
import { fleetOf } from "../../store/fleet/fleets.ts";
import { admitNotice, forgetHeldNotices, takeHeldNotices } from "../../store/fleet/notices.ts";
import { type FleetState, openFleetState } from "../../store/sqlite/fleet-state.ts";
import { digest } from "../../util/digest.ts";

/** Ways to reach the person at this machine. */
export interface Reach {
  bell: () => void;
  desktop: (notice: Notice) => Promise<void>;
}

export type NotifyConfig = Pick<
  AgentConfig,
  "agreed" | "env" | "hooks" | "mcpServers" | "name" | "notify" | "workingDirectory" | "workspace"
>;

export interface PostOptions {
  /** The folder of the project. */
  project: string;
  config: NotifyConfig;
  reach: Reach;
  env: Record<string, string>;
  /** Hears of every hook that was run. */
  onRun: (news: HookNews, run: HookRun) => void;
  now?: () => Date;
}

/** Notices of one agent to its people: alike ones within five minutes are one, and none comes in quiet hours. */
export class Post implements AsyncDisposable {
  readonly #options: PostOptions;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(options: PostOptions) {
    this.#options = options;
  }

  /** Whether anybody would hear of anything. */
  get isIdle(): boolean {
    const { bell, desktop, hooks } = this.#options.config.notify;
    return !bell && !desktop && hooks.length === 0;
  }

  /** `alike`: the same for all that say the same. Everything in it is without secrets. */
  tell(alike: string, told: Told): Promise<void> {
    return this.#then(async () => {
      const due = this.#held(alike, told);
      if (due === undefined) await this.#deliver(told);
      else this.#wait(due);
    });
  }

  /** What was held back and is due, by whichever process, as one. `all`: also what would only be too much at once. */
  tellDue({ all = false }: { all?: boolean } = {}): Promise<void> {
    return this.#then(async () => {
      using state = opened();
      if (!state) return;
      const now = this.#now();
      // In quiet hours nothing is told, whoever ends.
      const due = all && heldUntil(now, { quiet: this.#quiet }) === undefined ? new Date(8.64e15) : now;
      const held = takeHeldNotices<Told>(state, this.#addressee, now, due);
      const [first, ...others] = held.map(({ notice }) => notice);
      if (!first) return;
      await this.#deliverTogether([first, ...others]);
      forgetHeldNotices(
        state,
        held.map(({ id }) => id),
      );
    });
  }

  /** Where no fleet runs that would tell later what is held back, it is told now. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#timer && !this.#isWithFleet()) await this.tellDue({ all: true });
    await this.#work;
  }

  #then(step: () => Promise<void>): Promise<void> {
    // One that fails must not keep the next ones from being told.
    this.#work = this.#work.then(step).catch(() => {});
    return this.#work;
  }

  #held(alike: string, told: Told): Date | undefined {
    using state = opened();
    if (!state) return undefined;
    const { project, agent } = this.#addressee;
    return admitNotice(state, this.#addressee, {
      alike: digest(project, agent, told.notice.event, alike),
      now: this.#now(),
      holds: told,
      until: (toldAt) => heldUntil(this.#now(), { toldAt, quiet: this.#quiet }),
    });
  }

  #wait(due: Date): void {
    clearTimeout(this.#timer);
    const ms = Math.min(due.getTime() - this.#now().getTime(), 2 ** 31 - 1);
    this.#timer = setTimeout(() => void this.tellDue(), Math.max(1, ms)).unref();
  }

  #isWithFleet(): boolean {
    using state = opened();
    return state !== undefined && fleetOf(state, this.#options.project) !== undefined;
  }

  /** Each hook hears of what it is for, as one. */
  async #deliverTogether(held: [Told, ...Told[]]): Promise<void> {
    const { config } = this.#options;
    await this.#deliverHere(together(config.name, held).notice);
    for (const hook of config.notify.hooks) {
      const [first, ...others] = held.filter(
        ({ news }) => !hook.onEvents || hook.onEvents.some((event) => event === news.event),
      );
      if (first) await this.#run([hook], together(config.name, [first, ...others]).news);
    }
  }

  async #deliver({ notice, news }: Told): Promise<void> {
    await this.#deliverHere(notice);
    await this.#run(this.#options.config.notify.hooks, news);
  }

  async #deliverHere(notice: Notice): Promise<void> {
    const { config, reach } = this.#options;
    if (config.notify.bell) reach.bell();
    if (config.notify.desktop) await reach.desktop(notice);
  }

  async #run(hooks: NotifyConfig["notify"]["hooks"], news: HookNews): Promise<void> {
    if (hooks.length === 0) return;
    const { config, env, onRun } = this.#options;
    await runHooks(hooks, news, {
      cwd: config.workingDirectory,
      env,
      grants: grantsOf(config),
      signal: new AbortController().signal,
      onRun: (run) => onRun(news, run),
      ...(config.agreed && { agreed: config.agreed }),
    });
  }

  get #addressee() {
    const { project, config } = this.#options;
    return { project, agent: config.name };
  }

  get #quiet() {
    const { quietHours: hours, timezone } = this.#options.config.notify;
    return hours && { hours, timezone };
  }

  #now(): Date {
    return this.#options.now?.() ?? new Date();
  }
}

/** Where what all processes of this user share cannot be had, everything is told at once. */
function opened(): FleetState | undefined {
  try {
    return openFleetState();
  } catch {
    return undefined;
  }
}
