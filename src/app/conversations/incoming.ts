import type { Heard } from "../../connectors/connector.ts";
import { CHAT_SERVICES } from "../../job/status-words.ts";
import { openChatEvents, recordChatEvent } from "../../store/conversations/chat-events.ts";
import { conversationAt, hasTalkedIn } from "../../store/conversations/conversations.ts";
import { messageOf } from "../../util/errors.ts";
import type { FleetProject } from "../fleet/projects.ts";
import type { Attending } from "./attending.ts";
import type { Speaker } from "./bots.ts";
import type { Connection } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { addressed, mayTalk } from "./decide.ts";
import { askedIn, type Handling, handleCommand, handleMessage, handlePress } from "./handling.ts";
import { type Fresh, freshOf, type StoredEvent, storedOf } from "./stored-event.ts";

/** A service tells again for minutes what was not acknowledged, by a clock of its own. */
const TOLD_AGAIN_MS = 5 * 60_000;

interface Options {
  projects: readonly FleetProject[];
  connections: Connections;
  now: () => Date;
  attending: (conversation: string) => Attending | undefined;
  /** A message reached a job, or began one. */
  delivered: (where: FleetProject, isNew: boolean) => Promise<void>;
  /** Something is to be told. */
  changed: (where: FleetProject) => void;
  log: (speaker: Speaker, text: string) => void;
  trouble: (project: string, why: string) => void;
  signal: AbortSignal;
}

/** What people write, press and ask for: on record before anything else, and dealt with once, in order within a conversation. */
export class Incoming {
  readonly #options: Options;
  /** What is done one after the other, by conversation. */
  readonly #queues = new Map<string, Promise<void>>();
  readonly #fresh = new Map<string, Fresh>();
  /** Events that are being dealt with. */
  readonly #handled = new Set<string>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Resolves once it is on record. */
  async heard(connection: Connection, event: Heard): Promise<void> {
    const { projects, now, log, signal } = this.#options;
    const { bot } = connection;
    if (signal.aborted) throw new Error("this connection has ended");
    const speaker = await this.#speakerFor(connection, event);
    const where = speaker && projects.find(({ project }) => project.root === speaker.project);
    if (!where) return;
    const stored = storedOf(event, bot, speaker);
    const id = `${bot.kind}:${event.id}`;
    // One that comes again must not take away what the first is about to use.
    const isFirst = !this.#fresh.has(id);
    if (isFirst) this.#fresh.set(id, freshOf(event));
    const recorded = { id, conversation: event.place.key, event: stored };
    if (!(await recordChatEvent(where.store, recorded, now()))) {
      if (isFirst) this.#fresh.delete(id);
      return;
    }
    log(speaker, `${CHAT_SERVICES[bot.kind]}: ${event.kind} in ${event.place.key}`);
    if (event.kind === "message") acknowledge(connection, speaker, event);
    this.#handle(where, speaker, id, stored);
  }

  /** What was on record when a process ended, and nothing had come of. */
  async resume(where: FleetProject): Promise<void> {
    const { root } = where.project;
    for (const { id, event } of await openChatEvents<StoredEvent>(where.store)) {
      const bot = this.#options.connections.of(event.bot)?.bot;
      const speaker = bot?.speakers.find(({ agent, project }) => agent === event.agent && project === root);
      if (speaker) this.#handle(where, speaker, id, event);
    }
  }

  /** Resolves when nothing is being dealt with. */
  async idle(): Promise<void> {
    await Promise.all([...this.#queues.values()]);
  }

  async #speakerFor({ bot, since }: Connection, event: Heard): Promise<Speaker | undefined> {
    const { kind, speakers } = bot;
    if (event.kind !== "message") {
      const isTheirs = mayTalk(speakers, event.place, event.by);
      return isTheirs ? addressed(speakers, { ...event, isMention: true }, undefined) : undefined;
    }
    for (const where of this.#options.projects) {
      const known = await conversationAt(where.store, event.place.key);
      if (!known) continue;
      return addressed(speakers, event, { project: where.project.root, agent: known.agent });
    }
    const speaker = addressed(speakers, event, undefined);
    const { isDirect, channel } = event.place;
    const isOfBefore = Date.parse(event.at) < since.getTime() - TOLD_AGAIN_MS;
    if (!speaker || event.isMention || isDirect || !isOfBefore) return speaker;
    // Read on catching up, and meant for nobody: where the bot has never talked, it was not there yet when this was written.
    const where = this.#options.projects.find(({ project }) => project.root === speaker.project);
    return where && (await hasTalkedIn(where.store, kind, channel)) ? speaker : undefined;
  }

  #handle(where: FleetProject, speaker: Speaker, id: string, event: StoredEvent): void {
    if (this.#handled.has(id)) return;
    this.#handled.add(id);
    const { connections, attending, now, changed, trouble, signal } = this.#options;
    const command = askedIn(event);
    const isAtOnce = command !== undefined || event.kind === "pressed";
    const { key } = event.place;
    const work = async () => {
      const handling: Handling = {
        ...{ id, event, where, speaker, fresh: this.#fresh.get(id), now: now(), signal },
        connector: connections.of(event.bot)?.connector,
        attending: attending(key),
      };
      try {
        if (command) {
          if (!(await handleCommand(command, handling))) return;
        } else if (event.kind === "pressed") await handlePress(handling);
        else await this.#deliver(handling);
        this.#fresh.delete(id);
      } catch (error) {
        trouble(
          where.project.root,
          `What was written in ${key} could not be dealt with: ${messageOf(error)}`,
        );
      } finally {
        // One that failed, or waits, is tried again at the next look.
        this.#handled.delete(id);
        changed(where);
      }
    };
    const before = this.#queues.get(key) ?? Promise.resolve();
    // What was asked for does not wait; what is written after it does: "!reset" and a new beginning may come together.
    const done = isAtOnce ? Promise.all([before, work()]).then(() => {}) : before.then(work);
    this.#queues.set(key, done);
    void done.finally(() => {
      if (this.#queues.get(key) === done) this.#queues.delete(key);
    });
  }

  async #deliver(handling: Handling): Promise<void> {
    const { attending, delivered } = this.#options;
    const taken = await handleMessage(handling);
    if (!taken) return;
    attending(handling.event.place.key)?.look();
    await delivered(handling.where, taken.isNew);
  }
}

function acknowledge(
  { connector, signal }: Connection,
  { service: { output } }: Speaker,
  event: Extract<Heard, { kind: "message" }>,
): void {
  const { typingIndicator: types, acknowledgeEmoji: emoji } = output;
  void connector?.acknowledge(event, { emoji, types }, signal).catch(() => {});
}
