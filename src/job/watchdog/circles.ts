import type { CircleKind, JournalEvent } from "../events.ts";
import { failingTests } from "./failing-tests.ts";

/** Something that a job does over and over. */
export interface Circle {
  kind: CircleKind;
  what: string;
  times: number;
  /** The event of the first time. */
  since: number;
  /** How many tests failed each time, where that is what is counted. */
  failing?: number[];
}

/** How often is a coincidence no more. */
const SAME_OUTPUT = 5;
const UNDONE = 3;
const FAILING_RUNS = 6;
/** Of commands and files each: what was longest not touched is forgotten. */
const MOST_KEPT = 200;

interface CommandRuns {
  digest: string;
  times: number;
  since: number;
  /** The count of writes when it last ran. */
  writes: number;
}

interface TestRuns {
  failing: number[];
  since: number;
}

interface Edits {
  /** By what each edit took out and put in, the newest last. */
  made: { removed: string; added: string }[];
  undone: number;
  since: number;
}

interface OpenCall {
  seq: number;
  summary: string;
  /** Of the command. */
  command: string;
}

/**
 * Follows the calls of a job, of its main thread and its subagents, and finds what makes no progress: a command that comes to the
 * same again and again, edits that undo edits, tests of which no fewer fail. It goes by digests on record, and by no model.
 */
export class Circles {
  readonly #open = new Map<string, OpenCall>();
  readonly #commands = new Map<string, CommandRuns>();
  readonly #tests = new Map<string, TestRuns>();
  readonly #edits = new Map<string, Edits>();
  #writes = 0;

  /** What this event shows to go in circles. Each time that it goes on as long again, it is said again. */
  after(event: JournalEvent): Circle | undefined {
    switch (event.type) {
      case "tool:start":
        if (event.does === "write") return this.#edited(event);
        if (event.does === "command" && event.digest !== undefined)
          this.#open.set(event.id, { seq: event.seq, summary: event.summary, command: event.digest });
        return undefined;
      case "tool:end": {
        const call = this.#open.get(event.id);
        this.#open.delete(event.id);
        if (!call || event.interrupted || event.denied) return undefined;
        return this.#tested(call, event) ?? this.#ran(call, event);
      }
      case "message:sent":
        // What a person says changes what is progress.
        if (event.kind === "said") this.#forgetAll();
        return undefined;
      case "session:ended":
        this.#open.clear();
        return undefined;
      default:
        return undefined;
    }
  }

  /** A check that passes after every edit is no circle; one that fails the same way is, and so is one without an edit in between. */
  #ran(call: OpenCall, { ok, digest }: Ended): Circle | undefined {
    if (digest === undefined) return undefined;
    const before = this.#commands.get(call.command);
    const writes = this.#writes;
    const isSame = before?.digest === digest && !(ok && before.writes !== writes);
    const runs = isSame
      ? { ...before, times: before.times + 1, writes }
      : { digest, times: 1, since: call.seq, writes };
    keep(this.#commands, call.command, runs);
    if (runs.times % SAME_OUTPUT !== 0) return undefined;
    return { kind: "commands", what: call.summary, times: runs.times, since: runs.since };
  }

  /** Of a command that counts failing tests: after edits, and no fewer fail than when it was first run. */
  #tested(call: OpenCall, { ok, output }: Ended): Circle | undefined {
    const failing = ok ? 0 : failingTests(output);
    if (failing === undefined) return undefined;
    const before = this.#tests.get(call.command);
    const isFewer = failing < Math.min(...(before?.failing ?? [Number.POSITIVE_INFINITY]));
    if (failing === 0 || !before || isFewer) {
      this.#tests.delete(call.command);
      if (failing > 0) keep(this.#tests, call.command, { failing: [failing], since: call.seq });
      return undefined;
    }
    const runs = { ...before, failing: [...before.failing, failing] };
    keep(this.#tests, call.command, runs);
    const times = runs.failing.length;
    if (times % FAILING_RUNS !== 0) return undefined;
    return {
      kind: "tests",
      what: call.summary,
      times,
      since: runs.since,
      failing: runs.failing.slice(-FAILING_RUNS),
    };
  }

  #edited({ seq, digest, summary, removed = [], added = [] }: Write): Circle | undefined {
    this.#writes++;
    if (digest === undefined) return undefined;
    const change = { removed: removed.join(" "), added: added.join(" ") };
    const before = this.#edits.get(digest);
    const isUndone =
      change.removed !== "" &&
      change.removed !== change.added &&
      before?.made.some((made) => made.removed === change.added && made.added === change.removed);
    const edits = before ?? { made: [], undone: 0, since: seq };
    const undone = edits.undone + (isUndone ? 1 : 0);
    keep(this.#edits, digest, { ...edits, made: [...edits.made, change].slice(-MOST_KEPT), undone });
    if (!isUndone || undone % UNDONE !== 0) return undefined;
    return { kind: "edits", what: summary, times: undone, since: edits.since };
  }

  #forgetAll(): void {
    this.#commands.clear();
    this.#tests.clear();
    this.#edits.clear();
  }
}

type Ended = Extract<JournalEvent, { type: "tool:end" }>;
type Write = Extract<JournalEvent, { type: "tool:start" }>;

/** As the newest of them. */
function keep<T>(all: Map<string, T>, key: string, value: T): void {
  all.delete(key);
  all.set(key, value);
  const oldest = all.size > MOST_KEPT ? all.keys().next() : undefined;
  if (oldest && !oldest.done) all.delete(oldest.value);
}
