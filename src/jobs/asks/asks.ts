import type { PermissionAnswer, PermissionQuestion, Permit } from "../../agents/permission.ts";
import type { AgentConfig } from "../../config/config.ts";
import { inWords } from "../../config/reader/duration.ts";
import { type Ask, askId, type LateAnswer } from "../../job/asks/asks.ts";
import type { JobEvent, PauseCode } from "../../job/events.ts";
import type { Job } from "../../job/job.ts";
import type { Redact } from "../../secrets/redact.ts";
import { answersTo, giveAnswer, letGo } from "../../store/asks.ts";
import { given } from "../../util/given.ts";
import { isDeep } from "../../util/json.ts";
import type { Journal } from "../journal.ts";
import { digestOf, shownInput } from "./shown-input.ts";

interface AsksOptions {
  journal: Journal;
  job: () => Job;
  redact: Redact;
  append: (event: JobEvent) => void;
  record: (event: JobEvent) => Promise<void>;
  now: () => Date;
  /** The person at the job's own screen, who is asked there too. */
  atScreen?: Permit;
}

type Approvals = AgentConfig["approvals"];

/** One that a live program waits for. */
interface Waiting {
  ask: string;
  /** The tool call's id. */
  call: string;
  /** By a clock that cannot be set. */
  since: number;
  approvals: Approvals;
  /** What became of it is on record, or it stays for its answer: its program is only to be closed. */
  isOver?: true;
  settle: (answer: PermissionAnswer) => void;
}

/** Why a job stops that waits for an answer. */
interface NoAnswer {
  code: Extract<PauseCode, "asking" | "ask_timeout">;
  message: string;
}

/**
 * The asks of one job, in the hands of its owner. Each is on record before anybody is asked, and so is its answer before the agent
 * hears it. Who answers writes into the store, so that one answer counts, whoever else gives one.
 */
export class Asks {
  readonly #options: AsksOptions;
  readonly #open = new Map<string, Waiting>();
  constructor(options: AsksOptions) {
    this.#options = options;
  }

  /** With what earlier owners left: an answer that came too late for them still holds, and what nobody answered is asked anew. */
  static async of(options: AsksOptions): Promise<Asks> {
    const asks = new Asks(options);
    const { journal, job, record } = options;
    const answers = new Map((await answersTo(asks.#where)).map(({ ask, answer }) => [ask, answer]));
    for (const { ask, rule } of job().asks ?? []) {
      const answer = answers.get(ask);
      if (answer) await record({ type: "ask:answered", ask, answer, ...ruleOf(answer, rule), late: true });
      else await record({ type: "ask:withdrawn", ask, message: ITS_PROGRAM_ENDED });
    }
    await journal.flush();
    return asks;
  }

  /** What a person has allowed for good: it holds for the sessions that follow, too. */
  get allowed(): readonly string[] {
    return this.#options.job().allowed ?? [];
  }

  get isAsking(): boolean {
    return this.#open.size > 0;
  }

  /** The tool calls that wait, by their ids. */
  get calls(): ReadonlySet<string> {
    return new Set([...this.#open.values()].map(({ call }) => call));
  }

  /** For the sessions of an agent. */
  permitFor(approvals: Approvals): Permit {
    return (question, signal) => this.#permit(question, signal, approvals);
  }

  /** Somebody may have answered. */
  async look(): Promise<void> {
    if (this.#open.size === 0) return;
    const { job, record } = this.#options;
    for (const { ask, answer } of await answersTo(this.#where)) {
      const waiting = this.#open.get(ask);
      if (!waiting) continue;
      this.#open.delete(ask);
      const rule = job().asks?.find((each) => each.ask === ask)?.rule;
      await record({ type: "ask:answered", ask, answer, ...ruleOf(answer, rule) });
      waiting.settle(answer);
    }
  }

  /** In so many milliseconds `overdue` is to be asked. */
  get dueInMs(): number {
    if (this.#options.atScreen) return Number.POSITIVE_INFINITY;
    const due = [...this.#open.values()].map(({ since, approvals }) => since + firstOf(approvals));
    return Math.max(LOOK_AGAIN_MS, Math.min(...due) - performance.now());
  }

  /**
   * Whether the job has waited for long enough, and must stop. `isBusy`: something else of the agent's runs, which is not ended
   * for that. A call that is to be denied then is.
   */
  async overdue(isBusy: boolean): Promise<NoAnswer | undefined> {
    if (this.#options.atScreen) return undefined;
    const waited = (ms: (approvals: Approvals) => number) =>
      [...this.#open.values()].filter(({ since, approvals }) => performance.now() >= since + ms(approvals));
    const late = waited(({ timeoutMs }) => timeoutMs);
    const toDeny = late.filter(({ approvals }) => approvals.onTimeout === "deny");
    if (toDeny.length > 0) await this.#expire(toDeny, { denied: true });
    const [first] = late.filter((each) => !toDeny.includes(each));
    if (first && !isBusy) {
      if (!(await this.#expire([first], {}))) return undefined;
      return { code: "ask_timeout", message: nobodyAnswered(first.approvals) };
    }
    const [closing] = waited(({ graceMs }) => graceMs);
    if (!closing || isBusy) return undefined;
    const all = [...this.#open.keys()];
    if (!(await letGo(this.#where, all, "kept"))) {
      await this.look();
      return undefined;
    }
    for (const waiting of this.#open.values()) waiting.isOver = true;
    return { code: "asking", message: `Waits for your answer to ${all.join(", ")}: baton inbox` };
  }

  /** Nothing waits any more: the turn is over, or its program. What was let go stays for its answer. */
  withdraw(message = ITS_PROGRAM_ENDED): void {
    for (const { ask, isOver, settle } of this.#open.values()) {
      if (!isOver) this.#options.append({ type: "ask:withdrawn", ask, message });
      settle({ answer: "no" });
    }
    this.#open.clear();
  }

  async #permit(
    question: PermissionQuestion,
    signal: AbortSignal,
    approvals: Approvals,
  ): Promise<PermissionAnswer> {
    const { job, record, redact, atScreen } = this.#options;
    if (isDeep(question.input)) return { answer: "no", because: TOO_DEEP };
    const digest = digestOf(question);
    const late = job().lateAnswers?.find((each) => isFor(each, question, digest));
    if (late) {
      await record({ type: "ask:used", ask: late.ask, call: question.id });
      return late.answer;
    }
    if (signal.aborted) return { answer: "no" };
    const { promise, resolve } = Promise.withResolvers<PermissionAnswer>();
    const ask = askId(job());
    this.#open.set(ask, { ask, call: question.id, since: performance.now(), approvals, settle: resolve });
    const made = record({ type: "ask:made", ...this.#askOf(ask, question, digest, approvals) });
    const gone = new AbortController();
    const abort = () => this.#gone(ask);
    signal.addEventListener("abort", abort, { once: true });
    try {
      await made;
      if (atScreen) void this.#askAtScreen(atScreen, ask, redact(question), gone.signal);
      return await promise;
    } finally {
      signal.removeEventListener("abort", abort);
      gone.abort();
    }
  }

  #askOf(ask: string, question: PermissionQuestion, digest: string, approvals: Approvals): Ask {
    const { job, now, atScreen } = this.#options;
    const { id: call, name, about: summary, why, rule, questions } = question;
    const until = new Date(now().getTime() + approvals.timeoutMs).toISOString();
    const session = job().sessions.at(-1)?.id ?? "";
    return {
      ...{ ask, session, call, name, summary: summary.slice(0, LONGEST_SUMMARY), digest },
      ...shownInput(question),
      ...given({ why, rule, questions }),
      ...(!atScreen && { until, onTimeout: approvals.onTimeout }),
    };
  }

  /** Their answer counts like any other, if it is the first. */
  async #askAtScreen(
    atScreen: Permit,
    ask: string,
    question: PermissionQuestion,
    signal: AbortSignal,
  ): Promise<void> {
    const answer = await atScreen(question, signal);
    if (signal.aborted) return;
    const { store, job } = this.#options.journal;
    await giveAnswer(store, { job: job.id, ask }, { answer, told: "", now: this.#options.now() });
    await this.look();
  }

  /** The program no longer wants to know. */
  #gone(ask: string): void {
    const waiting = this.#open.get(ask);
    if (!waiting) return;
    this.#open.delete(ask);
    if (!waiting.isOver)
      this.#options.append({ type: "ask:withdrawn", ask, message: "the agent no longer needs the answer" });
    waiting.settle({ answer: "no" });
  }

  async #expire(waiting: readonly Waiting[], how: { denied?: true }): Promise<boolean> {
    const asks = waiting.map(({ ask }) => ask);
    if (!(await letGo(this.#where, asks, "closed"))) {
      await this.look();
      return false;
    }
    for (const each of waiting) {
      const { ask, approvals, settle } = each;
      const message = nobodyAnswered(approvals);
      await this.#options.record({ type: "ask:expired", ask, message: `${ask}: ${message}`, ...how });
      each.isOver = true;
      if (!how.denied) continue;
      this.#open.delete(ask);
      settle({ answer: "no", because: message });
    }
    return true;
  }

  get #where() {
    const { journal } = this.#options;
    return { store: journal.store, job: journal.job.id, attempt: journal.attempt };
  }
}

const ITS_PROGRAM_ENDED = "the program that asked has ended";
const TOO_DEEP = "The input is nested so deeply that nobody could read it.";
const LONGEST_SUMMARY = 1_000;
/** While something else runs that is not to be ended. */
const LOOK_AGAIN_MS = 250;

/** After which something becomes of an ask. */
export function firstOf({ graceMs, timeoutMs }: Approvals): number {
  return Math.min(graceMs, timeoutMs);
}

/** What a person is told of an ask that they did not answer, and the agent too, where the call is denied for it. */
function nobodyAnswered({ timeoutMs }: Pick<Approvals, "timeoutMs">): string {
  return `Nobody answered within ${inWords(timeoutMs)} (approval_timeout).`;
}

function isFor({ name, digest }: LateAnswer, question: PermissionQuestion, asked: string): boolean {
  return name === question.name && digest === asked;
}

function ruleOf(answer: PermissionAnswer, rule: string | undefined): { rule?: string } {
  return answer.answer === "always" && rule !== undefined ? { rule } : {};
}
