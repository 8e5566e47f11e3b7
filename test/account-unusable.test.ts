import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Account } from "../src/handoff/account.ts";
import type { Fault } from "../src/simulator/scenario.ts";
import { isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import { ofType } from "./harness.ts";
import {
  asksForHandoff,
  CONSTRAINTS,
  continuation,
  failedChecks,
  good,
  handedOver,
  handsIn,
  oneHandoff,
  REQUEST,
  writesNotes,
} from "./one-handoff.ts";

/** Six per cent of the next window, at four characters a token. */
const BUDGET_CHARACTERS = 48_000;

const many = (count: number, entry: (number: number) => string) =>
  Array.from({ length: count }, (_, index) => entry(index + 1));

it.each<[string, Partial<Account>, RegExp, string]>([
  [
    "repeats itself",
    { criticalContext: many(60, () => "The build takes a while, so be patient.") },
    /lines are repeated/,
    "not-inflated",
  ],
  [
    "is far too long",
    {
      decisions: many(60, (n) => `Decision ${n}`).map((decision) => ({
        decision,
        reason: `${decision} `.repeat(250),
      })),
    },
    /tokens, and 12000 is the most/,
    "budget",
  ],
])("an account that twice %s is cut to its budget", async (_, inflated, told, check) => {
  const answer = handsIn(inflated);
  const { stored, asked, text, document } = await handedOver(oneHandoff([writesNotes], answer, answer));
  expect(asked).toEqual([[], [expect.stringMatching(told)]]);
  expect(stored).toMatchObject({ outcome: "mended", reason: expect.stringMatching(told) });
  expect(failedChecks(stored)).toEqual([check]);
  expect(text.length).toBeLessThan(BUDGET_CHARACTERS);
  const { goal, constraints, nextSteps, filesChanged } = good;
  expect(document.account).toMatchObject({ goal, constraints, nextSteps, filesChanged });
  expect(new Set(document.account.criticalContext).size).toBe(document.account.criticalContext.length);
});

const empty: Fault = { kind: "empty" };

it("a session that twice answers nothing is followed by one that goes on from the facts", async () => {
  const { events, stored, asked, document, project } = await handedOver({
    name: "empty",
    summary: "",
    rules: [{ when: isHandoffRequest, reply: { fault: empty } }],
    steps: [{ call: writesNotes }, { call: asksForHandoff }, { say: "All is done." }],
  });
  expect(asked).toEqual([[], [expect.stringMatching(/empty/)]]);
  expect(stored).toMatchObject({
    outcome: "from-facts",
    source: "facts",
    reason: expect.stringMatching(/empty/),
  });
  expect(ofType(events, "handoff:cancelled")).toEqual([]);
  expect(failedChecks(stored)).toEqual([]);
  expect(document.account).toMatchObject({
    goal: REQUEST,
    constraints: CONSTRAINTS,
    filesChanged: [{ path: "notes.txt", change: "created" }],
  });
  expect(continuation(project)).toContain("## Next steps\n\n- ");
});

it("a secret in an account reaches neither the document, nor the journal, nor the screen", async () => {
  const variable = "tok-1234567890abcdef";
  const shape = `ghp_${"A1b2".repeat(9)}`;
  const account = handsIn({
    criticalContext: [`The token is ${variable}.`],
    currentState: `Signed in with ${shape}; notes.txt holds its first line.`,
  });
  const { project, stored, asked, stdout, document } = await handedOver(oneHandoff([writesNotes], account), {
    agent: `env: { MY_API_TOKEN: "${variable}" }`,
  });
  expect(asked).toEqual([[]]);
  expect(stored.outcome).toBe("written");
  expect(failedChecks(stored)).toEqual(["no-secrets"]);
  expect(document.head.checks).toMatchObject({ "no-secrets": "mended", complete: "ok" });
  expect(document.account.criticalContext).toEqual(["The token is [redacted: MY_API_TOKEN]."]);
  expect(document.account.currentState).toMatch(/^Signed in with \[redacted\]; /);

  const kept = await texts(join(project.folder, ".baton"));
  expect(kept.length).toBeGreaterThan(1);
  for (const text of [stdout, continuation(project), ...kept]) {
    expect(text).not.toContain(variable);
    expect(text).not.toContain(shape);
  }
});

async function texts(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1")));
}
