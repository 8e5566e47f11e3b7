import type { Runs } from "./alphabets.ts";
import { hasDigit } from "./looks-random.ts";
import type { Span } from "./span.ts";

/** Nobody's secret: what an example says, and what every forge calls the user of ssh. */
const EXAMPLE =
  /^(?:\$|<|\{|%7B|\*|\[redacted|x{3,})|^(?:user(?:name)?|pass(?:word)?|login|name|secret|me|foo|bar|baz|a|b|u|p|x|y)$/i;

const LONGEST = 2_000;

/**
 * Who signs in to an address of any kind, at its `://`. `strict`: the text is about this very address, so that
 * whatever stands there counts.
 */
export function credentialsAt(runs: Runs, index: number, strict: boolean): Span | undefined {
  const { text } = runs;
  const from = index + "://".length;
  const near = text.slice(from, Math.min(runs.end("authority", from), from + LONGEST));
  runs.steps += near.length;
  const length = near.lastIndexOf("@");
  if (length <= 0) return undefined;
  const at = from + length;
  const who = near.slice(0, length);
  const colon = who.indexOf(":");
  const start = runs.start("dotted", index, 20);
  if (start === index) return undefined;
  if (colon === -1) {
    if (/ssh/i.test(text.slice(start, index))) return undefined;
    return strict || (/^[\w-]{12,}$/.test(who) && hasDigit(text, from, at)) ? { from, to: at } : undefined;
  }
  const password = who.slice(colon + 1);
  if (password.startsWith("[redacted") || password === "") return undefined;
  return strict || (password.length >= 5 && !EXAMPLE.test(password)) ? { from, to: at } : undefined;
}
