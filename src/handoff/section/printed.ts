import type { Facts, TestFact } from "../facts.ts";
import { code, fence, part } from "./marks.ts";

/** So much of the end of an error stands there as it was printed. */
const AS_PRINTED = 300;
/** A line that is longer is a page, a dump or minified code. */
const LONGEST_LINE = 400;
const OF_A_LINE = { head: 240, tail: 120 };

/** The last test run and the last error. Where the error is what the run printed, it stands there once. */
export function printedParts(
  { lastTest, lastError }: Pick<Facts, "lastTest" | "lastError">,
  most: { output: number; error: number },
): string[] {
  const error = lastError === null ? "" : endOf(lastError, most.error);
  return [
    lastTest ? part("Last test run", testRun(lastTest, error, most.output)) : "",
    error === "" ? "" : part("Last error", fence(error)),
  ];
}

function testRun({ command, ok, output }: TestFact, error: string, most: number): string {
  const how = `${code(command)} ${verdict(ok)}`;
  const printed = endOf(output, most);
  const isError = printed !== "" && error.endsWith(printed.replace(/^…/, ""));
  return isError ? `${how}. It printed the last error, below.` : `${how}\n\n${fence(printed)}`;
}

export function verdict(ok: boolean | null, runs = 1): string {
  const how = ok === null ? "outcome unknown" : ok ? "ok" : "failed";
  return runs > 1 ? `(${how}, run ${runs} times)` : `(${how})`;
}

/** The end of what a program printed, without the middle of lines that nobody reads. */
function endOf(printed: string, most: number): string {
  if (printed.length <= AS_PRINTED) return printed;
  const before = printed
    .slice(0, -AS_PRINTED)
    .split("\n")
    .map((line) => (line.length > LONGEST_LINE ? withoutMiddle(line) : line))
    .join("\n");
  const end = printed.slice(-AS_PRINTED);
  const room = Math.max(0, most - AS_PRINTED);
  return before.length > room ? `…${before.slice(before.length - room)}${end}` : `${before}${end}`;
}

function withoutMiddle(line: string): string {
  return `${line.slice(0, OF_A_LINE.head)}…${line.slice(-OF_A_LINE.tail)}`;
}
