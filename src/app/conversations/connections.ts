import type { Connector, Heard, OnRecord } from "../../connectors/connector.ts";
import type { Conversation } from "../../store/conversations/conversations.ts";
import type { FleetState } from "../../store/sqlite/fleet-state.ts";
import type { FleetProject } from "../fleet/projects.ts";
import { type Bot, botsOf, type Speaker } from "./bots.ts";
import { Connection } from "./connection.ts";
import { onRecordOf } from "./on-record.ts";

interface Options {
  state: FleetState;
  /** Their configurations change while the fleet runs. */
  projects: readonly FleetProject[];
  /** Where tokens are. */
  env: Readonly<Record<string, string | undefined>>;
  now: () => Date;
  connect: (bot: Bot, onRecord: () => Promise<OnRecord>) => Promise<Connector>;
  /** Resolves once it is on record. */
  heard: (connection: Connection, event: Heard) => Promise<void>;
  trouble: (project: string, why: string) => void;
}

/** The connections of all bots that the agents of a fleet speak through. */
export class Connections {
  readonly #options: Options;
  readonly #connections = new Map<Bot["key"], Connection>();

  constructor(options: Options) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#connections.size === 0;
  }

  /** Bots come and go with the configuration. */
  look(): void {
    const { projects, env, trouble } = this.#options;
    const { bots, unreachable } = botsOf(projects, env);
    for (const { project, why } of unreachable) trouble(project, why);
    for (const [key, connection] of this.#connections) {
      if (bots.some((bot) => bot.key === key)) continue;
      this.#connections.delete(key);
      void connection.end();
    }
    for (const bot of bots) {
      const connection = this.#connections.get(bot.key) ?? this.#made(bot);
      connection.bot = bot;
      this.#connections.set(bot.key, connection);
      connection.look();
    }
  }

  of(bot: Bot["key"]): Connection | undefined {
    return this.#connections.get(bot);
  }

  /** Through whom a conversation of a project is spoken to. Undefined where this process does not have the connection. */
  voiceOf(
    project: string,
    { service, agent }: Pick<Conversation, "service" | "agent">,
  ): { connector: Connector; speaker: Speaker } | undefined {
    for (const { bot, connector } of this.#connections.values()) {
      const speaker = bot.speakers.find((each) => each.agent === agent && each.project === project);
      if (connector && speaker && bot.kind === service) return { connector, speaker };
    }
    return undefined;
  }

  /** All agents of a project that speak through a bot, each with the kind of its service. */
  speakersOf(project: string): { kind: Bot["kind"]; speaker: Speaker }[] {
    return [...this.#connections.values()].flatMap(({ bot: { kind, speakers } }) =>
      speakers.filter((speaker) => speaker.project === project).map((speaker) => ({ kind, speaker })),
    );
  }

  async end(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((each) => each.end()));
  }

  #made(bot: Bot): Connection {
    const { state, projects, connect, heard, trouble, now } = this.#options;
    const connection: Connection = new Connection(bot, {
      ...{ state, now },
      connect: (which) => connect(which, () => onRecordOf(projects, which)),
      heard: (event) => heard(connection, event),
      tell: ({ speakers: [speaker] }, why) => trouble(speaker?.project ?? "", why),
    });
    return connection;
  }
}
