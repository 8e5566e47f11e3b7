import { fromJson } from "../util/json.ts";
import type { HookRun } from "./hook-run.ts";

const DECISIONS = ["continue", "abort", "stop"] as const;
type Decision = (typeof DECISIONS)[number];

/** `{"decision":"continue"}` as the whole output or its last line, or the word alone on its last line. */
export function decisionIn(output: string): Decision | undefined {
  const last = lastLine(output);
  return decided(fromJson(output)) ?? decided(fromJson(last)) ?? known(last);
}

function decided(json: unknown): Decision | undefined {
  return typeof json === "object" && json !== null && "decision" in json ? known(json.decision) : undefined;
}

function known(said: unknown): Decision | undefined {
  return DECISIONS.find((decision) => decision === said);
}

function lastLine(output: string): string {
  return output.trimEnd().split("\n").at(-1)?.trim() ?? "";
}

/** Something that was meant as a decision and is none: broken JSON, or a word that nobody knows. */
function isUnclear(output: string): boolean {
  return decisionIn(output) === undefined && /"decision"\s*:/.test(lastLine(output));
}

/** `handoff-done`: the hooks have done what they wanted and said no more. */
export interface ThresholdDecision {
  decision: Decision | "handoff-done" | "built-in";
  /** Why it is the built-in handoff although there are hooks. */
  fellBack?: string;
}

/** What the hooks at the threshold want. In doubt it is the built-in handoff: no work is lost to a bad hook. */
export function decide(runs: readonly HookRun[]): ThresholdDecision {
  const failed = runs.find(({ ok }) => !ok);
  if (failed) return { decision: "built-in", fellBack: `the hook "${failed.name}" failed: ${failed.error}` };
  const ran = runs.filter(({ skipped }) => skipped === undefined);
  if (ran.length === 0) return { decision: "built-in", fellBack: "no hook was for this occasion" };
  const unclear = ran.find(({ output }) => isUnclear(output));
  if (unclear) {
    return {
      decision: "built-in",
      fellBack: `the hook "${unclear.name}" printed something that is not a decision`,
    };
  }
  const said = ran.map(({ output }) => decisionIn(output)).findLast((decision) => decision !== undefined);
  return { decision: said ?? "handoff-done" };
}

/** What the shell hooks of a session's start printed, to go before its prompt. */
export function promptAdditions(runs: readonly HookRun[], limit = 16_000): { text: string; cut: boolean } {
  const text = runs
    .filter(({ kind, ok, skipped }) => kind === "shell" && ok && skipped === undefined)
    .map(({ output }) => output.trimEnd())
    .filter((output) => output !== "")
    .join("\n\n");
  return { text: text.slice(0, limit).toWellFormed(), cut: text.length > limit };
}
