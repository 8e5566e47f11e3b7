import type { Meter } from "../../box/proxy/api-door.ts";
import { fromJson, isFields } from "../../util/json.ts";
import type { Models } from "../agent.ts";
import type { TokenUsage } from "../events.ts";
import { costAt } from "../price.ts";

/** How answers of an API tell what they used. */
export interface Bill {
  /** The part of a JSON text that may tell it. */
  find: (told: Record<string, unknown>) => { model: unknown; usage: unknown };
  tokens: (usage: Record<string, unknown>) => TokenUsage;
}

const DATA = "data:";

/** Reads what an answer cost, in whatever pieces it comes: one that streams by its events, any other as a whole. */
export class AnswerMeter implements Meter {
  readonly #bill: Bill;
  readonly #priceOf: Models["priceOf"];
  #rest = "";
  #model = "";
  #usage: Record<string, unknown> = {};

  constructor(bill: Bill, priceOf: Models["priceOf"]) {
    this.#bill = bill;
    this.#priceOf = priceOf;
  }

  read(text: string): void {
    this.#rest += text;
    if (/^\s*[[{]/.test(this.#rest)) {
      if (/[\]}]$/.test(this.#rest.trimEnd())) this.#take(fromJson(this.#rest));
      return;
    }
    const lines = this.#rest.split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      // Most events are pieces of a text.
      if (line.startsWith(DATA) && line.includes('"usage')) this.#take(fromJson(line.slice(DATA.length)));
    }
  }

  get costUsd(): number {
    const usage = this.#bill.tokens(this.#usage);
    const price = this.#priceOf(this.#model, usage.input + usage.cacheRead + usage.cacheWrite);
    return price ? costAt(price, usage) : 0;
  }

  #take(told: unknown): void {
    if (Array.isArray(told)) {
      for (const each of told) this.#take(each);
      return;
    }
    if (!isFields(told)) return;
    const { model, usage } = this.#bill.find(told);
    if (typeof model === "string") this.#model = model;
    if (isFields(usage)) this.#usage = { ...this.#usage, ...usage };
  }
}
