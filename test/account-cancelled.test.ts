import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { JobEvent, JournalEvent } from "../src/job/events.ts";
import { Control } from "../src/jobs/run/control.ts";
import type { Scenario, Step } from "../src/simulator/scenario.ts";
import {
  inSmallWindows,
  ofType,
  SMALL_WINDOW,
  smallWindows,
  stepsDone,
  type TestProject,
  testProject,
  upTo,
} from "./harness.ts";
import { runInProcess } from "./in-process.ts";
import { asksForHandoff, bash, handsIn, oneHandoff, REQUEST, writesNotes } from "./one-handoff.ts";

const UNTIL_RELEASED = "until [ -e release ]; do sleep 0.05; done; echo released";
const inBackground = {
  tool: "Bash",
  input: { command: UNTIL_RELEASED, description: "Wait for the release", run_in_background: true },
};

interface Moment {
  at: string;
  stage: Extract<JobEvent, { type: "handoff:cancelled" }>["stage"];
  steps: Step[];
  comes: (event: JobEvent, events: readonly JobEvent[]) => boolean;
  /** Waits for the model to be asked for its account. */
  asked?: boolean;
  /** Work in the background may end after the last turn, and begins one more then. */
  otherwise?: Step;
}

const isAsked = ({ type }: JobEvent) => type === "handoff:asked";
const silent: Step = { fault: { kind: "stall", at: "start" } };

const moments: Moment[] = [
  {
    at: "waits for the boundary",
    stage: "waiting",
    steps: [{ call: [asksForHandoff, bash(UNTIL_RELEASED)] }],
    comes: ({ type }) => type === "handoff:requested",
  },
  {
    at: "begins",
    stage: "background",
    steps: [{ call: writesNotes }, { call: asksForHandoff }],
    comes: ({ type }) => type === "context:handoff:start",
  },
  {
    at: "waits for work in the background",
    stage: "background",
    steps: [{ call: inBackground }, { call: asksForHandoff }],
    comes: ({ type }) => type === "context:handoff:start",
    otherwise: { say: "All is done." },
  },
  {
    at: "is being asked for",
    stage: "writing",
    steps: [{ call: writesNotes }, { call: asksForHandoff }, silent],
    comes: isAsked,
    asked: true,
  },
  {
    at: "is being asked for once more",
    stage: "writing",
    steps: [{ call: writesNotes }, { call: asksForHandoff }, handsIn({ nextSteps: [] }), silent],
    comes: (event) => event.type === "handoff:asked" && event.again !== undefined,
    asked: true,
  },
  {
    at: "has come and is being checked",
    stage: "writing",
    steps: [{ call: writesNotes }, { call: asksForHandoff }, handsIn({})],
    comes: ({ type }, events) => type === "cost" && events.some(isAsked),
  },
];

it.each(moments)(
  "a handoff that is cancelled while it $at leaves the session to finish its work",
  async (moment) => {
    const scenario: Scenario = {
      name: "cancelled",
      summary: "",
      steps: [...moment.steps, { say: "All is done." }],
      otherwise: moment.otherwise ?? { say: "Nothing more was to be asked." },
    };
    const project = await testProject({ scenario });
    const control = new Control();
    const before: JobEvent[] = [];
    const silenced = project.simulator.waitFor(({ reply }) => reply?.fault?.kind === "stall");
    silenced.catch(() => {});
    let cancelled: Promise<boolean> | undefined;
    const { job, events } = await runInProcess(project, REQUEST, control, {
      before(event) {
        before.push(event);
        if (cancelled === undefined && moment.comes(event, before)) cancelled = cancel();
      },
    });

    async function cancel(): Promise<boolean> {
      await (moment.asked ? silenced : undefined);
      const heard = control.callOff();
      await writeFile(join(project.folder, "release"), "");
      return heard;
    }

    expect(await cancelled).toBe(true);
    expect(ofType(events, "handoff:cancelled")).toMatchObject([{ stage: moment.stage }]);
    expect(job).toMatchObject({
      status: "completed",
      result: "All is done.",
      handoffs: [],
      pendingHandoff: null,
    });
    expect(job.sessions).toMatchObject([{ endReason: "completed" }]);
    expect(await documents(project)).toEqual([]);
  },
);

it.each<[string, (event: JournalEvent) => boolean]>([
  ["stored", ({ type }) => type === "handoff:stored"],
  ["stored and its session has ended", ({ type }) => type === "session:ended"],
  ["complete", ({ type }) => type === "context:handoff:complete"],
])("a handoff that is %s cannot be cancelled any more", async (_, comes) => {
  const project = await testProject({ scenario: oneHandoff([writesNotes], handsIn({})) });
  const control = new Control();
  const heard: boolean[] = [];
  const { job, events } = await runInProcess(project, REQUEST, control, {
    on(event) {
      if (comes(event)) heard.push(control.callOff());
    },
  });
  expect(heard[0]).toBe(false);
  expect(ofType(events, "handoff:cancelled")).toEqual([]);
  expect(job).toMatchObject({ status: "completed", handoffs: [{ outcome: "written" }] });
  expect(job.sessions).toHaveLength(2);
  expect(await documents(project)).toHaveLength(1);
});

it("does not hand off by itself again before the window has grown", async () => {
  const project = await testProject({ scenario: inSmallWindows(8), agent: `session: { ${smallWindows} }` });
  const control = new Control();
  let cancelled = false;
  const { job, events } = await runInProcess(project, REQUEST, control, {
    on(event) {
      if (event.type === "handoff:asked" && !cancelled) cancelled = control.callOff();
    },
  });
  expect(job.status).toBe("completed");
  const [first, second] = ofType(events, "context:handoff:start");
  expect(first).toMatchObject({ trigger: "threshold", handoffNumber: 1 });
  expect(second).toMatchObject({ trigger: "threshold", handoffNumber: 1, oldSessionId: first?.oldSessionId });
  const room = (first?.contextWindow ?? 0) / 20;
  expect(second?.inputTokens).toBeGreaterThanOrEqual((first?.inputTokens ?? 0) + room);
  const spared = ofType(events, "response").filter(
    ({ seq, context }) =>
      seq > (first?.seq ?? 0) && seq < (second?.seq ?? 0) && context.tokens >= SMALL_WINDOW,
  );
  expect(spared.length).toBeGreaterThan(0);
  expect(await stepsDone(project)).toEqual(upTo(8));
});

async function documents({ folder }: TestProject): Promise<string[]> {
  return readdir(join(folder, ".baton", "handoffs")).catch(() => []);
}
