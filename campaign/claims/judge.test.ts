import { describe, expect, it } from "vitest";
import { judgeClaims, type Outside, type Said, type Struck, tableOfClaims, type What } from "./judge.ts";

const outside = (more: Partial<Outside> = {}): Outside => ({
  items: ["1"],
  deliveries: new Map([["1", 1]]),
  states: new Map([["1", "done"]]),
  taken: [],
  marked: [],
  ...more,
});

let at = 0;
const says = (pid: number, what: What, item = "1", when = ++at): Said => ({
  ...{ at: when, worker: `worker ${pid}`, pid, what, item, job: `job-${pid}`, epoch: pid },
});

const problems = (said: Said[], struck: Struck[] = [], more?: Partial<Outside>) =>
  judgeClaims(said, struck, outside(more)).problems;

describe("the judge of claims", () => {
  it("finds nothing where one worked after the other, also after a kill or a pause", () => {
    expect(problems([says(1, "begins"), says(1, "ends"), says(2, "begins"), says(2, "ends")])).toEqual([]);
    const begun = says(1, "begins");
    const killed: Struck = { pid: 1, at: ++at, how: "killed" };
    expect(problems([begun, says(2, "begins"), says(2, "ends")], [killed])).toEqual([]);
    const second = says(3, "begins");
    const asleep: Struck = { pid: 3, at: ++at, how: "asleep", until: at + 10 };
    expect(problems([second, says(4, "begins"), says(3, "loses"), says(4, "ends")], [asleep])).toEqual([]);
  });

  it("finds two that worked on one item at once, whatever became of them", () => {
    const [first, second] = [says(1, "begins", "1", 100), says(2, "begins", "1", 140)];
    expect(problems([first, second, says(1, "ends", "1", 150), says(2, "ends", "1", 160)])).toEqual([
      "1 was worked on by worker 1 and worker 2 at once, for 10 ms",
    ]);
    expect(problems([first, second, says(1, "loses", "1", 150)])).toHaveLength(1);
    const late: Struck = { pid: 1, at: 145, how: "killed" };
    expect(problems([first, second], [late])).toHaveLength(1);
    expect(judgeClaims([first, second], [late], outside()).phases.working).toMatchObject({ workedTwice: 1 });
  });

  it("finds what was delivered twice or never, what is left claimed, and what the tracker still shows", () => {
    expect(problems([], [], { deliveries: new Map([["1", 2]]) })).toEqual(["1 was delivered 2 times"]);
    expect(problems([], [], { deliveries: new Map() })).toEqual(["1 was delivered 0 times"]);
    expect(problems([], [], { states: new Map([["1", "claimed"]]) })).toEqual(["1 is left claimed"]);
    expect(problems([], [], { states: new Map() })).toEqual(["1 is left without a claim"]);
    expect(problems([], [], { taken: ["1"] })).toHaveLength(1);
    expect(problems([], [], { marked: ["1"] })).toHaveLength(1);
  });

  it("counts strikes by what the process was doing", () => {
    const said = [says(1, "tries"), says(1, "claims"), says(1, "begins")];
    const struck: Struck[] = [
      { pid: 1, at: at + 1, how: "killed" },
      { pid: 9, at, how: "killed" },
    ];
    const { phases } = judgeClaims([...said, says(2, "begins"), says(2, "ends")], struck, outside());
    expect(phases.working).toMatchObject({ killed: 1, done: 1, workedTwice: 0 });
    expect(phases.looking).toMatchObject({ killed: 1, done: 0 });
    expect(tableOfClaims(phases).split("\n")).toHaveLength(9);
  });
});
