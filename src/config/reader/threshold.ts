import type { Located } from "../yaml/tree.ts";
import { entryOf, exampleFix, markOf, type Reader, type Report, refuse, type Spot } from "./reader.ts";
import { orVariable, type Schema, told } from "./schema.ts";
import { number, numberIn } from "./values.ts";

/**
 * When a session hands its work over: how much of the window is left, how much of it is in use, or when a fresh session would be
 * cheaper.
 */
export type Threshold =
  | { kind: "remaining"; fraction: number }
  | { kind: "tokens"; tokens: number }
  | { kind: "used"; percent: number }
  | { kind: "economical" };

export const percent = number({ least: 1, most: 99 }, "a per cent from 1 to 99", 70);

const NUMBERS: Schema = {
  ...told(
    { type: "number", exclusiveMaximum: 1 },
    { exclusiveMinimum: 0 },
    { type: "integer", minimum: 1000 },
  ),
  examples: [0.2, 150_000],
};

export const remainingOrTokens: Reader<Threshold> = {
  expects: "a fraction of the window, or a number of tokens",
  schema: orVariable(NUMBERS),
  read(spot, report) {
    const given = numberIn(spot.value);
    if (given === undefined) return refuse(spot, report, "a number", exampleFix(spot, "0.10"));
    if (given > 0 && given < 1) return { kind: "remaining", fraction: given };
    if (given >= 1000 && Number.isSafeInteger(given)) return { kind: "tokens", tokens: given };
    const shown = spot.value.kind === "scalar" ? (spot.value.written ?? given) : given;
    const usedInstead =
      given >= 1 && given <= 99 ? `; for ${shown}% used: handoff: { threshold: ${shown} }` : "";
    report(
      markOf(spot),
      `${spot.name} must be between 0 and 1, or a whole number from 1000 up; found ${shown}`,
      `write 0.10 to hand off with 10% of the window left, or 150000 with that many tokens in use${usedInstead}`,
    );
  },
};

const ECONOMICAL = "economical";

/** When a job hands off: the rule that saves money needs a job's own figures and prices. */
export const contextThreshold: Reader<Threshold> = {
  expects: `${remainingOrTokens.expects}, or \`${ECONOMICAL}\``,
  schema: orVariable(told({ type: "string" }, { enum: [ECONOMICAL] }, NUMBERS)),
  read(spot, report) {
    const { value } = spot;
    if (value.kind === "scalar" && value.value === ECONOMICAL) return { kind: "economical" };
    if (numberIn(value) !== undefined) return remainingOrTokens.read(spot, report);
    return refuse(spot, report, `a number or ${ECONOMICAL}`, exampleFix(spot, "0.10"));
  },
};

export const percentUsed: Reader<Threshold> = {
  ...percent,
  read(spot, report) {
    const used = percent.read(spot, report);
    return used === undefined ? undefined : { kind: "used", percent: used };
  },
};

/** Three keys say the same thing. */
const KEYS = [
  ["session", "context_threshold"],
  ["session", "context_handoff_threshold"],
  ["handoff", "threshold"],
] as const;

/** For the schema of an agent. */
export const onlyOneThreshold: Schema = {
  not: {
    anyOf: KEYS.flatMap((first, index) => KEYS.slice(index + 1).map((second) => both([first, second]))),
  },
};

function both(keys: readonly (readonly [string, string])[]): Schema {
  const parts = [...new Set(keys.map(([part]) => part))];
  const needs = (part: string): Schema => ({
    type: "object",
    required: keys.filter(([each]) => each === part).map(([, key]) => key),
  });
  return { required: parts, properties: Object.fromEntries(parts.map((part) => [part, needs(part)])) };
}

/** An agent can use only one of them. */
export function refuseSecondThreshold({ name, value }: Spot, report: Report): void {
  const given = KEYS.map(([part, key]) => ({
    name: `${part}.${key}`,
    entry: entryOf(entryOf(value, part)?.value, key),
  }));
  const [first, ...others] = given.filter(({ entry }) => entry !== undefined);
  for (const other of others) {
    if (!first || !other.entry) continue;
    const full = name ? `${name}.${other.name}` : other.name;
    report(other.entry.keySpan, `${full} says the same thing as ${first.name}`, "keep one of them");
  }
}

export function hasThreshold(value: Located): boolean {
  return KEYS.some(([part, key]) => entryOf(entryOf(value, part)?.value, key));
}

/** A layer without its threshold, where the layer above has one, whichever of the keys each is written with. */
export function withoutOlderThreshold(lower: Located, upper: Located): Located {
  if (!hasThreshold(upper) || lower.kind !== "map") return lower;
  const entries = lower.entries.map((entry) => {
    const keys: readonly string[] = KEYS.filter(([part]) => part === entry.key).map(([, key]) => key);
    if (keys.length === 0 || entry.value.kind !== "map") return entry;
    const kept = entry.value.entries.filter(({ key }) => !keys.includes(key));
    return { ...entry, value: { ...entry.value, entries: kept } };
  });
  return { ...lower, entries };
}
