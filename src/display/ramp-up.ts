import { isFarAbove, type Named, type RampUp, type UsualRampUp } from "../job/ramp-up.ts";
import { clock, counted, tokens } from "../util/figures.ts";
import { oneLine } from "./style.ts";

const NAMES_SHOWN = 5;

/** `3 turns, 12k tokens, 0:35; 2 files read again`. */
export function rampUpInWords(rampUp: RampUp): string {
  const again = [
    several(rampUp.readAgain, "file", "read again"),
    several(rampUp.repeated, "command", "repeated with the same result"),
    several(rampUp.redone, "edit", "redone"),
  ].flat();
  return [spentInWords(rampUp), ...(again.length > 0 ? [again.join(", ")] : [])].join("; ");
}

function spentInWords(rampUp: RampUp): string {
  const spent = `${rampUpFigures(rampUp)}, ${clock(rampUp.ms)}`;
  switch (rampUp.state) {
    case "measuring":
      return `${spent} so far`;
    case "ended":
      return `no new work in ${spent}`;
    case "reached":
      return rampUp.turns === 0 ? `new work at once, after ${clock(rampUp.ms)}` : spent;
  }
}

/** `3 turns, 12k tokens`. */
export function rampUpFigures({ turns, tokens: count }: Pick<RampUp, "turns" | "tokens">): string {
  return [counted(turns, "turn"), ...(count === null ? [] : [`${tokens(count)} tokens`])].join(", ");
}

/** Where it is far above what is usual: that, and what the session did again. Undefined where it is not. */
export function farAboveInWords(rampUp: RampUp, usual: UsualRampUp | undefined): string | undefined {
  if (!usual || !isFarAbove(rampUp, usual)) return undefined;
  const median = `far above the median of this agent (${rampUpFigures(usual)} over ${counted(usual.handoffs, "handoff")})`;
  const { readAgain, repeated } = rampUp;
  const missing = [
    ...(readAgain.count > 0 ? [`read again: ${namesIn(readAgain)}`] : []),
    ...(repeated.count > 0 ? [`run again: ${namesIn(repeated)}`] : []),
  ];
  return missing.length === 0
    ? median
    : `${median}; the next document should include what was ${missing.join("; ")}`;
}

/** `a.ts, b.ts and 3 more`. */
export function namesIn({ count, names }: Named): string {
  const shown = names.slice(0, NAMES_SHOWN).map(oneLine);
  const more = count - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

function several({ count }: Named, thing: string, how: string): string[] {
  return count === 0 ? [] : [`${counted(count, thing)} ${how}`];
}
