import { expect, it } from "vitest";
import { configWithoutFile } from "../config/without-file.ts";
import { emptyJob, type Job } from "../job/job.ts";
import { liveLine } from "./live-line.ts";
import { coloured, onScreen, plain } from "./style.ts";
import { widthOf } from "./width.ts";

const now = new Date("2026-01-01T00:01:05.000Z");
const [config] = configWithoutFile("/anywhere").agents;
if (!config) throw new Error("there is always an agent");

const session = {
  id: "s",
  ordinal: 2,
  mode: "fresh" as const,
  model: "claude-sonnet-4-5",
  transcript: null,
  contextWindow: 200_000,
  peakTokens: 100_000,
  turns: 7,
  endReason: null,
  lastMessage: null,
  costUsd: 0,
  costBasis: "told" as const,
  earlierCostUsd: 0,
  earlierCostBasis: "told" as const,
};

it("says how a handoff can be cancelled where keys are heard", () => {
  const pendingHandoff = {
    number: 2,
    fromSession: "s",
    trigger: "threshold" as const,
    tokens: 1,
    contextWindow: 1,
    percent: 1,
  };
  const writing = runningJob({ pendingHandoff });
  for (const width of [60, 80, 100, 120])
    expect(liveLine(writing, config, now, width, plain, true)).toContain("· writing handoff 2, Esc cancels");
  expect(liveLine(writing, config, now, 120, plain)).toContain("· writing handoff 2 ·");
});

function runningJob(changes: Partial<Job> = {}): Job {
  return {
    ...emptyJob("job-1"),
    agent: "coder",
    status: "running",
    activeSince: "2026-01-01T00:00:00.000Z",
    sessions: [session],
    context: { tokens: 100_000, window: 200_000, percent: 50 },
    turns: 12,
    costUsd: 1.5,
    tools: [{ id: "t", name: "Bash", summary: "npm test", startedAt: "" }],
    ...changes,
  };
}

const line = (job: Job, width = 120) => liveLine(job, config, now, width, plain);

it("counts results that the next request carries, and says that this is an estimate", () => {
  const context = { tokens: 124_000, window: 200_000, percent: 62, pending: 49_000 };
  expect(line(runningJob({ context }))).toContain("█████████████████████░┃░ ~86% of 200k");
  expect(line(runningJob({ context: { ...context, pending: 90_000 } }))).toContain("~100% of 200k");
});

it("says that nobody knows how full the window is, where no response told", () => {
  const context = { tokens: 0, window: 200_000, percent: 0 };
  expect(line(runningJob({ context }))).toContain("░░░┃░ unknown of 200k");
});

it("says who works on what, how full the window is, and what it has taken so far", () => {
  expect(line(runningJob())).toBe(
    "coder · session 2 · ████████████░░░░░░░░░░┃░ 50% of 200k · Bash npm test · 12 turns · $1.50 · 1:05",
  );
});

it("calls an estimated cost one, and shows no figure for one that is not known", () => {
  expect(line(runningJob({ costBasis: "estimated" }))).toContain("· 12 turns · est. $1.50 · 1:05");
  expect(line(runningJob({ costBasis: "unknown", costUsd: 0 }))).toContain(
    "· 12 turns · cost unknown · 1:05",
  );
});

it("marks the threshold also when the bar is filled beyond it", () => {
  const full = { tokens: 196_000, window: 200_000, percent: 98 };
  expect(line(runningJob({ context: full }))).toContain("██████████████████████┃█ 98%");
});

it("puts the mark where the user's own threshold is", () => {
  const own = {
    ...config,
    session: { ...config.session, threshold: { kind: "tokens" as const, tokens: 100_000 } },
  };
  const early = { tokens: 10_000, window: 200_000, percent: 5 };
  expect(liveLine(runningJob({ context: early }), own, now, 120, plain)).toContain(
    "█░░░░░░░░░░░┃░░░░░░░░░░░ 5%",
  );
});

it("counts down while it waits for a limit", () => {
  const waiting = { until: now.getTime() + 185_000, message: "" };
  expect(line(runningJob({ status: "waiting", waiting }))).toContain("waiting for the limit, 3:05 left");
});

it("names the handoff that is being written", () => {
  const pendingHandoff = {
    number: 3,
    fromSession: "s",
    trigger: "threshold" as const,
    tokens: 1,
    contextWindow: 1,
    percent: 1,
  };
  expect(line(runningJob({ pendingHandoff }))).toContain("writing handoff 3");
});

it("shows an empty bar while the window is not known", () => {
  expect(line(runningJob({ context: null, sessions: [], tools: [] }))).toContain(
    `${"░".repeat(24)} · starting`,
  );
});

const awkward =
  "cat 日本語のとても長い名前のファイル.txt 🎉\u001b[31m\u0007\r\n && echo 👩‍👩‍👧‍👦 done ".repeat(5);

it("never wraps, whatever the window's width and the tool's input", () => {
  const job = runningJob({ tools: [{ id: "t", name: "Bash", summary: awkward, startedAt: "" }] });
  for (let width = 0; width <= 200; width++) {
    const text = line(job, width);
    expect(widthOf(text), `at ${width}`).toBeLessThanOrEqual(width);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
    expect(text).not.toMatch(/[\u0000-\u001f]/);
  }
});

it.each([
  [40, "████░░░┃ 50% · Bash npm test · 1:05"],
  [60, "session 2 · ██████░░░░░┃ 50% · Bash npm test · $1.50 · 1:05"],
])("keeps the bar and the tool in a window of %d columns", (width, expected) => {
  const busy = runningJob({ agent: "a-rather-long-agent-name" });
  expect(line(busy, width)).toBe(expected);
});

it("is the same text with colours", () => {
  const text = onScreen(liveLine(runningJob(), config, now, 120, coloured));
  expect(text).toContain("\u001b[");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what this takes away
  expect(text.replace(/\u001b\[\d+m/g, "")).toBe(line(runningJob()));
});

it("does not say that the agent thinks while the workspace is closed, or another job is waited for", () => {
  const shown = (changes: Partial<Job>) => line(runningJob({ tools: [], ...changes }), 160);
  expect(shown({ closing: { outcome: "completed", text: "" } })).toContain("closing the workspace");
  expect(shown({ status: "waiting" })).toContain("waiting for another job");
});
