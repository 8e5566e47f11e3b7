import { describe, expect, it } from "vitest";
import { type Account, emptyAccount } from "./account.ts";
import { type CheckName, check } from "./checks.ts";
import { type Facts, noFacts, type WorkspaceFacts } from "./facts.ts";
import { mended } from "./mend.ts";

const good: Account = {
  ...emptyAccount(),
  goal: "Add JWT",
  constraints: ["Do not add dependencies."],
  progress: { done: ["The middleware is written"], inProgress: [], pending: ["The docs"] },
  currentState: "The middleware is in `src/auth.ts`.",
  nextSteps: ["Write the docs"],
  filesChanged: [{ path: "src/auth.ts", change: "new" }],
};
const facts: Facts = {
  ...noFacts("Add JWT. Do not add dependencies."),
  constraints: ["Do not add dependencies."],
  files: [{ path: "src/auth.ts", change: "created", read: false }],
};
const head = "1013df4a22abb3d948b11fb0da0f9a13c8c56a57";
const workspace: WorkspaceFacts = { git: { branch: "main", head, changes: [], commits: [] }, missing: [] };
const budget = { most: 12_000, takes: 800 };

function shortfalls(change: {
  account?: Partial<Account>;
  facts?: Partial<Facts>;
  workspace?: Partial<WorkspaceFacts>;
  takes?: number;
}) {
  const input = {
    account: { ...good, ...change.account },
    facts: { ...facts, ...change.facts },
    workspace: { ...workspace, ...change.workspace },
    budget: { ...budget, takes: change.takes ?? budget.takes },
    secrets: 0,
  };
  const checks = check(input);
  return { input, checks, failed: checks.filter(({ ok }) => !ok) };
}

const failing = { command: "npm test", ok: false, output: "1 failed" };

describe("an account", () => {
  it("passes when it is complete, true and within its budget", () => {
    expect(shortfalls({}).failed).toEqual([]);
  });

  it.each<[string, CheckName, Parameters<typeof shortfalls>[0], string]>([
    [
      "lacks a required section",
      "complete",
      { account: { nextSteps: [] } },
      'the section "Next steps" is missing, empty or a placeholder',
    ],
    [
      "has a placeholder",
      "complete",
      { account: { currentState: "TBD" } },
      'the section "Current state" is missing, empty or a placeholder',
    ],
    [
      "cites a path that does not exist",
      "true-paths",
      {
        account: {
          filesChanged: [
            { path: "src/auth.ts", change: "" },
            { path: "src/ghost.ts", change: "new" },
          ],
        },
        workspace: { missing: ["src/ghost.ts"] },
      },
      "src/ghost.ts is named but does not exist",
    ],
    [
      "cites such a path in its prose",
      "true-paths",
      { account: { currentState: "See `lib/ghost.ts:12`." }, workspace: { missing: ["lib/ghost.ts"] } },
      "lib/ghost.ts is named but does not exist",
    ],
    [
      "has a wrong HEAD",
      "true-git",
      { account: { currentState: "HEAD is at deadbeef1." } },
      `HEAD is ${head}, not deadbeef1`,
    ],
    [
      "has a wrong branch",
      "true-git",
      { account: { currentState: "On branch feature/x." } },
      "the branch is main, not feature/x",
    ],
    [
      "lists as done what the last test run contradicts",
      "true-tests",
      {
        account: { progress: { done: ["All tests pass"], inProgress: [], pending: [] } },
        facts: { lastTest: failing },
      },
      '"All tests pass" is listed as done, but the last test run failed: npm test',
    ],
    [
      "does not name a changed file",
      "covers-files",
      { facts: { files: [...facts.files, { path: "src/b.ts", change: "edited", read: true }] } },
      "src/b.ts was changed and is not named",
    ],
    [
      "does not carry a constraint",
      "covers-constraints",
      { account: { constraints: [] } },
      "the user's constraint is not there word for word: Do not add dependencies.",
    ],
    [
      "is over its budget",
      "budget",
      { takes: 13_000 },
      "it takes about 13000 tokens, and 12000 is the most: say it shorter",
    ],
    [
      "repeats itself",
      "not-inflated",
      { account: { criticalContext: Array.from({ length: 40 }, () => "the same long line again") } },
      "39 of its 44 lines are repeated",
    ],
  ])("that %s is found short, naming what", (_what, name, change, message) => {
    const { failed } = shortfalls(change);
    expect(failed.map((one) => one.name)).toEqual([name]);
    expect(failed[0]?.missing).toContain(message);
  });

  it("may name a file that it says was deleted, or that git knows as deleted", () => {
    const gone = {
      account: { filesChanged: [...good.filesChanged, { path: "old.ts", change: "deleted" }] },
      workspace: { missing: ["old.ts"] },
    };
    expect(shortfalls(gone).failed).toEqual([]);
    const known = {
      account: { filesChanged: [...good.filesChanged, { path: "old.ts", change: "" }] },
      workspace: { missing: ["old.ts"], git: { branch: "main", head, changes: [" D old.ts"], commits: [] } },
    };
    expect(shortfalls(known).failed).toEqual([]);
  });

  it("may name a file by its base name, and need not name what is outside the folder", () => {
    const edited = (path: string) => ({ path, change: "edited" as const, read: true });
    const account = { currentState: "The middleware is in `src/auth.ts`, its limits in limits.ts." };
    const files = [...facts.files, edited("src/deep/limits.ts"), edited("/home/me/.claude/plans/plan.md")];
    expect(shortfalls({ account, facts: { files } }).failed).toEqual([]);
    const twice = [...files, edited("src/other/limits.ts"), edited("src/its.ts")];
    expect(shortfalls({ account, facts: { files: twice } }).failed[0]?.missing).toEqual([
      "src/deep/limits.ts was changed and is not named",
      "src/other/limits.ts was changed and is not named",
      "src/its.ts was changed and is not named",
    ]);
  });

  it.each<[string, string, string]>([
    ["without its full stop", "Never touch baton.yaml.", "never touch `baton.yaml`"],
    ["with other quotes and dashes", "Use “main” - never “master”!", "Use \"main\" — never 'master'"],
    ["with another way to write not", "Don't add dependencies.", "Do not add dependencies"],
    ["within a longer entry", "Don’t push.", "The user said: don't push, whatever happens."],
    [
      "in other words",
      "Do not add any new dependencies to the project.",
      "No new dependencies in this project",
    ],
    [
      "with another ending",
      "Keep every line under 80 characters.",
      "Lines are kept under 80 characters each",
    ],
  ])("may carry a constraint %s", (_how, constraint, told) => {
    const carried = { account: { constraints: [told] }, facts: { constraints: [constraint] } };
    expect(shortfalls(carried).failed).toEqual([]);
  });

  it.each([
    ["says the opposite", "Never use tabs for indentation.", "Use tabs for indentation"],
    ["speaks of something else", "Keep every line under 80 characters.", "Never touch baton.yaml."],
    ["has it in a longer word", "Never push.", "Never pushpins"],
  ])("does not carry one where it %s", (_how, constraint, told) => {
    const missed = { account: { constraints: [told] }, facts: { constraints: [constraint] } };
    expect(shortfalls(missed).failed.map(({ name }) => name)).toEqual(["covers-constraints"]);
  });

  it("may say which tests do not pass yet", () => {
    const progress = { done: ["Tests pass except the login ones"], inProgress: [], pending: [] };
    expect(shortfalls({ account: { progress }, facts: { lastTest: failing } }).failed).toEqual([]);
  });
});

describe("an account completed from facts", () => {
  it.each<[string, Parameters<typeof shortfalls>[0]]>([
    [
      "missing sections",
      {
        account: {
          goal: "",
          currentState: "",
          nextSteps: [],
          progress: { done: [], inProgress: [], pending: [] },
        },
        facts: { todos: [{ id: "1", text: "The docs", status: "pending" }] },
      },
    ],
    [
      "missing files and constraints",
      {
        account: { constraints: [], filesChanged: [] },
        facts: { files: [{ path: "a.ts", change: "created", read: false }] },
      },
    ],
    [
      "a claim that the tests contradict",
      {
        account: { progress: { done: ["All tests pass"], inProgress: [], pending: [] } },
        facts: { lastTest: failing },
      },
    ],
    [
      "repetition",
      { account: { criticalContext: Array.from({ length: 40 }, () => "the same long line again") } },
    ],
  ])("passes the checks it failed: %s", (_what, change) => {
    const { input, checks } = shortfalls(change);
    const account = mended(input.account, input.facts, input.workspace, checks);
    expect(check({ ...input, account }).filter(({ ok }) => !ok)).toEqual([]);
  });

  it("marks what came from the facts", () => {
    const { input, checks } = shortfalls({ account: { constraints: [] } });
    const { constraints } = mended(input.account, input.facts, input.workspace, checks);
    expect(constraints).toEqual(["Do not add dependencies. (from facts)"]);
  });

  it("corrects a wrong HEAD and a path that is not there", () => {
    const { input, checks } = shortfalls({
      account: { currentState: "HEAD is at deadbeef1. See `lib/ghost.ts`." },
      workspace: { missing: ["lib/ghost.ts"] },
    });
    const { currentState } = mended(input.account, input.facts, input.workspace, checks);
    expect(currentState).toContain(`Correction: HEAD is ${head}, not deadbeef1 (from facts).`);
    expect(currentState).toContain("not there: lib/ghost.ts (from facts).");
  });
});
