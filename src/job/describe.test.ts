import { expect, it } from "vitest";
import { emptyAccount } from "../handoff/account.ts";
import type { DocumentHead } from "../handoff/document.ts";
import type { Facts } from "../handoff/facts.ts";
import { localMinute } from "../util/time.ts";
import { type Description, describe, describeMilestone } from "./describe.ts";
import type { JobEvent, JobEventType } from "./events.ts";
import { emptyJob } from "./job.ts";

const session = "s";
const context = { tokens: 120_000, window: 200_000, percent: 60 };
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const handoff = { agentName: "coder", jobId: "job-1", oldSessionId: "s", handoffNumber: 1 };
const stored = {
  type: "handoff:stored",
  handoffNumber: 1,
  session,
  source: "agent",
  outcome: "written",
  checks: [],
  documentPath: "/x/1.md",
  durationMs: 5,
} satisfies JobEvent;
const { documentPath: _, ...how } = stored;
const unstored = { ...how, type: "handoff:unstored" } as const;
const hook = {
  type: "hook",
  point: "after_run",
  event: "completed",
  name: "tell\nus",
  kind: "shell",
} as const;
const waits = "Another job has the branch.";
const asked = { session, ask: "9dwwek-1", call: "t", name: "Ask", summary: "", input: "", digest: "d" };

/** Of every kind of event at least one. */
const EVENTS: Record<JobEventType, [JobEvent, string | undefined][]> = {
  "job:created": [
    [{ type: "job:created", agent: "coder", prompt: "Go", agentConfig: {} }, "plain created for coder | Go"],
    [
      {
        type: "job:created",
        agent: "coder",
        prompt: "Go",
        agentConfig: {},
        continues: { document: "/1.md" },
      },
      "plain created for coder, continues /1.md | Go",
    ],
  ],
  "job:queued": [
    [{ type: "job:queued", priority: 0 }, "quiet queued"],
    [{ type: "job:queued", priority: 0, message: "the fleet stopped" }, "quiet queued: the fleet stopped"],
  ],
  "job:started": [[{ type: "job:started", pid: 1, marker: "m" }, "plain started"]],
  "job:interrupted": [
    [{ type: "job:interrupted", message: "Its process died." }, "caution interrupted | Its process died."],
  ],
  "job:reported": [[{ type: "job:reported", session: "a", status: "Blocked." }, "plain reported | Blocked."]],
  "job:resumed": [[{ type: "job:resumed", message: "Resumed." }, "quiet Resumed."]],
  "agent:switched": [
    [
      {
        type: "agent:switched",
        from: "coder",
        to: "cheap",
        reason: "usage_limit",
        message: "Limit.",
        until: 9,
      },
      "caution cheap takes over from coder | Limit.",
    ],
    [
      { type: "agent:switched", from: "cheap", to: "coder", reason: "reset", message: "Free again." },
      "plain coder takes over from cheap | Free again.",
    ],
  ],
  "job:completed": [[{ type: "job:completed", result: "Done." }, "good completed | Done."]],
  "job:failed": [[{ type: "job:failed", error: "No key." }, "bad failed | No key."]],
  "job:paused": [
    [{ type: "job:paused", code: "max_turns", message: "12 turns." }, "caution paused | 12 turns."],
    [{ type: "job:paused", code: "max_handoffs", message: "Used." }, "bad paused, out of handoffs | Used."],
  ],
  "job:cancelled": [[{ type: "job:cancelled", message: "by a person" }, "caution cancelled | by a person"]],
  "job:closing": [[{ type: "job:closing", outcome: "completed", text: "Done." }, undefined]],
  "workspace:creating": [
    [
      {
        type: "workspace:creating",
        repo: "/r",
        path: "/w",
        branch: "b",
        base: "c",
        baseBranch: "main",
        takenUp: false,
      },
      undefined,
    ],
  ],
  "workspace:waiting": [[{ type: "workspace:waiting", behind: "job-2", message: waits }, `caution ${waits}`]],
  "workspace:command": [
    [
      { type: "workspace:command", command: "npm\nci", ok: true, output: "", durationMs: 3_000 },
      "quiet set up with npm ci in 3 s",
    ],
    [
      { type: "workspace:command", command: "npm ci", ok: false, output: "one\ntwo", durationMs: 3_000 },
      "bad npm ci failed | one\ntwo",
    ],
  ],
  "workspace:ready": [
    [{ type: "workspace:ready", strategy: "static", path: "/w" }, "quiet working in /w"],
    [
      { type: "workspace:ready", strategy: "git_worktree", path: "/w", branch: "b" },
      "quiet working in /w on b",
    ],
  ],
  "workspace:committed": [
    [
      { type: "workspace:committed", commit: "0123456789abcdef", files: 2 },
      "quiet committed 2 files as 012345678",
    ],
  ],
  "workspace:pushing": [
    [{ type: "workspace:pushing", remote: "origin", branch: "b", commit: "c" }, undefined],
  ],
  "workspace:pushed": [
    [{ type: "workspace:pushed", remote: "origin", branch: "b", commit: "c" }, "quiet pushed b to origin"],
  ],
  "workspace:proposed": [
    [{ type: "workspace:proposed", url: "https://x/7", created: true }, "plain pull request | https://x/7"],
    [
      { type: "workspace:proposed", url: "https://x/new", created: false },
      "plain open a pull request | https://x/new",
    ],
  ],
  "workspace:removing": [[{ type: "workspace:removing", trash: "/t" }, undefined]],
  "workspace:removed": [
    [{ type: "workspace:removed", branchKept: false }, undefined],
    [{ type: "workspace:removed", branchKept: true, reason: "It is not merged." }, "quiet It is not merged."],
  ],
  "checkpoints:removed": [
    [
      { type: "checkpoints:removed", refs: ["refs/baton/job-1/1"], remote: "origin" },
      "quiet 1 old checkpoint removed: origin has all of it",
    ],
  ],
  "workspace:keeping": [[{ type: "workspace:keeping", paths: ["app.db"] }, undefined]],
  "workspace:ignored": [
    [
      {
        type: "workspace:ignored",
        files: [
          { path: "app.log", files: 1, bytes: 120, to: "checkpoint" },
          { path: "reports/", files: 3, bytes: 5000, to: "project" },
        ],
        more: false,
      },
      "plain ignored files that the job created | moved to the project: reports/ (3 files, 5 kB)\nin the checkpoint: app.log (120 B)",
    ],
    [
      {
        type: "workspace:ignored",
        files: [{ path: "app.db", files: 1, bytes: 3_000_000, to: "nowhere", why: "is too large" }],
        more: true,
      },
      "caution ignored files that the job created | removed with the worktree: app.db (3 MB, is too large)\nand others\nworkspace.keep in baton.yaml moves such files to the project",
    ],
  ],
  "workspace:kept": [
    [{ type: "workspace:kept", reason: "It has changes." }, "caution the worktree is kept | It has changes."],
  ],
  "session:starting": [
    [{ type: "session:starting", session, ordinal: 1, mode: "fresh" }, "plain session 1"],
    [
      { type: "session:starting", session, ordinal: 2, mode: "continuation" },
      "plain session 2, from the handoff",
    ],
    [{ type: "session:starting", session, ordinal: 2, mode: "resumed" }, "plain session 2, resumed"],
  ],
  "session:started": [
    [{ type: "session:started", session, model: "opus", program: "claude 2" }, "quiet opus, claude 2"],
  ],
  "session:known": [[{ type: "session:known", session }, undefined]],
  "session:ended": [[{ type: "session:ended", session, reason: "handoff" }, undefined]],
  "message:sent": [
    [{ type: "message:sent", session, kind: "request", text: "Go" }, "plain asked for | Go"],
    [{ type: "message:sent", session, kind: "said", text: "More" }, "plain told | More"],
    [{ type: "message:sent", session, kind: "continuation", text: "You take over" }, undefined],
  ],
  "message:delivered": [
    [{ type: "message:delivered", session, queued: [1, 2] }, "quiet heard by the agent: message 1, 2"],
  ],
  "pause:requested": [[{ type: "pause:requested" }, "quiet pause requested, at the next boundary"]],
  "pause:refused": [[{ type: "pause:refused", message: "No." }, "caution No."]],
  "stall:suspected": [
    [
      {
        type: "stall:suspected",
        session,
        quietMs: 300_000,
        actsInMs: 300_000,
        watched: ["events", "processes"],
        tool: "Bash npm\ntest",
      },
      "caution may be stalled: no sign of life for 5 min while it waits for Bash npm test | The agent said nothing, its commands used no processor and printed nothing. Its program is ended and its session resumed in 5 min (session.stall_timeout).",
    ],
  ],
  "stall:over": [
    [
      { type: "stall:over", session, outcome: "alive", quietMs: 60_000, sign: "files" },
      "quiet at work again after 1 min",
    ],
    [
      { type: "stall:over", session, outcome: "ended", quietMs: 60_000 },
      "caution its program was ended: no sign of life for 1 min",
    ],
  ],
  "circles:suspected": [
    [
      { type: "circles:suspected", session, kind: "commands", what: "npm\ntest", times: 5, since: 3 },
      "caution may be going in circles: ran npm test 5 times with the same output",
    ],
    [
      { type: "circles:suspected", session, kind: "edits", what: "a.ts", times: 3, since: 3 },
      "caution may be going in circles: undid its own edits of a.ts 3 times",
    ],
    [
      {
        type: "circles:suspected",
        session,
        kind: "tests",
        what: "npm test",
        times: 3,
        since: 3,
        failing: [2, 2, 3],
      },
      "caution may be going in circles: npm test has failed in 3 runs and no fewer tests fail (2, 2, 3)",
    ],
  ],
  response: [[{ type: "response", session, model: "opus", usage, context }, undefined]],
  "subagent:response": [
    [{ type: "subagent:response", session, subagent: "a", model: "opus", usage }, undefined],
  ],
  text: [
    [{ type: "text", session, text: "I see.\n" }, "plain says | I see.\n"],
    [{ type: "text", session, text: " \n" }, undefined],
  ],
  "tool:start": [
    [{ type: "tool:start", session, id: "t", name: "Bash", summary: "npm\n test" }, "quiet Bash npm test"],
    [{ type: "tool:start", session, id: "t", name: "mcp__baton__submit_handoff", summary: "" }, undefined],
  ],
  "tool:end": [
    [{ type: "tool:end", session, id: "t", ok: true, output: "fine" }, undefined],
    [{ type: "tool:end", session, id: "t", ok: false, output: "exit 1" }, "bad failed | exit 1"],
    [
      { type: "tool:end", session, id: "t", ok: false, output: "Stop!", interrupted: true },
      "caution interrupted",
    ],
  ],
  "ask:made": [
    [
      { ...asked, type: "ask:made", name: "Bash", summary: "npm\ntest" },
      'caution needs your yes: Bash npm test | baton approve 9dwwek-1, or baton deny 9dwwek-1 "why"',
    ],
    [
      { ...asked, type: "ask:made", questions: [{ question: "Which port?", options: [{ label: "80" }] }] },
      'caution asks you | Which port?\nbaton answer 9dwwek-1 "…"',
    ],
  ],
  "ask:answered": [
    [
      { type: "ask:answered", ask: "9dwwek-1", answer: { answer: "once" } },
      "quiet allowed by you (9dwwek-1)",
    ],
    [
      { type: "ask:answered", ask: "9dwwek-1", answer: { answer: "always" }, rule: "Bash(npm test:*)" },
      "quiet allowed by you, from now on: Bash(npm test:*) (9dwwek-1)",
    ],
    [
      { type: "ask:answered", ask: "9dwwek-1", answer: { answer: "no", because: "use pnpm" } },
      "quiet you said no: use pnpm (9dwwek-1)",
    ],
    [
      { type: "ask:answered", ask: "9dwwek-1", answer: { answer: "said", texts: ["8080", "yes"] } },
      "quiet you answered: 8080 / yes (9dwwek-1)",
    ],
  ],
  "ask:used": [[{ type: "ask:used", ask: "9dwwek-1", call: "t" }, "quiet answered before, as 9dwwek-1"]],
  "ask:withdrawn": [
    [
      { type: "ask:withdrawn", ask: "9dwwek-1", message: "the program that asked has ended" },
      "quiet the question 9dwwek-1 is withdrawn: the program that asked has ended",
    ],
  ],
  "ask:expired": [
    [{ type: "ask:expired", ask: "9dwwek-1", message: "Nobody answered." }, "caution Nobody answered."],
  ],
  "tool:permitted": [
    [{ type: "tool:permitted", session, id: "t", name: "Bash" }, "quiet allowed by you"],
    [
      { type: "tool:permitted", session, id: "t", name: "Bash", rule: "Bash(npm test:*)" },
      "quiet allowed by you, from now on: Bash(npm test:*)",
    ],
  ],
  "tool:denied": [
    [
      { type: "tool:denied", session, id: "t", name: "Write", message: "not allowed" },
      "caution denied: Write | not allowed",
    ],
  ],
  "todos:changed": [[{ type: "todos:changed", session, todos: [] }, undefined]],
  background: [[{ type: "background", session, tasks: [] }, undefined]],
  compaction: [
    [{ type: "compaction", session, state: "start" }, "caution the agent is compacting its window"],
    [{ type: "compaction", session, state: "done" }, undefined],
  ],
  cost: [[{ type: "cost", session, costUsd: 1 }, undefined]],
  "context:warning": [
    [
      { type: "context:warning", session, level: 60, context, turnsLeft: 3 },
      "caution window 60% used (120k of 200k), about 3 turns left",
    ],
    [{ type: "context:warning", session, level: 60, context }, "caution window 60% used (120k of 200k)"],
  ],
  "context:handoff:start": [
    [
      {
        type: "context:handoff:start",
        ...handoff,
        usagePercent: 60,
        inputTokens: 1,
        contextWindow: 2,
        trigger: "manual",
      },
      "plain handoff 1 | asked for by hand",
    ],
  ],
  "repository:left-out": [
    [
      { type: "repository:left-out", session, files: [".mcp.json"] },
      "caution Started without this repository's .mcp.json, which you have not trusted. Trust it with: baton trust",
    ],
    [
      { type: "repository:left-out", session, files: [".claude/settings.json", ".mcp.json"] },
      "caution Started without this repository's .claude/settings.json and .mcp.json, which you have not trusted. Trust them with: baton trust",
    ],
    [
      { type: "repository:left-out", session, files: ["a", "b\nc", "d", "e", "f"] },
      "caution Started without this repository's a, b c, d and 2 more files, which you have not trusted. Trust them with: baton trust",
    ],
  ],
  "background:left": [
    [
      {
        type: "background:left",
        session,
        tasks: [
          { id: "1", kind: "shell", description: "npm\nrun dev" },
          { id: "2", kind: "shell", description: "tail" },
        ],
      },
      "caution still running | npm run dev, tail",
    ],
    [
      {
        type: "background:left",
        session,
        tasks: [{ id: "1", kind: "shell", description: "dev server" }],
        atRest: true,
      },
      "caution left running, but idle | dev server",
    ],
  ],
  "handoff:requested": [
    [{ type: "handoff:requested", session, by: "manual" }, "quiet handoff requested, at the next boundary"],
    [
      { type: "handoff:requested", session, by: "agent" },
      "quiet handoff requested by the agent, at the next boundary",
    ],
  ],
  "handoff:refused": [
    [{ type: "handoff:refused", message: "Nothing to hand off yet" }, "caution Nothing to hand off yet"],
  ],
  "handoff:asked": [
    [{ type: "handoff:asked", session, handoffNumber: 1 }, "quiet the session writes its account …"],
    [
      { type: "handoff:asked", session, handoffNumber: 1, again: ["no goal", "no steps"] },
      "caution the checks found it incomplete; asked again | no goal; no steps",
    ],
  ],
  "handoff:cancelled": [
    [{ type: "handoff:cancelled", session, stage: "writing" }, "caution Handoff cancelled"],
  ],
  "handoff:failed": [
    [{ type: "handoff:failed", session, message: "It was empty." }, "bad Handoff failed | It was empty."],
  ],
  checkpoint: [[{ type: "checkpoint", ref: "r", commit: "c", reason: "paused" }, undefined]],
  "facts:collected": [[{ type: "facts:collected", handoffNumber: 1, facts: {} as Facts }, undefined]],
  "handoff:stored": [
    [stored, "plain handoff 1"],
    [{ ...stored, outcome: "from-facts", reason: "no answer" }, "plain handoff 1 | from facts: no answer"],
    [
      { ...stored, outcome: "mended", reason: "no steps" },
      "plain handoff 1 | completed from facts: no steps",
    ],
  ],
  "journal:compacted": [
    [
      { type: "journal:compacted", removed: 12, summary: emptyJob("job-1") },
      "quiet 12 events of this job removed by compaction (maintenance.job_cleanup)",
    ],
  ],
  "handoff:unstored": [
    [
      {
        ...unstored,
        document: { head: {} as DocumentHead, account: emptyAccount(), facts: "" },
        order: [],
      },
      "caution handoff 1 is written, and will be stored as soon as possible",
    ],
  ],
  "handoff:archived": [
    [
      { type: "handoff:archived", handoffNumber: 1, documentPath: "/a/1.md" },
      "quiet handoff 1 is archived as /a/1.md",
    ],
  ],
  "context:handoff:complete": [
    [
      { type: "context:handoff:complete", ...handoff, newSessionId: "t" },
      "good New session started with handoff context",
    ],
  ],
  hook: [
    [{ ...hook, ok: true, output: "", durationMs: 2_000 }, "quiet tell us (after_run) in 2 s"],
    [
      { ...hook, ok: false, output: "", durationMs: 2_000, error: "exit 1" },
      'caution the hook "tell us" of after_run failed | exit 1',
    ],
  ],
  "person:awaited": [[{ type: "person:awaited", session }, undefined]],
  "limit:waiting": [
    [
      { type: "limit:waiting", session, until: 0, message: "Five hours are used up." },
      `caution waiting until ${localMinute(new Date(0))} | Five hours are used up.`,
    ],
  ],
  "limit:over": [[{ type: "limit:over", session }, "quiet continuing"]],
  retry: [
    [
      { type: "retry", session, number: 1, of: 3, delayMs: 5_000, message: "The API is overloaded." },
      "caution trying again in 5 s (1 of 3) | The API is overloaded.",
    ],
  ],
  "clock:moved": [
    [
      { type: "clock:moved", byMs: 3 * 24 * 3_600_000 },
      "quiet the machine slept, or its clock was set forward, by 3 d, which does not count as work",
    ],
    [{ type: "clock:moved", byMs: -60_000 }, "quiet the clock of this machine was set back by 1 min"],
  ],
  "box:opened": [
    [
      {
        type: "box:opened",
        agent: "coder",
        container: {
          engine: "podman",
          image: "my-agent",
          network: { kind: "api" },
          limits: { memory: 2 ** 31, cpus: 2 },
        },
      },
      "quiet in a container: podman my-agent, network api, memory 2.1 GB, cpus 2",
    ],
    [
      {
        type: "box:opened",
        agent: "coder",
        container: { engine: "bwrap", network: { kind: "allow", hosts: ["example.com", "*.example.org"] } },
      },
      "quiet in a container: bwrap, network allows example.com, *.example.org",
    ],
  ],
  "box:denied": [
    [
      { type: "box:denied", host: "example.com" },
      "caution the container may not reach example.com (docker.network)",
    ],
  ],
  warning: [[{ type: "warning", message: "Look here." }, "caution Look here."]],
};

function inOneLine(told: Description | undefined): string | undefined {
  return told && `${told.tone} ${told.title}${told.text === "" ? "" : ` | ${told.text}`}`;
}

it.each(Object.values(EVENTS).flat())("tells %j as %j", (event, words) => {
  expect(inOneLine(describe(event))).toBe(words);
});

it("tells hooks of a pause that a job came to because its time was over in words of its own", () => {
  expect(inOneLine(describeMilestone({ type: "job:timeout", message: "It took an hour." }))).toBe(
    "bad out of time | It took an hour.",
  );
});
