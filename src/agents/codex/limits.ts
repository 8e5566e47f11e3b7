import { isFields } from "../../util/json.ts";
import type { AgentEvent } from "../events.ts";
import type { Fields } from "./connection.ts";

/** From here on a limit is worth a word. */
const NEAR_PERCENT = 90;

interface Limit {
  scope: string;
  usedPercent: number;
  resetsAt?: number;
}

type LimitEvent = Extract<AgentEvent, { type: "limit" }>;

/** What the service says of the account's limits, the newest of it. */
export class Limits {
  #known: Limit[] = [];
  #told = "";

  /** An event where one of them comes near, or is reached. Each once. */
  *heard(snapshot: Fields): Generator<LimitEvent> {
    this.#known = [snapshot.primary, snapshot.secondary].flatMap(limitIn);
    const [most] = this.#known.filter(({ usedPercent }) => usedPercent >= NEAR_PERCENT).sort(byUse);
    const state = most && most.usedPercent >= 100 ? "reached" : "near";
    const said = most ? `${state} ${most.scope} ${most.resetsAt}` : "";
    const isNews = most && said !== this.#told;
    this.#told = said;
    if (!isNews) return;
    const { scope, resetsAt } = most;
    yield { type: "limit", state, scope, ...(resetsAt !== undefined && { resetsAt }) };
  }

  /** When all that are used up are no more. */
  resetsAt(): number | undefined {
    const times = this.#known
      .filter(({ usedPercent }) => usedPercent >= 100)
      .flatMap(({ resetsAt }) => (resetsAt === undefined ? [] : [resetsAt]));
    return times.length > 0 ? Math.max(...times) : undefined;
  }
}

const byUse = (one: Limit, other: Limit) => other.usedPercent - one.usedPercent;

function limitIn(window: unknown): Limit[] {
  if (!isFields(window) || typeof window.usedPercent !== "number") return [];
  const { usedPercent, windowDurationMins: minutes, resetsAt } = window;
  const scope = typeof minutes === "number" ? `${Math.round(minutes / 60)} hours` : "limit";
  return [{ scope, usedPercent, ...(typeof resetsAt === "number" && { resetsAt: resetsAt * 1000 }) }];
}
