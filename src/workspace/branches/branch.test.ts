import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { branchName, withSuffix } from "./branch.ts";

const job = { agent: "coder", jobId: "job-2026-01-01-abc123", date: new Date("2026-02-16T23:59:59Z") };
const PATTERN = "agent/{agent}/{workItem}";
const branchOf = (workItem: string) => branchName(PATTERN, { ...job, workItem });

/** As `git check-ref-format --branch` has it. */
function isBranch(name: string): boolean {
  const refused =
    // biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them.
    /^-|^HEAD$|^@$|\.\.|[\x00-\x20\x7f~^:?*[\\]|@\{|\.$|\/\/|^\/|\/$|^\.|\/\.|\.lock(\/|$)|\p{Cs}/u;
  return name !== "" && !refused.test(name);
}

const nasty = [
  "--upload-pack=touch /tmp/x",
  "-b",
  "-",
  "../..",
  "..",
  ".",
  "/",
  "//",
  "/etc/passwd",
  "a/b",
  "a",
  "a/b/c",
  "a b",
  "fix  the   thing",
  " lead and trail ",
  "🚀",
  "🚀 launch ✅️",
  "👩‍💻",
  "日本語のタスク",
  "हिन्दी",
  "Ünïcödé".normalize("NFD"),
  "\u3164",
  "\u200b",
  "tab\tnewline\nnull\0bell\x07\x7f",
  "x".repeat(300),
  `${"x".repeat(300)}y`,
  "語".repeat(300),
  "a.lock",
  "a.lock.lock",
  "a.LOCK",
  ".lock",
  "@",
  "@{",
  "@{-1}",
  "main@{upstream}",
  "HEAD",
  "head...",
  ".hidden",
  "a..b",
  "a~1",
  "a^{commit}",
  "a:b",
  "what?*[x]",
  "back\\slash",
  "refs/heads/main",
  "$(reboot) `id` ; rm -rf ~",
  "%2e%2e%2f",
  "\ud800 half",
  "\udfff half",
  "LIN-42",
  "lin.42_b",
  "x--deadbeef",
];

describe("a branch is named", () => {
  it("after the work item, as it is written", () => {
    expect(branchOf("LIN-42")).toBe("agent/coder/LIN-42");
    expect(branchOf("v1.2_b")).toBe("agent/coder/v1.2_b");
    expect(branchOf("fix the login")).toBe("agent/coder/fix-the-login");
    expect(branchOf("größe-日本語-४२")).toBe("agent/coder/größe-日本語-४२");
  });

  it("after the schedule and the date, or the job, where there is no work item", () => {
    expect(branchName(PATTERN, { ...job, schedule: "daily-check" })).toBe(
      "agent/coder/daily-check/2026-02-16",
    );
    expect(branchName(PATTERN, job)).toBe("agent/coder/job-abc123");
    expect(branchName(PATTERN, { ...job, workItem: "", schedule: "" })).toBe("agent/coder/job-abc123");
  });

  it("by every placeholder, and an empty one leaves no gap", () => {
    const all = "{scheduleName}/{agent}/{date}/{jobId}/{workItem}";
    expect(branchName(all, { ...job, workItem: "LIN-42", schedule: "nightly" })).toBe(
      "nightly/coder/2026-02-16/job-2026-01-01-abc123/LIN-42",
    );
    expect(branchName(all, { ...job, workItem: "LIN-42" })).toBe(
      "coder/2026-02-16/job-2026-01-01-abc123/LIN-42",
    );
    expect(branchName("x/{scheduleName}/{agent}", job)).toBe("x/coder");
    expect(branchName("{scheduleName}", job)).toBe("job-abc123");
  });

  it("with a trace of what had to be cut or replaced", () => {
    expect(branchOf("a/b")).toMatch(/^agent\/coder\/a-b--[0-9a-f]{8}$/);
    expect(branchOf("--upload-pack=x")).toMatch(/^agent\/coder\/upload-pack-x--[0-9a-f]{8}$/);
    expect(branchOf("../..")).toMatch(/^agent\/coder\/x--[0-9a-f]{8}$/);
    expect(branchOf("x".repeat(300))).toMatch(/^agent\/coder\/x{60}--[0-9a-f]{8}$/);
  });

  it("so that no two differ by capitals alone: some disks would take them for one", () => {
    expect(branchOf("lin-42")).toMatch(/^agent\/coder\/lin-42--[0-9a-f]{8}$/);
    expect(branchOf("Fix the login")).toMatch(/^agent\/coder\/Fix-the-login--[0-9a-f]{8}$/);
    const cases = fc.string({ unit: fc.constantFrom(..."aAbBßſsSσςΣ-1 ") });
    fc.assert(
      fc.property(cases, cases, (one, other) => {
        const [a, b] = [branchOf(one), branchOf(other)].map((name) => name.toUpperCase().toLowerCase());
        fc.pre(one !== "" && other !== "" && one.replaceAll(" ", "-") !== other.replaceAll(" ", "-"));
        expect(a).not.toBe(b);
      }),
    );
    expect(branchName(PATTERN, { ...job, agent: "Coder", workItem: "LIN-42" })).toBe("agent/Coder/LIN-42");
  });

  it("so that a second try of the same work has a name that no other work has", () => {
    expect(withSuffix(branchOf("LIN-4"), 2)).toBe("agent/coder/LIN-4--2");
    expect(branchOf("LIN-4--2")).not.toBe(withSuffix(branchOf("LIN-4"), 2));
  });

  it("validly also where the pattern alone would not be", () => {
    const written = [
      "-{agent}",
      "a//{agent}/",
      "a b~^:?*[\\/{agent}.lock",
      "@{{agent}",
      "{nobody}",
      "..",
      "@",
    ];
    expect(
      written.map((pattern) => branchName(pattern, { ...job, agent: "HEAD" })).filter(isBranch),
    ).toHaveLength(written.length);
    expect(branchName("{agent}", { ...job, agent: "HEAD" })).toMatch(/^HEAD--[0-9a-f]{8}$/);
  });
});

it("is accepted by git, and all of them can be there at once", () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-branch-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const git = (args: string[], input = "") =>
    execFileSync("git", ["-C", folder, ...args], { input, encoding: "utf8" }).trim();
  git(["init", "-q"]);
  const tree = git(["mktree"]);
  const commit = git([
    "-c",
    "user.name=T",
    "-c",
    "user.email=t@example.invalid",
    "commit-tree",
    tree,
    "-m",
    "x",
  ]);
  const branches = nasty.flatMap((value) => [branchOf(value), withSuffix(branchOf(value), 100)]);
  for (const branch of branches) expect(git(["check-ref-format", "--branch", branch])).toBe(branch);
  git(
    ["update-ref", "--stdin"],
    branches.map((branch) => `create refs/heads/${branch} ${commit}\n`).join(""),
  );
  expect(git(["for-each-ref", "--format=x", "refs/heads"]).split("\n")).toHaveLength(2 * nasty.length);
});

describe("whatever the values hold", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 400 }),
    fc.string({ unit: "grapheme", maxLength: 400 }),
    fc.string({ unit: fc.constantFrom("a", "A", ".", "-", "/", "@", "{", " ", "~", ".lock", "\ud800", "é") }),
    fc.constantFrom(...nasty),
  );
  const patterns = fc
    .array(
      fc.oneof(fc.constantFrom("{agent}", "{workItem}", "{jobId}", "{date}", "{scheduleName}", "/"), text),
    )
    .map((parts) => parts.join(""));

  it("the name is valid and short, with a number behind it too", () => {
    fc.assert(
      fc.property(patterns, text, text, text, text, (pattern, agent, jobId, workItem, schedule) => {
        const branch = branchName(pattern, { agent, jobId, date: job.date, workItem, schedule });
        expect(branch).toSatisfy(isBranch);
        expect(withSuffix(branch, 2)).toSatisfy(isBranch);
        expect(Buffer.byteLength(withSuffix(branch, 100))).toBeLessThan(200);
      }),
    );
  });

  it("two work items never share a name, nor does one stand in the other's way", () => {
    const spaceless = (value: string) => value.replaceAll(" ", "-");
    fc.assert(
      fc.property(text, text, (one, other) => {
        fc.pre(one !== "" && other !== "" && spaceless(one) !== spaceless(other));
        expect(branchOf(one)).not.toBe(branchOf(other));
        expect(`${branchOf(one)}/`.startsWith(`${branchOf(other)}/`)).toBe(false);
        expect(withSuffix(branchOf(one), 2)).not.toBe(branchOf(other));
      }),
    );
  });
});
