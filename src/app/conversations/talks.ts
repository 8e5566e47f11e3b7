import type { Connector, OnRecord } from "../../connectors/connector.ts";
import { type Full, makesRoom } from "../../fleet/admission.ts";
import { CHAT_SERVICES } from "../../job/status-words.ts";
import { redactor } from "../../secrets/redact.ts";
import { conversationsOf } from "../../store/conversations/conversations.ts";
import type { FleetState } from "../../store/sqlite/fleet-state.ts";
import { messageOf } from "../../util/errors.ts";
import type { Tell } from "../fleet/news.ts";
import type { FleetProject } from "../fleet/projects.ts";
import { Attending } from "./attending.ts";
import type { Bot, Speaker } from "./bots.ts";
import { Connections } from "./connections.ts";
import { Every } from "./every.ts";
import { aboutTalking } from "./heard-words.ts";
import { Incoming } from "./incoming.ts";
import { type Spoken, Telling } from "./telling.ts";
import { queueWhoRests, tidy } from "./upkeep.ts";

interface Options {
  state: FleetState;
  /** Their configurations change while the fleet runs. */
  projects: readonly FleetProject[];
  /** Where tokens are. */
  env: Readonly<Record<string, string | undefined>>;
  connect: (bot: Bot, onRecord: () => Promise<OnRecord>) => Promise<Connector>;
  tell: Tell;
  /** The fleet is to look at its queues. */
  wake: () => void;
  now?: () => Date;
  /** How long the program of a conversation stays open while nobody says anything. */
  keepOpenMs?: number;
}

const KEEP_OPEN_MS = 120_000;
const TIDY_MS = 60_000;

/** All conversations of a fleet: hears what people say, has jobs answer them, and tells them what comes of it. */
export class Talks {
  readonly #options: Options & Required<Pick<Options, "now">>;
  readonly #connections: Connections;
  readonly #incoming: Incoming;
  readonly #tellings = new Map<string, Telling>();
  readonly #attending = new Map<string, Attending>();
  readonly #told = new Set<string>();
  readonly #tidying = new Every(TIDY_MS);
  readonly #ending = new AbortController();
  readonly #redact: (text: string) => string;

  constructor({ now = () => new Date(), ...options }: Options) {
    this.#options = { ...options, now };
    const { projects, env, state, connect } = options;
    const known = Object.entries(env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    this.#redact = redactor(Object.fromEntries(known));
    const trouble = (project: string, why: string) => this.#tellOnce(project, why);
    this.#connections = new Connections({
      ...{ state, projects, env, connect, now, trouble },
      heard: (connection, event) => this.#incoming.heard(connection, event),
    });
    this.#incoming = new Incoming({
      ...{ projects, now, trouble, connections: this.#connections, signal: this.#ending.signal },
      attending: (key) => this.#attending.get(key),
      delivered: async (where, isNew) => {
        if (!isNew) await this.#queueWhoRests(where);
        options.wake();
      },
      changed: (where) => this.#changed(where),
      log: (speaker, text) => this.#log(speaker, "standard", text),
    });
  }

  /** At every look of the fleet. `full`: what waits for a slot that a conversation at rest may have. */
  async look({ full }: { full: readonly Full[] | "all" }): Promise<void> {
    this.#connections.look();
    if (this.#connections.isEmpty) return;
    this.#giveWay(full);
    const now = this.#options.now();
    const isTidying = this.#tidying.isDue(now);
    if (isTidying) this.#tidying.done(now);
    for (const where of this.#options.projects) {
      await this.#incoming.resume(where);
      if (isTidying) await this.#tidy(where, now);
      await this.#queueWhoRests(where);
      await this.#tellingOf(where).look();
    }
  }

  /** Undefined where a job serves no conversation of people. */
  async attend(where: FleetProject, job: string): Promise<Attending | undefined> {
    const { store, project } = where;
    const recorded = (await conversationsOf(store, job)).find(({ kind }) => kind === "talk");
    const voice = recorded && this.#connections.voiceOf(project.root, recorded);
    if (!recorded || !voice) return undefined;
    const { connector, speaker } = voice;
    const attending = new Attending({
      ...{ store, recorded, connector, output: speaker.service.output },
      ...{ attachments: speaker.service.attachments, root: project.root, redact: this.#redact },
      about: aboutTalking(CHAT_SERVICES[connector.kind], recorded.place),
      keepOpenMs: this.#options.keepOpenMs ?? KEEP_OPEN_MS,
      changed: () => this.#changed(where),
    });
    this.#attending.set(recorded.key, attending);
    return attending;
  }

  /** Its job is this process's no more. */
  async leave(where: FleetProject, attending: Attending): Promise<void> {
    await attending.close();
    await this.#tellingOf(where)
      .look()
      .catch(() => {});
    if (this.#attending.get(attending.key) === attending) this.#attending.delete(attending.key);
  }

  /** Lets the program of a job go that only waits for people. False where it works, or is none of theirs. */
  rest(job: string): boolean {
    return [...this.#attending.values()].some((each) => each.job === job && each.rest());
  }

  async end(): Promise<void> {
    for (const telling of this.#tellings.values()) await telling.look().catch(() => {});
    this.#ending.abort();
    await this.#connections.end();
    await this.#incoming.idle();
    await Promise.all([...this.#tellings.values()].map((each) => each.idle()));
  }

  /** As many conversations rest as others wait for their slots. */
  #giveWay(full: readonly Full[] | "all"): void {
    const resting = (each: Attending) => each.isResting;
    const open = [...this.#attending.values()].sort((a, b) => Number(resting(b)) - Number(resting(a)));
    if (full === "all") for (const each of open) each.rest();
    else {
      for (const waiting of full) {
        const at = open.findIndex((each) => makesRoom(each, waiting) && (each.isResting || each.rest()));
        if (at !== -1) open.splice(at, 1);
      }
    }
  }

  async #queueWhoRests({ store, project }: FleetProject): Promise<void> {
    const { queued, paused } = await queueWhoRests(store, this.#options.now());
    if (queued > 0) this.#options.wake();
    for (const job of paused) {
      this.#tellOnce(
        project.root,
        `${job} was paused by hand, so it does not hear what is written to it. Resume it with: baton resume ${job}`,
      );
    }
  }

  async #tidy({ store, project }: FleetProject, now: Date): Promise<void> {
    const ended = await tidy(store, this.#connections.speakersOf(project.root), now);
    for (const key of ended) this.#attending.get(key)?.end();
  }

  #tellingOf(where: FleetProject): Telling {
    const { root } = where.project;
    const known = this.#tellings.get(root);
    if (known) return known;
    const voiceOf = (conversation: Spoken) => this.#connections.voiceOf(root, conversation);
    const telling = new Telling({
      store: where.store,
      voiceOf: (conversation) => {
        const voice = voiceOf(conversation);
        return voice && { connector: voice.connector, output: voice.speaker.service.output };
      },
      attending: (key) => this.#attending.get(key),
      said: (conversation) => {
        const voice = voiceOf(conversation);
        if (!voice) return;
        const service = CHAT_SERVICES[voice.connector.kind];
        this.#log(voice.speaker, "verbose", `${service}: answered in ${conversation.key}`);
      },
      trouble: ({ key }, why) => this.#tellOnce(root, `${key}: ${why}`),
      signal: this.#ending.signal,
    });
    this.#tellings.set(root, telling);
    return telling;
  }

  #changed(where: FleetProject): void {
    void this.#tellingOf(where)
      .look()
      .catch((error: unknown) => this.#tellOnce(where.project.root, messageOf(error)));
  }

  #log({ project, service: { logLevel } }: Speaker, level: "standard" | "verbose", text: string): void {
    if (logLevel === "minimal" || (level === "verbose" && logLevel !== "verbose")) return;
    this.#options.tell({ project, what: "chat", text });
  }

  #tellOnce(project: string, why: string): void {
    if (this.#told.has(why)) return;
    this.#told.add(why);
    this.#options.tell({ project, what: "problem", why });
  }
}
