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

/** In this run of the job, not in one before it. */
const stalled = (_running: Baton, { simulator }: TestProject) => {
  const earlier = new Set(simulator.requests);
  return simulator.waitFor((one) => one.reply?.fault?.kind === "stall" && !earlier.has(one));
};

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
it.each(moments)(title, (moment) => killedAt([moment]));

const ofClaude = moments.filter((moment) => moment.ofClaude);
it(
  `Claude Code: killed ${ofClaude.map(({ at }) => at).join(", then ")}, a job is resumed each time, to its end with every step done once`,
  {
    tags: ["claude"],
  },
  () => killedAt(ofClaude),
);

/** The same job is killed at each of them, one after the other. */
async function killedAt(all: Moment[]): Promise<void> {
  const project = await testProject({
    scenario: careful(STEPS, ...all.flatMap(({ rule }) => rule ?? [])),
    agent: `session: { ${smallWindows} }`,
    account: "plan",
  });
  let args = RUN;
  let before: Moment | undefined;
  for (const moment of all) {
    const running = new Baton(project, args);
    await moment.comes(running, project);
    await running.kill();
    await agentsGone(running);
    expectToGoOn(before, running.events);
    const interrupted = await shown(project);
    expect(interrupted.status).toBe("interrupted");
    expect(await integrity(project)).toBe("ok");
    await expectWholeDocuments(project, interrupted.handoffs);
    args = ["resume", interrupted.id, "--json"];
    before = moment;
  }

  const resumed = await baton(project, args);
  expect(resumed.code, resumed.stdout).toBe(0);
  expectToGoOn(before, resumed.events);
  expect(await stepsDone(project)).toEqual(upTo(STEPS));
  const completed = await shown(project);
  expect(completed.status).toBe("completed");
  expect(completed.handoffs.length).toBeGreaterThan(0);
  await expectWholeDocuments(project, completed.handoffs);
}

function expectToGoOn(after: Moment | undefined, events: JournalEvent[]): void {
  if (after?.goesOn) expect(ofType(events, "session:starting")[0]?.mode).toBe(after.goesOn);
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
