import type { Grant } from "../agents/events.ts";
import type { JobEvent } from "./events.ts";
import type { Job } from "./job.ts";

/** What a session may do without a question. */
export interface Permissions {
  mode?: string;
  /** As in `allowed_tools`. */
  tools: string[];
}

/** A call that the rules did not allow, and all that were just like it. */
export interface DeniedCall {
  tool: string;
  summary: string;
  times: number;
  message: string;
  allow?: Grant;
}

/** More than a person reads, and a job that is denied everything must not grow by it. */
const MOST_CALLS = 50;

export function withDenied(
  { denied = [] }: Job,
  event: Extract<JobEvent, { type: "tool:denied" }>,
): Pick<Job, "denied"> {
  const { name: tool, summary = "", message, allow, byPerson } = event;
  // Whoever says no knows of it.
  if (byPerson) return {};
  const call = { tool, summary, message, ...(allow && { allow }) };
  const earlier = denied.find((other) => isSame(other, call));
  if (!earlier && denied.length >= MOST_CALLS) return {};
  const others = denied.filter((other) => other !== earlier);
  return { denied: [...others, { ...call, times: (earlier?.times ?? 0) + 1 }] };
}

/** A call that was made in the end is no longer denied. */
export function withoutCall({ denied, tools }: Job, id: string): Pick<Job, "denied"> {
  const made = tools.find((tool) => tool.id === id);
  if (!denied || !made) return {};
  return { denied: denied.filter((call) => !isSame(call, { tool: made.name, summary: made.summary })) };
}

/** What a new session may do is not held against the job because an earlier one might not. */
export function underPermissions({ denied }: Job, permissions: Permissions): Partial<Job> {
  return {
    permissions,
    ...(denied && { denied: denied.filter(({ allow }) => !allow || !isGranted(allow, permissions)) }),
  };
}

function isSame(one: Pick<DeniedCall, "tool" | "summary">, other: Pick<DeniedCall, "tool" | "summary">) {
  return one.tool === other.tool && one.summary === other.summary;
}

function isGranted(grant: Grant, { mode, tools }: Permissions): boolean {
  if (mode === EVERYTHING) return true;
  if ("mode" in grant) return grant.mode === mode;
  const rules = tools.map(oneSpelling);
  return grant.tools.every((rule) => rules.includes(oneSpelling(rule)) || rules.includes(toolOf(rule)));
}

const EVERYTHING = "bypassPermissions";

/** `Bash(npm test:*)` and `Bash(npm test *)` are one rule. */
const oneSpelling = (rule: string) => rule.replace(/:\*\)$/, " *)");

const toolOf = (rule: string) => rule.replace(/\(.*$/s, "");

export type DeniedView = ReturnType<typeof deniedView>;

/** One of `denied` in what programs are told: its keys are a promise to users. */
export function deniedView({ tool, summary, times, message, allow }: DeniedCall) {
  return {
    tool,
    call: summary,
    times,
    ...(allow ? { allow: settingsFor([allow]) } : { reason: message }),
  };
}

/** Many rules for one tool read no better than the tool. */
const MOST_RULES = 6;

/** The keys of baton.yaml that allow all of this, on top of what is allowed already. */
function settingsFor(grants: readonly Grant[], already: readonly string[] = []) {
  const mode = grants.find((grant) => "mode" in grant)?.mode;
  const wanted = grants.flatMap((grant) => ("tools" in grant ? grant.tools : [])).map(withoutSecret);
  const rules = [...new Set(wanted)];
  const crowded = new Set(
    rules.map(toolOf).filter((tool) => rules.filter((rule) => toolOf(rule) === tool).length > MOST_RULES),
  );
  const all = [...already, ...rules.map((rule) => (crowded.has(toolOf(rule)) ? toolOf(rule) : rule))];
  return {
    ...(mode !== undefined && { permission_mode: mode }),
    ...(rules.length > 0 && { allowed_tools: [...new Set(all)] }),
  };
}

/** A rule with something left out of it matches nothing. */
function withoutSecret(rule: string): string {
  return rule.includes("[redacted") ? toolOf(rule) : rule;
}

/** The lines for the agent in baton.yaml that would have allowed all that was denied. None where no rule could. */
export function linesToAllow({ denied = [], permissions }: Pick<Job, "denied" | "permissions">): string[] {
  const grants = denied.flatMap(({ allow }) => allow ?? []);
  const { permission_mode: mode, allowed_tools: tools } = settingsFor(grants, permissions?.tools);
  return [
    ...(mode === undefined ? [] : [`permission_mode: ${mode}`]),
    ...(tools === undefined ? [] : [`allowed_tools: ${inYaml(tools)}`]),
  ];
}

/** The same for one call alone. */
export function linesForCall(grant: Grant): string {
  return linesToAllow({ denied: [{ tool: "", summary: "", times: 1, message: "", allow: grant }] }).join(
    ", ",
  );
}

function inYaml(rules: readonly string[]): string {
  return `[${rules.map((rule) => (/^[A-Za-z]\w*$/.test(rule) ? rule : JSON.stringify(rule))).join(", ")}]`;
}
