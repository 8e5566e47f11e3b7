import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, vi } from "vitest";
import { parseDocument } from "../src/handoff/document.ts";
import type { JobEventType, JournalEvent } from "../src/job/events.ts";
import type { SimulatedRequest } from "../src/simulator/request.ts";
import type { Fault, Rule } from "../src/simulator/scenario.ts";
import { isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import { lastDone, writeStep } from "../src/simulator/scenarios/steady.ts";
import { bash, careful, onceAfter, RUN } from "./careful.ts";
import {
  Baton,
  baton,
  inSmallWindows,
  ofType,
  shown,
  smallWindows,
  stepsDone,
  type TestProject,
  testProject,
  upTo,
} from "./harness.ts";
import { PATH_WITH_CLAUDE } from "./own-claude.ts";
import { agentsGone } from "./processes.ts";

// A job that is killed four times lives for as long as four of them.
vi.setConfig({ testTimeout: 180_000 });

const STEPS = 6;

interface Moment {
  at: string;
  /** What the model does then, once. */
  rule?: Rule;
  comes: (running: Baton, project: TestProject) => Promise<unknown>;
  /** What the model does not answer until the kill: one that comes late would find that later moments have passed. */
  holds?: (request: SimulatedRequest) => boolean;
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

const atBeginning = () => true;
const atNextSession = ({ last }: SimulatedRequest) => last.includes("You take over");

const started: Moment = {
  at: "right after the job started",
  comes: event("job:started"),
  holds: atBeginning,
};
const onRecord: Moment = {
  at: "when its first session is on record",
  comes: event("session:starting"),
  holds: atBeginning,
};
const unanswered: Moment = {
  at: "before the first answer",
  rule: onceAfter(0, { fault: silent }),
  comes: stalled,
};
const answering: Moment = {
  at: "while the model answers",
  rule: onceAfter(1, { say: "Step 2 comes now.", fault: halfway }),
  comes: stalled,
  goesOn: "resumed",
};
const toolRuns: Moment = {
  at: "while a tool runs",
  rule: onceAfter(1, {
    call: bash("tail -f /dev/null; echo 'step 2' >> step-2.txt", "Write step 2, slowly"),
  }),
  comes: event("tool:start", (heard) => heard.type === "tool:start" && heard.summary.includes("tail -f")),
  goesOn: "resumed",
};
const betweenTurns: Moment = {
  at: "between two turns",
  rule: onceAfter(2, { fault: silent }),
  comes: stalled,
  goesOn: "resumed",
};
const handoffBegins: Moment = {
  at: "when a handoff begins",
  comes: event("context:handoff:start"),
  holds: isHandoffRequest,
};
const writesAccount: Moment = {
  at: "while the model writes its account",
  rule: {
    when: ({ last }) => last.includes("<handoff-request>"),
    reply: { say: "## Goal\nWrite the files.\n\n## Progress\n- some", fault: halfway },
    times: 1,
  },
  comes: stalled,
  goesOn: "resumed",
};
const stored: Moment = {
  at: "right after the document is stored",
  comes: event("handoff:stored"),
  holds: atNextSession,
};
const handedOff: Moment = {
  at: "when the handoff is complete",
  comes: event("context:handoff:complete"),
  holds: atNextSession,
};
const nextSession: Moment = {
  at: "when the next session has started",
  comes: async (running) => {
    const handed = await running.event(({ type }) => type === "context:handoff:complete");
    await running.event((heard) => heard.type === "session:started" && heard.seq > handed.seq);
  },
};
const waitsAtLimit: Moment = {
  at: "while it waits at a usage limit",
  rule: {
    when: (request) => lastDone(request) === 2 && !request.text.includes("You were interrupted"),
    reply: { fault: { kind: "usage-limit", resetsAt: Math.ceil(Date.now() / 1000) + 3600 } },
  },
  comes: event("limit:waiting"),
  goesOn: "resumed",
};
const lastAnswer: Moment = {
  at: "during the last answer",
  rule: onceAfter(STEPS, { say: "All steps are done.", fault: halfway }),
  comes: stalled,
  goesOn: "resumed",
};

const inWords = (moments: Moment[]) => moments.map(({ at }) => at).join(", then ");

/** Each moment once: what only a job that was never killed has comes first. */
it.each(
  [
    [started, answering, handoffBegins, lastAnswer],
    [onRecord, toolRuns, writesAccount, nextSession],
    [unanswered, betweenTurns, stored],
    [waitsAtLimit, handedOff],
  ].map((moments) => [inWords(moments), moments] as const),
)("killed %s, a job is resumed each time, to its end with every step done once", (_, moments) =>
  killedAt(moments),
);

it("killed while the second of two calls runs, a job does not repeat the first, by a model that goes by what it is told", async () => {
  const second = bash("tail -f /dev/null", "Wait");
  const { call: first } = writeStep(2, 3, 10);
  const calls = [...(Array.isArray(first) ? first : first ? [first] : []), second];
  const project = await testProject({
    scenario: { ...inSmallWindows(3), rules: [onceAfter(1, { call: calls })] },
  });
  const running = new Baton(project, RUN);
  await running.event((heard) => heard.type === "tool:end" && heard.output.includes("done:2"));
  await running.kill();
  await agentsGone(running);
  const { id } = await shown(project);
  const { code } = await baton(project, ["resume", id, "--json"]);
  expect(code).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(3));
});

/** Where what is left depends on what the program itself has written by then. */
const ofClaude = [answering, toolRuns, writesAccount];
it(
  `Claude Code: killed ${inWords(ofClaude)}, a job is resumed each time, to its end with every step done once`,
  {
    tags: ["claude"],
  },
  () => killedAt(ofClaude),
);

const ofOwnClaude = [answering, toolRuns, writesAccount, stored, lastAnswer];
it(
  `the user's own claude: killed ${inWords(ofOwnClaude)}, a job is resumed each time, to its end with every step done once`,
  {
    tags: ["claude"],
  },
  () => killedAt(ofOwnClaude, { agent: "runtime: claude-cli", env: { PATH: PATH_WITH_CLAUDE } }),
);

/** The same job is killed at each of them, one after the other. */
async function killedAt(all: Moment[], { agent = "", env = {} } = {}): Promise<void> {
  let isKilledAgain = true;
  let awaited: Moment | undefined;
  const holds: Rule[] = all.map((moment) => ({
    when: (request) => awaited === moment && request.kind === "main" && (moment.holds?.(request) ?? false),
    reply: { fault: silent },
  }));
  // Where the kill comes late, it still finds the job.
  const waitsForKill: Rule = {
    when: (request) =>
      isKilledAgain &&
      request.kind === "main" &&
      lastDone(request) === STEPS &&
      !request.last.includes("<handoff-request>"),
    reply: { fault: silent },
  };
  const project = await testProject({
    scenario: careful(STEPS, ...holds, ...all.flatMap(({ rule }) => rule ?? []), waitsForKill),
    agent: `${agent}\nsession: { ${smallWindows} }`,
    account: "plan",
    env,
  });
  let args = RUN;
  let before: Moment | undefined;
  for (const moment of all) {
    awaited = moment;
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

  isKilledAgain = false;
  awaited = undefined;
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
