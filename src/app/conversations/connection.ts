import type { Connector, Heard } from "../../connectors/connector.ts";
import { CHAT_SERVICES } from "../../job/status-words.ts";
import { thisProcess } from "../../processes/owner.ts";
import { dropConnection, takeConnection, tellConnection } from "../../store/fleet/connections.ts";
import type { FleetState } from "../../store/sqlite/fleet-state.ts";
import { messageOf } from "../../util/errors.ts";
import type { Bot } from "./bots.ts";
import { Every } from "./every.ts";

interface Options {
  state: FleetState;
  now: () => Date;
  connect: (bot: Bot) => Promise<Connector>;
  heard: (event: Heard) => Promise<void>;
  tell: (bot: Bot, why: string) => void;
}

/** How long a connection is left alone that another process has, or that ended by itself. */
const LOOK_AGAIN_MS = 5_000;

/**
 * One bot's connection, as long as this process is the one that has it. A connector keeps itself connected; what it cannot get over,
 * such as a wrong token, ends this connection and nothing else.
 */
export class Connection {
  /** As the configuration says it now. */
  bot: Bot;
  /** When this process came to know of it. */
  readonly since: Date;
  readonly #options: Options;
  readonly #ending = new AbortController();
  #connector: Connector | undefined;
  #running: Promise<void> | undefined;
  readonly #looking = new Every(LOOK_AGAIN_MS);
  /** It can never work as it is. */
  #isBroken = false;
  #told: string | undefined;

  constructor(bot: Bot, options: Options) {
    this.bot = bot;
    this.since = options.now();
    this.#options = options;
  }

  /** Undefined while another process has it, or nothing can be said. */
  get connector(): Connector | undefined {
    return this.#isBroken ? undefined : this.#connector;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Takes the connection where nobody has it. */
  look(): void {
    const { state, now } = this.#options;
    if (this.#running || this.#isBroken || !this.#looking.isDue(now())) return;
    this.#looking.done(now());
    const { key, kind, speakers } = this.bot;
    const projects = [...new Set(speakers.map(({ project }) => project))];
    const taken = takeConnection(state, { bot: key, service: kind, projects }, thisProcess(), now());
    if (taken) {
      const { owner, projects: theirs } = taken.other;
      const whose = `process ${owner.pid}, for ${theirs.join(", ")}`;
      this.#say(
        `${CHAT_SERVICES[kind]}: another fleet has the connection of this bot: ${whose}. It is taken over when that ends.`,
      );
      return;
    }
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      this.#looking.done(now());
    });
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.#running;
    this.#connector = undefined;
  }

  async #run(): Promise<void> {
    const { state, connect, heard, now } = this.#options;
    const { key, kind } = this.bot;
    try {
      this.#connector ??= await connect(this.bot);
      tellConnection(state, key, { connectedAt: now().toISOString(), problem: null });
      this.#told = undefined;
      await this.#connector.run(heard, this.#ending.signal);
      if (this.#ending.signal.aborted) dropConnection(state, key);
    } catch (error) {
      if (this.#ending.signal.aborted) {
        dropConnection(state, key);
        return;
      }
      const why = messageOf(error);
      this.#isBroken = true;
      tellConnection(state, key, { connectedAt: null, problem: why });
      const who = this.bot.speakers.map(({ agent }) => agent).join(", ");
      this.#say(`${CHAT_SERVICES[kind]} (${who}): ${why}`);
    }
  }

  #say(why: string): void {
    if (this.#told === why) return;
    this.#told = why;
    this.#options.tell(this.bot, why);
  }
}
