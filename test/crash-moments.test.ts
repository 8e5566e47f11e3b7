import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { parseDocument } from "../src/handoff/document.ts";
import type { JobEventType, JournalEvent } from "../src/job/events.ts";
import type { Fault, Rule } from "../src/simulator/scenario.ts";
import { lastDone } from "../src/simulator/scenarios/steady.ts";
import { bash, careful, onceAfter, RUN } from "./careful.ts";
import {
  Baton,
  baton,
  ofType,
  shown,
  smallWindows,
  stepsDone,
  type TestProject,
  testProject,
  upTo,
} from "./harness.ts";
import { agentsGone } from "./processes.ts";

const STEPS = 6;

interface Moment {
  at: string;
  /** What the model does then, once. */
  rule?: Rule;
  comes: (running: Baton, project: TestProject) => Promise<unknown>;
  /** Where what is left depends on what the program itself has written by then. */
  ofClaude?: true;
  /** How the job must go on, where the moment lasts until the kill. */
  goesOn?: "resumed";
}

const silent: Fault = { kind: "stall", at: "start" };
const halfway: Fault = { kind: "stall", at: "middle" };

const event =
  (type: JobEventType, matches: (event: JournalEvent) => boolean = () => true) =>
  (running: Baton) =>
    running.event((heard) => heard.type === type && matches(heard));

const stalled = (_running: Baton, { simulator }: TestProject) =>
  simulator.waitFor(({ reply }) => reply?.fault?.kind === "stall");

const moments: Moment[] = [
  { at: "right after the job started", comes: event("job:started") },
  { at: "when its first session is on record", comes: event("session:starting") },
  { at: "before the first answer", rule: onceAfter(0, { fault: silent }), comes: stalled },
  {
    at: "while the model answers",
    ofClaude: true,
    rule: onceAfter(1, { say: "Step 2 comes now.", fault: halfway }),
    comes: stalled,
    goesOn: "resumed",
  },
  {
    at: "while a tool runs",
    ofClaude: true,
    rule: onceAfter(1, {
      call: bash("tail -f /dev/null; echo 'step 2' >> step-2.txt", "Write step 2, slowly"),
    }),
    comes: event("tool:start", (heard) => heard.type === "tool:start" && heard.summary.includes("tail -f")),
    goesOn: "resumed",
  },
  { at: "between two turns", rule: onceAfter(2, { fault: silent }), comes: stalled, goesOn: "resumed" },
  { at: "when a handoff begins", comes: event("context:handoff:start") },
  {
    at: "while the model writes its account",
    ofClaude: true,
    rule: {
      when: ({ last }) => last.includes("<handoff-request>"),
      reply: { say: "## Goal\nWrite the files.\n\n## Progress\n- some", fault: halfway },
      times: 1,
    },
    comes: stalled,
    goesOn: "resumed",
  },
  { at: "right after the document is stored", comes: event("handoff:stored") },
  { at: "when the handoff is complete", comes: event("context:handoff:complete") },
  {
    at: "when the next session has started",
    comes: async (running) => {
      const handed = await running.event(({ type }) => type === "context:handoff:complete");
      await running.event((heard) => heard.type === "session:started" && heard.seq > handed.seq);
    },
  },
  {
    at: "while it waits at a usage limit",
    rule: {
      when: (request) => lastDone(request) === 2 && !request.text.includes("You were interrupted"),
      reply: { fault: { kind: "usage-limit", resetsAt: Math.ceil(Date.now() / 1000) + 3600 } },
    },
    comes: event("limit:waiting"),
    goesOn: "resumed",
  },
  {
    at: "during the last answer",
    rule: onceAfter(STEPS, { say: "All steps are done.", fault: halfway }),
    comes: stalled,
    goesOn: "resumed",
  },
];

const title = "killed $at, a job is resumed to its end with every step done once";
it.each(moments)(title, killedAt);
it.each(moments.filter(({ ofClaude }) => ofClaude))(`Claude Code: ${title}`, { tags: ["claude"] }, killedAt);

async function killedAt(moment: Moment): Promise<void> {
  const { rule, comes, goesOn } = moment;
  const project = await testProject({
    scenario: careful(STEPS, ...(rule ? [rule] : [])),
    agent: `session: { ${smallWindows} }`,
    account: "plan",
  });
  const first = new Baton(project, RUN);
  await comes(first, project);
  await first.kill();

  await agentsGone(first);
  const interrupted = await shown(project);
  expect(interrupted.status).toBe("interrupted");
  expect(await integrity(project)).toBe("ok");
  await expectWholeDocuments(project, interrupted.handoffs);

  const resumed = await baton(project, ["resume", interrupted.id, "--json"]);
  expect(resumed.code, resumed.stdout).toBe(0);
  if (goesOn) expect(ofType(resumed.events, "session:starting")[0]?.mode).toBe(goesOn);
  expect(await stepsDone(project)).toEqual(upTo(STEPS));
  const completed = await shown(project);
  expect(completed.status).toBe("completed");
  expect(completed.handoffs.length).toBeGreaterThan(0);
  await expectWholeDocuments(project, completed.handoffs);
}

async function integrity({ folder }: TestProject): Promise<unknown> {
  const database = new Database(join(folder, ".baton", "baton.db"), { readonly: true });
  try {
    return database.pragma("integrity_check", { simple: true });
  } finally {
    database.close();
  }
}

/** Every file that looks like a document is one, to its last section, and every one on record is there. */
async function expectWholeDocuments({ folder }: TestProject, handoffs: { documentPath: string }[]) {
  const dir = join(folder, ".baton", "handoffs");
  const names = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith(".md"));
  const paths = names.map((name) => join(dir, name));
  expect(paths).toEqual(expect.arrayContaining(handoffs.map(({ documentPath }) => documentPath)));
  for (const path of paths) {
    const text = await readFile(path, "utf8");
    expect(text).toMatch(/^---\njob: /);
    expect(parseDocument(text).account.nextSteps).not.toEqual([]);
    expect(text).toContain("## Facts");
    expect(text.endsWith("\n")).toBe(true);
  }
}
