import type { Facts, TestFact } from "../facts.ts";
import { AS_PRINTED, excerpt } from "../text/excerpt.ts";
import { code, fence, part } from "./marks.ts";

/** The last test run and the last error. Where the error is what the run printed, it stands there once. */
export function printedParts(
  { lastTest, lastError }: Pick<Facts, "lastTest" | "lastError">,
  most: { output: number; error: number },
): string[] {
  const error = lastError === null ? "" : excerpt(lastError, most.error);
  return [
    lastTest ? part("Last test run", testRun(lastTest, error, most.output)) : "",
    error === "" ? "" : part("Last error", fence(error)),
  ];
}

function testRun({ command, ok, output }: TestFact, error: string, most: number): string {
  const how = `${code(command)} ${verdict(ok)}`;
  const printed = excerpt(output, most);
  const isError = printed !== "" && error.endsWith(printed.slice(-AS_PRINTED));
  return isError ? `${how}. It printed the last error, below.` : `${how}\n\n${fence(printed)}`;
}

export function verdict(ok: boolean | null, runs = 1): string {
  const how = ok === null ? "outcome unknown" : ok ? "ok" : "failed";
  return runs > 1 ? `(${how}, run ${runs} times)` : `(${how})`;
}
