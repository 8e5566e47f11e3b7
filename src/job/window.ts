import { percent, tokens } from "../util/figures.ts";
import type { ContextFigures } from "./events.ts";

/** What the next request carries, as far as it is known. With results that only an estimate counts, it is one itself. */
export interface WindowUse {
  tokens: number;
  isEstimate: boolean;
}

/** Undefined where nobody knows: no response has told a figure yet. */
export function windowUse({
  tokens,
  pending = 0,
  isEstimate = false,
}: ContextFigures): WindowUse | undefined {
  return tokens === 0 ? undefined : { tokens: tokens + pending, isEstimate: isEstimate || pending > 0 };
}

/** `62%`, `~86%`, `unknown`. */
export function percentInWords(context: ContextFigures): string {
  const use = windowUse(context);
  if (!use || context.window === 0) return "unknown";
  return `${sign(use)}${percentOf(use, context.window)}`;
}

/** `124k of 200k (62%)`, `~173k of 200k (86%)`. */
export function windowInWords(context: ContextFigures): string {
  const use = windowUse(context);
  if (!use) return "unknown";
  const count = `${sign(use)}${tokens(use.tokens)}`;
  if (context.window === 0) return count;
  return `${count} of ${tokens(context.window)} (${percentOf(use, context.window)})`;
}

function percentOf({ tokens }: WindowUse, window: number): string {
  return percent((tokens / window) * 100);
}

const sign = ({ isEstimate }: WindowUse) => (isEstimate ? "~" : "");
