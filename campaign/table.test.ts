import { expect, it } from "vitest";
import type { JobReport } from "./judge.ts";
import { PHASES } from "./phase.ts";
import { describe as described, tableOf, tallyOf, verdictOf } from "./table.ts";

const report = (more: Partial<JobReport> = {}): JobReport => ({
  index: 1,
  workspace: "static",
  agent: "scripted",
  kills: PHASES.map((phase, seq) => ({ phase, seq, victim: "baton" })),
  completed: true,
  missed: 0,
  resumes: 1,
  findings: [],
  ...more,
});

it("kills are counted by phase, and a job in each phase in which it was hit", () => {
  const twice = report({
    kills: [
      { phase: "working", seq: 1, victim: "agent" },
      { phase: "working", seq: 2, victim: "all at once" },
    ],
    completed: false,
  });
  const tally = tallyOf([report(), twice]);
  expect(tally.working).toMatchObject({ kills: 3, jobs: 2, completed: 1 });
  expect(tally.pushing).toMatchObject({ kills: 1, jobs: 1, completed: 1 });
});

it("a campaign in which every phase was hit and nothing went wrong is well", () => {
  const notes = [{ kind: "scratch" as const, phase: "closing" as const, what: "baton-index-1" }];
  expect(verdictOf([report({ findings: notes })], 6)).toEqual([]);
});

it("a fault, a job that did not complete, a phase without a kill and too few of them all fail it", () => {
  const lost = { kind: "edits lost" as const, phase: "closing" as const, what: "edit-2.txt is not there" };
  expect(verdictOf([report({ findings: [lost] })], 6)).toEqual(["edits lost: 1"]);
  expect(verdictOf([report({ completed: false })], 6)).toEqual(["jobs not completed: 1"]);
  expect(verdictOf([report()], 7)).toEqual(["only 6 of 7 kills struck"]);
  const kills = report().kills.filter(({ phase }) => phase !== "pushing");
  expect(verdictOf([report({ kills })], 5)).toEqual(["no kill struck while pushing"]);
});

it("the table has a line for each phase, and its figures stand under their names", () => {
  const [head = "", ...lines] = tableOf(tallyOf([report()])).split("\n");
  expect(lines.map((line) => line.split(/ {2,}/)[0])).toEqual([...PHASES, "all"]);
  const end = head.indexOf("kills") + "kills".length;
  expect(lines.map((line) => line.slice(end - 1, end))).toEqual(["1", "1", "1", "1", "1", "1", "6"]);
});

it("a job is only told of where something went wrong, with all that was done to it", () => {
  expect(described(report())).toEqual([]);
  const orphan = { kind: "orphans" as const, phase: "working" as const, what: "sleep 1" };
  const kills = [{ phase: "working" as const, seq: 1, victim: "guard" as const }];
  expect(described(report({ kills, findings: [orphan], completed: false }))).toEqual([
    "job 1 (static, scripted; killed: guard while working), not completed",
    "  orphans after a kill while working: sleep 1",
  ]);
});
