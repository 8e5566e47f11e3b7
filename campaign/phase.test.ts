import { expect, it } from "vitest";
import type { JobEvent, JournalEvent } from "../src/job/events.ts";
import { type Phase, phaseAfter, phaseAtDeath } from "./phase.ts";

type Told = Partial<JobEvent> & { type: JobEvent["type"] };

/** Events of the attempts of a job, each attempt in a list of its own. */
function journal(...attempts: Told[][]): JournalEvent[] {
  return attempts.flatMap((told, index) =>
    told.map((event) => ({ seq: 0, at: "", job: "job", ...event, attempt: index + 1 }) as JournalEvent),
  );
}

const began: Told[] = [{ type: "job:created" }, { type: "job:started" }, { type: "session:starting" }];
const worked: Told[] = [...began, { type: "message:sent", kind: "request" }, { type: "tool:start" }];
const closed: Told[] = [
  ...worked,
  { type: "session:ended", reason: "completed" },
  { type: "job:closing", outcome: "completed" },
];
const resumed: Told[] = [{ type: "job:resumed" }, { type: "job:started" }];

it("a job goes through its phases in order", () => {
  const life: Told[] = [
    ...worked,
    { type: "context:handoff:start" },
    { type: "message:sent", kind: "handoff" },
    { type: "handoff:stored" },
    { type: "session:ended", reason: "handoff" },
    { type: "message:sent", kind: "continuation" },
    ...closed.slice(worked.length),
    { type: "workspace:pushed" },
    { type: "workspace:removed" },
  ];
  const seen: Phase[] = [];
  let phase: Phase = "set-up";
  for (const event of journal(life)) {
    phase = phaseAfter(phase, event);
    if (phase !== seen.at(-1)) seen.push(phase);
  }
  expect(seen).toEqual(["set-up", "working", "handing off", "working", "closing", "removing"]);
});

it("a handoff that is called off leaves the job at work", () => {
  const called: Told[] = [...worked, { type: "context:handoff:start" }, { type: "handoff:cancelled" }];
  expect(phaseAtDeath(journal(called), false)).toBe("working");
});

it("a job that is resumed is set up again, unless its work was over", () => {
  expect(phaseAtDeath(journal(worked, resumed), false)).toBe("set-up");
  expect(phaseAtDeath(journal(closed, resumed), false)).toBe("closing");
  expect(phaseAtDeath(journal([...closed, { type: "workspace:pushed" }], resumed), false)).toBe("removing");
});

it("a push counts from its beginning until it is on record, in each attempt anew", () => {
  expect(phaseAtDeath(journal(closed), true)).toBe("pushing");
  const pushed: Told[] = [...closed, { type: "workspace:pushed" }];
  expect(phaseAtDeath(journal(pushed), true)).toBe("removing");
  expect(phaseAtDeath(journal(pushed, resumed), true)).toBe("pushing");
});
