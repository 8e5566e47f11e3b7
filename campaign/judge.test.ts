import { describe, expect, it } from "vitest";
import type { JournalEvent } from "../src/job/events.ts";
import { judgeFiles, type Kill, lostOfKnown } from "./judge.ts";
import { lineOf, STEPS } from "./scenario.ts";

interface Call {
  step: number;
  ok?: boolean;
  /** Left out where the process did not live to see it. */
  ended?: boolean;
}

/** Two events a call, in order: it starts at an odd number and ends at the next. */
function journal(calls: Call[]): JournalEvent[] {
  return calls.flatMap(({ step, ok = true, ended = true }, index) => {
    const id = String(index);
    const isEdit = step % 3 === 2;
    const call = isEdit
      ? { name: "Write", summary: `/somewhere/edit-${step}.txt` }
      : { name: "Bash", summary: `n=${step}; do it` };
    const start = { type: "tool:start", seq: index * 2 + 1, id, ...call };
    const end = { type: "tool:end", seq: index * 2 + 2, id, ok, output: "" };
    return [start, ...(ended ? [end] : [])] as JournalEvent[];
  });
}

const all = Array.from({ length: STEPS }, (_, index) => ({ step: index + 1 }));
const whole = () => new Map(all.map(({ step }) => [step, [lineOf(step)]]));
const killAt = (seq: number, phase: Kill["phase"]): Kill => ({ seq, phase, victim: "baton" });

describe("after a kill", () => {
  it("a step that the journal has as done and that is not there is lost", () => {
    const files = whole();
    files.delete(1);
    files.set(2, ["half an ed"]);
    expect(lostOfKnown(journal([{ step: 1 }, { step: 2 }, { step: 3 }]), files)).toEqual([1, 2]);
  });

  it("a step that failed, or whose end nobody saw, need not be there", () => {
    const events = journal([
      { step: 1, ok: false },
      { step: 2, ended: false },
    ]);
    expect(lostOfKnown(events, new Map())).toEqual([]);
  });
});

describe("of a completed job", () => {
  it("in which every step was done once there is nothing to say", () => {
    expect(judgeFiles(journal(all), whole(), [killAt(3, "working")])).toEqual([]);
  });

  it("what is missing is a lost step or a lost edit, whatever the journal says", () => {
    const files = whole();
    files.delete(3);
    files.delete(5);
    expect(judgeFiles([], files, [killAt(3, "closing")])).toMatchObject([
      { kind: "steps lost", phase: "closing", what: "step-3.txt is not there" },
      { kind: "edits lost", phase: "closing", what: "edit-5.txt is not there" },
    ]);
  });

  it("a step that began again after its end was on record is repeated, by the kill before that", () => {
    const files = whole();
    files.set(1, ["step 1", "step 1"]);
    const events = journal([{ step: 1 }, { step: 1 }, ...all.slice(1)]);
    const kills = [killAt(2, "handing off"), killAt(8, "closing")];
    expect(judgeFiles(events, files, kills)).toMatchObject([
      { kind: "steps repeated", phase: "handing off" },
    ]);
  });

  it("an edit that was made again leaves no second line, and is repeated all the same", () => {
    const events = journal([{ step: 2 }, { step: 2 }]);
    expect(judgeFiles(events, whole(), [killAt(2, "working")])).toMatchObject([{ kind: "steps repeated" }]);
  });

  it("a step that ran twice, the first time without an end on record, is only noted", () => {
    const files = whole();
    files.set(1, ["step 1", "step 1"]);
    const events = journal([{ step: 1, ended: false }, ...all]);
    expect(judgeFiles(events, files, [killAt(1, "working")])).toMatchObject([
      { kind: "repeats unknown", phase: "working" },
    ]);
  });
});
