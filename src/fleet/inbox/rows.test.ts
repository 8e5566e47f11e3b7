import { describe, expect, it } from "vitest";
import type { OpenAsk } from "../../job/asks/asks.ts";
import { emptyJob, type Job } from "../../job/job.ts";
import { fingerprint } from "../../util/fingerprint.ts";
import { marksOf } from "./done.ts";
import type { InboxFacts } from "./facts.ts";
import { inboxRows, needing } from "./rows.ts";

const NOTHING: InboxFacts = {
  asking: [],
  answered: new Set(),
  stalled: [],
  circling: [],
  paused: [],
  failed: [],
  toReview: [],
  missed: [],
  conflicts: [],
  denied: [],
  done: [],
};

const at = (minute: number) => new Date(Date.UTC(2026, 10, 18, 10, minute)).toISOString();

function job(id: string, more: Partial<Job>): Job {
  return { ...emptyJob(`job-2026-11-18-${id}`), agent: "coder", updatedAt: at(0), ...more };
}

const ask = (id: string, more: Partial<OpenAsk> = {}): OpenAsk => ({
  ...{ ask: id, session: "s", call: id, name: "Bash", summary: "npm test", input: "command: npm test" },
  ...{ digest: "d", since: at(5), ...more },
});

const circle: NonNullable<Job["circles"]>[number] = {
  ...{ seq: 30, at: at(6), kind: "tests", what: "npm test", times: 6, since: 12, failing: [2, 2, 3] },
};

const rowsOf = (facts: Partial<InboxFacts>) => inboxRows({ ...NOTHING, ...facts });

describe("the inbox", () => {
  it("has what waiting costs most first, and of that the oldest", () => {
    const rows = rowsOf({
      asking: [
        job("kept", { status: "paused", pauseCode: "asking", asks: [ask("kept-1", { since: at(1) })] }),
        job("live", { status: "running", asks: [ask("live-1"), ask("live-2", { since: at(4) })] }),
      ],
      stalled: [job("stuck", { status: "running", stall: { seq: 1, at: at(3), quietMs: 300_000 } })],
      circling: [job("round", { status: "running", circles: [circle] })],
      paused: [
        job("kept", { status: "paused", pauseCode: "asking" }),
        job("paused", { error: "The limit." }),
      ],
      failed: [job("failed", { error: "It broke." })],
      toReview: [job("done", { prompt: "Fix it.", finishedAt: at(2) })],
      missed: [
        {
          agent: "coder",
          schedule: "nightly",
          firstDue: at(0),
          due: at(0),
          count: 2,
          reason: null,
          at: at(1),
        },
      ],
      denied: [{ agent: "coder", rule: "Bash(npm test:*)", times: 31, since: at(0) }],
      brokenConfig: { file: "/project/baton.yaml", message: "agents is missing", since: at(9) },
    });
    expect(rows.map(({ kind, id, costs }) => `${costs} ${kind} ${id}`)).toEqual([
      "slot approval live-2",
      "slot approval live-1",
      "slot stall job-2026-11-18-stuck",
      "slot circles job-2026-11-18-round",
      "work approval kept-1",
      "work configuration /project/baton.yaml",
      "work paused job-2026-11-18-paused",
      "work failed job-2026-11-18-failed",
      "nothing schedule coder/nightly",
      "nothing review job-2026-11-18-done",
      "nothing denied coder:Bash(npm test:*)",
    ]);
    expect(rows.at(-1)?.title).toBe("Bash(npm test:*) was denied 31 times this week: allow it?");
    expect(needing(rows)).toBe(rows.length - 1);
    for (const { actions, why } of rows) {
      expect(actions.length).toBeGreaterThan(0);
      expect(why.length).toBeGreaterThan(0);
    }
  });

  it("has no ask that somebody has answered, and says what else the same answer calls", () => {
    const tools = ["live-1", "live-2", "later"].map((id) => ({
      id,
      name: "Bash",
      summary: id,
      startedAt: at(0),
    }));
    const asking = [job("live", { status: "running", tools, asks: [ask("live-1"), ask("live-2")] })];
    const rows = rowsOf({ asking, answered: new Set(["live-1"]) });
    expect(rows).toMatchObject([{ id: "live-2", ask: { calls: ["Bash later"] } }]);
  });

  it("asks a question in its own words, with a place for each answer", () => {
    const questions = [
      { question: "Which port?", options: [{ label: "80" }] },
      { question: "Now?", options: [] },
    ];
    const [row] = rowsOf({
      asking: [job("live", { status: "running", asks: [ask("live-1", { questions })] })],
    });
    expect(row).toMatchObject({ kind: "question", title: "Which port?" });
    expect(row?.actions[0]?.command).toBe('baton answer live-1 "…" "…"');
  });

  it("says what goes in circles, how often, and from which event on", () => {
    const other = { ...circle, kind: "commands" as const, what: "ls", times: 5, since: 20, at: at(7) };
    const [row] = rowsOf({ circling: [job("round", { status: "running", circles: [circle, other] })] });
    expect(row).toMatchObject({ since: at(6), title: "ran ls 5 times with the same output" });
    expect(row?.why.map(({ text }) => text)).toEqual([
      "npm test has failed in 6 runs and no fewer tests fail (2, 2, 3), since event 12",
      "ran ls 5 times with the same output, since event 20",
    ]);
  });

  it("has nothing that a person took away, until it changes, and what must be dealt with cannot be", () => {
    const facts = {
      ...NOTHING,
      circling: [job("round", { status: "running", circles: [circle] })],
      paused: [job("paused", { error: "The limit." })],
      failed: [job("a", { error: "It broke.", seq: 7 }), job("b", { error: "It broke.", seq: 8 })],
      toReview: [job("done", { prompt: "Fix it.", seq: 9 })],
    };
    const rows = inboxRows(facts);
    const done = rows.flatMap((row) => marksOf(row, facts));
    expect(done).toHaveLength(4);
    expect(inboxRows({ ...facts, done }).map(({ kind }) => kind)).toEqual(["paused"]);
    const failedAgain = [job("a", { error: "It broke.", seq: 21 }), ...facts.failed.slice(1)];
    const again = [{ ...circle, seq: 40 }];
    expect(
      inboxRows({ ...facts, done, failed: failedAgain, circling: [job("round", { circles: again })] }),
    ).toMatchObject([
      { kind: "circles" },
      { kind: "paused" },
      { kind: "failed", jobs: ["job-2026-11-18-a"] },
    ]);
  });

  it("has jobs that failed in the same way as one row", () => {
    const failed = [
      job("a", { error: "Cannot write /tmp/a-17/x: ENOSPC (pid 4711)", updatedAt: at(1) }),
      job("b", { error: "Cannot write /srv/b/y: ENOSPC (pid 99)\nmore", updatedAt: at(2) }),
      job("c", { error: "No such model", updatedAt: at(3) }),
    ];
    const rows = rowsOf({ failed });
    expect(rows.map(({ title, jobs }) => [title, jobs.length])).toEqual([
      ["2 jobs failed in the same way: Cannot write /srv/b/y: ENOSPC (pid 99)", 2],
      ["No such model", 1],
    ]);
    expect(rows[0]).toMatchObject({ since: at(1), id: "job-2026-11-18-b" });
  });
});

it.each([
  ["Exit code 1 in job-2026-11-18-9dwwek", "exit code 2 in job-2026-11-17-aaaaaa", true],
  [
    "Session 0b4c0b52-7b7c-4b0e-8b1e-3a5bd6a1b111 is gone",
    "Session 1b4c0b52-7b7c-4b0e-8b1e-3a5bd6a1b112 is gone",
    true,
  ],
  ["Commit 3f2a91c failed", "Commit 77ab01d failed", true],
  ["The tests failed", "The build failed", false],
])("takes %j and %j for the same: %j", (one, other, isSame) => {
  expect(fingerprint(one) === fingerprint(other)).toBe(isSame);
});
