import { entryOf, exampleFix, markOf, type Read, type Report, refuse, type Spot } from "./read.ts";
import { number } from "./values.ts";

/** When a session hands its work over: how much of the window is left, or how much of it is in use. */
export type Threshold =
  | { kind: "remaining"; fraction: number }
  | { kind: "tokens"; tokens: number }
  | { kind: "used"; percent: number };

export const percent = number((value) => value >= 1 && value <= 99, "a per cent from 1 to 99", "70");

export const remainingOrTokens: Read<Threshold> = (spot, report) => {
  const { value } = spot;
  const given = value.kind === "scalar" ? value.value : undefined;
  if (typeof given !== "number") return refuse(spot, report, "a number", exampleFix(spot, "0.10"));
  if (given > 0 && given < 1) return { kind: "remaining", fraction: given };
  if (given >= 1000 && Number.isSafeInteger(given)) return { kind: "tokens", tokens: given };
  const usedInstead =
    given >= 1 && given <= 99 ? `; for ${given} % used: handoff: { threshold: ${given} }` : "";
  report(
    markOf(spot),
    `${spot.name} must be between 0 and 1, or a whole number from 1000 up; found ${given}`,
    `write 0.10 to hand off with 10 % of the window left, or 150000 with that many tokens in use${usedInstead}`,
  );
};

export const percentUsed: Read<Threshold> = (spot, report) => {
  const used = percent(spot, report);
  return used === undefined ? undefined : { kind: "used", percent: used };
};

/** Three keys say the same thing, so that an agent can use only one of them. */
export function refuseSecondThreshold({ name, value }: Spot, report: Report): void {
  const session = entryOf(value, "session")?.value;
  const handoff = entryOf(value, "handoff")?.value;
  const given = [
    { name: "session.context_threshold", entry: entryOf(session, "context_threshold") },
    { name: "session.context_handoff_threshold", entry: entryOf(session, "context_handoff_threshold") },
    { name: "handoff.threshold", entry: entryOf(handoff, "threshold") },
  ];
  const [first, ...others] = given.filter(({ entry }) => entry !== undefined);
  for (const other of others) {
    if (!first || !other.entry) continue;
    const message = `${name}.${other.name} says the same thing as ${first.name}`;
    report(other.entry.keySpan, message, "keep one of them");
  }
}
