import type { Clock } from "../clock.ts";
import type { Heard } from "../connector.ts";
import type { Files } from "./files.ts";
import { type Own, type Told, timeOf, toldBy } from "./heard.ts";
import type { People } from "./people.ts";
import { markdownOf, peopleIn } from "./text.ts";

/** Far more than come again: what is on record is known without this. */
const MOST_HEARD = 2_000;
/** Threads of which it is known who spoke last. */
const MOST_SPEAKERS = 2_000;

interface HearingOptions {
  people: People;
  files: Files;
  clock: Clock;
  /** Answers a command, for the one who gave it to see. */
  answer: (to: string, text: string) => Promise<void>;
  stopped: (event: Extract<Told, { kind: "stop" }>) => void;
  heard: (event: Heard) => Promise<void>;
}

/** What Slack tells, passed on once, with names, in the order in which it was told. */
export class Hearing {
  readonly #options: HearingOptions;
  /** What was heard, or is being recorded: the same may come twice before it is. */
  readonly #heard = new Map<string, Promise<void>>();
  /** What is being told of each place: the next thing waits for it. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(options: HearingOptions) {
    this.#options = options;
  }

  /** Resolves once it is on record. A mention in a channel that the bot reads comes twice, and what was not acknowledged comes again. */
  async told(type: string, payload: unknown, own: Own, signal: AbortSignal): Promise<void> {
    const told = toldBy(type, payload, own);
    if (!told) return;
    const known = this.#heard.get(told.id);
    if (known) return known;
    const hearing = this.#inTurn(told, own, signal);
    this.#heard.set(told.id, hearing);
    hearing.catch(() => this.#heard.delete(told.id));
    const [oldest] = this.#heard.keys();
    if (this.#heard.size > MOST_HEARD && oldest !== undefined) this.#heard.delete(oldest);
    return hearing;
  }

  /** The names of one may take longer than those of the next. */
  #inTurn(told: Told, own: Own, signal: AbortSignal): Promise<void> {
    const { people, heard } = this.#options;
    const { user, place } = told;
    const spokenOf = told.kind === "message" ? peopleIn(told.text).filter((id) => id !== own.user) : [];
    const named = people.names([user, ...spokenOf], signal);
    const before = this.#turns.get(place.key);
    const turn = Promise.all([named, before]).then(([names]) => heard(this.#event(told, names, own)));
    const over = turn.then(
      () => {},
      () => {},
    );
    this.#turns.set(place.key, over);
    void over.then(() => this.#turns.get(place.key) === over && this.#turns.delete(place.key));
    return turn;
  }

  #event(told: Told, names: ReadonlyMap<string, string>, own: Own): Heard {
    const { people, files, clock, answer, stopped } = this.#options;
    const { id, place } = told;
    const by = people.person(told.user);
    switch (told.kind) {
      case "message":
        return {
          kind: "message",
          id,
          place,
          by,
          text: markdownOf(told.text, names, own.user),
          isMention: told.isMention,
          files: told.files.map((file) => files.attached(file)),
          at: timeOf(told.ts),
        };
      case "pressed":
        return { kind: "pressed", id, place, by, button: told.button, at: timeOf(told.ts) };
      case "stop":
        stopped(told);
        return { kind: "stop", id, place, by, at: timeOf(told.ts) };
      case "command": {
        const { name, text, answerTo } = told;
        const at = new Date(clock.now()).toISOString();
        return { kind: "command", id, place, by, name, text, at, answer: (words) => answer(answerTo, words) };
      }
    }
  }
}

/** Who spoke last in each thread: a stream is for somebody. */
export class Speakers {
  readonly #last = new Map<string, string>();

  note({ kind, place, by }: Heard): void {
    if (kind !== "message") return;
    this.#last.delete(place.key);
    this.#last.set(place.key, by.id);
    const [oldest] = this.#last.keys();
    if (this.#last.size > MOST_SPEAKERS && oldest !== undefined) this.#last.delete(oldest);
  }

  in(key: string): string | undefined {
    return this.#last.get(key);
  }
}
