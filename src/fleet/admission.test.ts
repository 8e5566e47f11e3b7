import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Admission,
  admission,
  keyOf,
  type Limits,
  makesRoom,
  type Situation,
  type Waiting,
  type WaitReason,
} from "./admission.ts";

const PROJECT = "/project";
const limits = (total: number, ofAgent = total, ofProject = total): Limits => ({
  total,
  ofProject: () => ofProject,
  ofAgent: () => ofAgent,
});

let place = 0;
const waits = (job: string, agent: string, more: Partial<Waiting> = {}): Waiting => ({
  ...{ project: PROJECT, job, agent, priority: 0, place: ++place, queuedAt: "", after: [] },
  ...more,
});

function decide(more: Partial<Situation> & Pick<Situation, "waiting">): Admission {
  return admission({ taken: [], limits: limits(4), lastServed: () => undefined, ...more });
}

const started = (more: Parameters<typeof decide>[0]) => decide(more).start.map(({ job }) => job);
const reasonFor = (job: string, { waits }: Admission) => waits.get(keyOf({ project: PROJECT, job }))?.reason;

describe("who gets a slot", () => {
  it("is the job with the higher priority, then the one that came first", () => {
    const waiting = [waits("a", "x"), waits("b", "x", { priority: 5 }), waits("c", "x")];
    expect(started({ waiting })).toEqual(["b", "a", "c"]);
  });

  it("is each agent in turn, however many jobs one of them has", () => {
    const waiting = [
      waits("a1", "a"),
      waits("a2", "a"),
      waits("a3", "a"),
      waits("b1", "b"),
      waits("c1", "c"),
    ];
    expect(started({ waiting, limits: limits(5) })).toEqual(["a1", "b1", "c1", "a2", "a3"]);
    const taken = [{ project: PROJECT, agent: "a" }];
    expect(started({ waiting, taken, limits: limits(2) })).toEqual(["b1"]);
  });

  it("is, where only one runs at a time, the agent that had none for longest", () => {
    const waiting = [waits("a1", "a"), waits("a2", "a"), waits("b1", "b")];
    const lastServed = (_project: string, agent: string) => (agent === "a" ? "2026-11-18" : undefined);
    expect(started({ waiting, limits: limits(1), lastServed })).toEqual(["b1"]);
  });

  it("is not one whose agent, project or fleet is full, and that is what it says", () => {
    const waiting = [waits("a1", "a"), waits("a2", "a"), waits("b1", "b"), waits("c1", "c")];
    const full = decide({ waiting, limits: limits(2, 1) });
    expect(full.start.map(({ job }) => job)).toEqual(["a1", "b1"]);
    expect(reasonFor("a2", full)).toEqual({ code: "agent-full", text: "a is at 1 of 1" });
    expect(reasonFor("c1", full)).toEqual({ code: "fleet-full", text: "the fleet is at 2 of 2" });
    const project = decide({
      waiting: [waits("z", "z")],
      taken: [{ project: PROJECT, agent: "y" }],
      limits: limits(2, 2, 1),
    });
    expect(reasonFor("z", project)?.code).toBe("project-full");
  });

  it("is not one that comes after a job that is not completed, nor keeps others from starting", () => {
    const waiting = [
      waits("first", "a", { after: [{ job: "before", status: "running" }] }),
      waits("second", "a", { after: [{ job: "done", status: "completed" }] }),
      waits("third", "b", { after: [{ job: "bad", status: "failed" }] }),
      waits("fourth", "b", { held: "not signed in" }),
    ];
    const decided = decide({ waiting });
    expect(decided.start.map(({ job }) => job)).toEqual(["second"]);
    expect(reasonFor("first", decided)?.text).toBe("after before, which is running");
    expect(reasonFor("third", decided)?.text).toMatch(/^after bad, which is failed: resume that one/);
    expect(reasonFor("fourth", decided)).toEqual({ code: "held", text: "not signed in" });
  });

  it("is nobody where everything is stopped", () => {
    const barred = () => ({ code: "halted" as const, text: "halted" });
    const decided = decide({ waiting: [waits("a", "a")], barred });
    expect(decided.start).toEqual([]);
    expect(reasonFor("a", decided)?.code).toBe("halted");
  });
});

const agent = fc.constantFrom("a", "b", "c");
const project = fc.constantFrom("/p", "/q");
const anyWaiting = fc
  .array(fc.record({ project, agent, priority: fc.integer({ min: -2, max: 2 }), blocked: fc.boolean() }), {
    maxLength: 30,
  })
  .map((jobs) =>
    jobs.map(
      ({ blocked, ...job }, index): Waiting => ({
        ...job,
        job: `j${index}`,
        place: index,
        queuedAt: "",
        after: [],
        ...(blocked && { held: "held" }),
      }),
    ),
  );
const anyTaken = fc.array(fc.record({ project, agent }), { maxLength: 8 });

it("makes room in place of a job that holds the slot which another waits for", () => {
  const slot = { project: "/shop", agent: "coder" };
  const room = (code: WaitReason["code"], project = "/shop", agent = "coder") =>
    makesRoom(slot, { project, agent, code });
  expect(room("fleet-full", "/other", "other")).toBe(true);
  expect([room("project-full", "/shop", "other"), room("project-full", "/other")]).toEqual([true, false]);
  expect([room("agent-full"), room("agent-full", "/shop", "other")]).toEqual([true, false]);
  // What is barred waits for something else than a slot.
  for (const code of ["budget", "limit", "paused", "after", "held", "serial", "draining"] as const)
    expect(room(code)).toBe(false);
});

describe("any queue", () => {
  it("never exceeds a limit, leaves no slot empty that a job could have, and has every job once, with its reason", () => {
    fc.assert(
      fc.property(
        anyWaiting,
        anyTaken,
        fc.nat(10),
        fc.nat(4),
        fc.nat(6),
        (waiting, taken, total, ofAgent, ofProject) => {
          const { start, waits: left } = admission({
            waiting,
            taken,
            limits: { total, ofAgent: () => ofAgent, ofProject: () => ofProject },
            lastServed: () => undefined,
          });
          expect(start.length + left.size).toBe(waiting.length);
          expect(new Set([...start.map(keyOf), ...left.keys()]).size).toBe(waiting.length);
          expect([...left.values()].map(({ position }) => position)).toEqual(
            [...left.keys()].map((_, at) => at + 1),
          );
          const after = [...taken, ...start];
          const count = (of: Partial<{ project: string; agent: string }>) =>
            after.filter(
              (slot) =>
                (of.project ?? slot.project) === slot.project && (of.agent ?? slot.agent) === slot.agent,
            ).length;
          const rises = start.length > 0;
          if (rises) expect(after.length).toBeLessThanOrEqual(total);
          for (const one of start) {
            expect(one.held).toBeUndefined();
            expect(count(one)).toBeLessThanOrEqual(ofAgent);
            expect(count({ project: one.project })).toBeLessThanOrEqual(ofProject);
          }
          for (const one of waiting.filter((each) => left.has(keyOf(each)) && !each.held)) {
            const fits =
              after.length < total && count(one) < ofAgent && count({ project: one.project }) < ofProject;
            expect(fits).toBe(false);
          }
        },
      ),
    );
  });
});
