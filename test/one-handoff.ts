import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { type Account, emptyAccount } from "../src/handoff/account.ts";
import { parseDocument } from "../src/handoff/document.ts";
import type { Scenario, Step, ToolCall } from "../src/simulator/scenario.ts";
import { handOver, isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import { baton, ofType, type ProjectOptions, type TestProject, testProject } from "./harness.ts";

export const CONSTRAINTS = ["Never touch baton.yaml.", "Keep every line under 80 characters."];
export const REQUEST = `Write notes.txt. ${CONSTRAINTS.join(" ")}`;
export const RUN_REQUEST = ["run", "coder", REQUEST, "--json"];

/** An account with which nothing is wrong after `writesNotes`. */
export const good: Account = {
  ...emptyAccount(),
  goal: "Write notes.txt.",
  constraints: CONSTRAINTS,
  progress: { done: ["The first line is written"], inProgress: [], pending: ["The second line"] },
  currentState: "notes.txt holds its first line.",
  decisions: [{ decision: "Plain text", reason: "that is what was asked for" }],
  nextSteps: ["Write the second line."],
  filesChanged: [{ path: "notes.txt", change: "new, with one line" }],
};

export const writesNotes: ToolCall = { tool: "Write", input: { file_path: "notes.txt", content: "one\n" } };

export function bash(command: string): ToolCall {
  return { tool: "Bash", input: { command, description: "Run it" } };
}

export const asksForHandoff: ToolCall = {
  tool: "mcp__baton__request_handoff",
  input: { reason: "A large step comes." },
};

export function handsIn(account: Partial<Account>): Step {
  return (request) => handOver(request, { ...good, ...account });
}

/** Work in one step, then a handoff with these answers, then the end in the next session. */
export function oneHandoff(work: ToolCall[], ...answers: Step[]): Scenario {
  return {
    name: "one handoff",
    summary: "",
    steps: [{ call: work }, { call: asksForHandoff }, ...answers, { say: "All is done." }],
    otherwise: { say: "Nothing more was to be asked." },
  };
}

/** Runs the scenario to the job's end and says what became of its one handoff. */
export async function handedOver(
  scenario: Scenario,
  options: Omit<ProjectOptions, "scenario"> & { prepare?: (project: TestProject) => Promise<unknown> } = {},
) {
  const { prepare, ...rest } = options;
  const project = await testProject({ scenario, ...rest });
  await prepare?.(project);
  const { code, events, stdout } = await baton(project, RUN_REQUEST);
  expect(code, stdout).toBe(0);
  const [stored, ...others] = ofType(events, "handoff:stored");
  if (!stored || others.length > 0)
    throw new Error(`${others.length} handoffs too many, or none:\n${stdout}`);
  const text = await readFile(stored.documentPath, "utf8");
  const asked = ofType(events, "handoff:asked").map(({ again }) => again ?? []);
  return { project, events, stdout, stored, asked, text, document: parseDocument(text) };
}

/** What the model was asked, each time that an account was wanted. */
export function handoffRequests({ simulator }: TestProject): string[] {
  return simulator.requests
    .filter(({ request }) => isHandoffRequest(request))
    .map(({ request }) => request.last);
}

export function failedChecks(stored: { checks: { name: string; ok: boolean }[] }): string[] {
  return stored.checks.filter(({ ok }) => !ok).map(({ name }) => name);
}

/** The prompt with which the session after the handoff began. */
export function continuation({ simulator }: TestProject): string {
  const found = simulator.requests.find(({ request }) => request.last.includes("<handoff-context-"));
  if (!found) throw new Error("no session took over");
  return found.request.last;
}
