import type { AgentConfig, Config, ScheduleConfig } from "../../config/config.ts";
import type { WorkSourceConfig } from "../../config/work-source.ts";
import { Claims } from "../../sources/claims/claims.ts";
import type { Item, Source } from "../../sources/source.ts";
import type { Store } from "../../store/store.ts";
import { Feed } from "./feed.ts";
import { openRegister, openSource } from "./open.ts";

/** Who takes which items. */
export interface Line {
  agent: AgentConfig;
  /** Undefined: whenever the agent has a slot. */
  schedule?: ScheduleConfig;
  config: WorkSourceConfig;
  feed: Feed;
}

/** Where a source is written in a configuration, each with who takes its items. */
function wantedLines({ agents, workSources }: Config): Omit<Line, "feed">[] {
  return workSources.flatMap(({ agent: name, schedule: named, source: config }) => {
    const agent = agents.find((each) => each.name === name);
    if (!agent) return [];
    if (named === undefined) return [{ agent, config }];
    const schedule = agent.schedules.find((each) => each.name === named);
    return schedule?.enabled ? [{ agent, schedule, config }] : [];
  });
}

interface LinesOptions {
  store: Store;
  env: Record<string, string>;
  signal: AbortSignal;
  now: () => Date;
  open?: (config: WorkSourceConfig, env: Record<string, string>) => Source;
}

/** The sources of a project, by its configuration as it is now, each opened once. */
export class Lines implements AsyncDisposable {
  readonly #options: LinesOptions;
  readonly #feeds = new Map<string, Feed>();
  /** One for each source in each repository: what it holds outlives a changed configuration. */
  readonly #claims = new Map<string, Promise<Claims>>();
  #config: Config | undefined;
  #lines: Line[] = [];

  constructor(options: LinesOptions) {
    this.#options = options;
  }

  get all(): readonly Line[] {
    return this.#lines;
  }

  get feeds(): Feed[] {
    return [...new Set(this.#lines.map(({ feed }) => feed))];
  }

  /** Throws where one of them cannot be opened: the others are there. */
  turnTo(config: Config): void {
    if (this.#config === config) return;
    this.#config = config;
    const problems: unknown[] = [];
    this.#lines = wantedLines(config).flatMap((line) => {
      try {
        return [{ ...line, feed: this.#feedOf(line.config) }];
      } catch (error) {
        problems.push(error);
        return [];
      }
    });
    if (problems.length > 0) throw problems[0];
  }

  #feedOf(config: WorkSourceConfig): Feed {
    const key = JSON.stringify(config);
    const known = this.#feeds.get(key);
    if (known) return known;
    const { env, now, open = openSource } = this.#options;
    const feed = new Feed(open(config, env), config, now());
    this.#feeds.set(key, feed);
    return feed;
  }

  /** Of the job of an agent, by the name of its source. */
  lineOf(agent: string, source: string): Line | undefined {
    const ofAgent = this.#lines.filter((line) => line.agent.name === agent);
    return ofAgent.find(({ feed }) => feed.source.name === source);
  }

  /** What this process has claimed of a source, where the work of that agent goes. */
  claimsOf({ agent, feed: { source, config } }: Pick<Line, "agent" | "feed">): Promise<Claims> {
    const key = [source.name, agent.workingDirectory, config.claims].join("\0");
    const known = this.#claims.get(key);
    if (known) return known;
    const { store, env, signal } = this.#options;
    const opened = openRegister({ agent, source, config, env, signal }).then(
      (register) => new Claims({ store, register, source: source.name, serverTime: () => source.serverTime }),
    );
    this.#claims.set(key, opened);
    // It may be cloned, or get a remote, later.
    opened.catch(() => this.#claims.delete(key));
    return opened;
  }

  /** Of items that look taken, and not by a job here: whether anybody still has them, as their claims say it. */
  async lookForLeft({ agent, feed }: Line, isOurs: (item: Item) => boolean, now: Date): Promise<void> {
    const items = feed.looksTaken.filter((item) => !isOurs(item));
    if (items.length === 0) return;
    const ids = items.map(({ id }) => id);
    await feed.left.look(await this.claimsOf({ agent, feed }), ids, now, this.#options.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const feed of this.#feeds.values()) await feed.end();
    for (const claims of this.#claims.values()) {
      await claims.then((opened) => opened[Symbol.asyncDispose]()).catch(() => {});
    }
  }
}
