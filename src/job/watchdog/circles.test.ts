import { describe, expect, it } from "vitest";
import type { JobEvent, JournalEvent } from "../events.ts";
import { type Circle, Circles } from "./circles.ts";
import { failingTests } from "./failing-tests.ts";

const session = "s";

/** What is found in these events, in their order. */
function found(events: JobEvent[]): Circle[] {
  const circles = new Circles();
  return events.flatMap(
    (event, index) =>
      circles.after({ seq: index + 1, at: "", job: "one", attempt: 1, ...event } as JournalEvent) ?? [],
  );
}

let calls = 0;

function ran(command: string, output: string, ok = true): JobEvent[] {
  const id = `call-${++calls}`;
  return [
    { type: "tool:start", session, id, name: "Bash", does: "command", summary: command, digest: command },
    { type: "tool:end", session, id, ok, output, digest: `${ok} ${output}` },
  ];
}

function edited(path: string, removed: string, added: string): JobEvent[] {
  const id = `call-${++calls}`;
  const digests = { digest: path, removed: [removed], added: [added] };
  return [
    { type: "tool:start", session, id, name: "Edit", does: "write", summary: path, ...digests },
    { type: "tool:end", session, id, ok: true, output: "" },
  ];
}

const times = (count: number, events: (index: number) => JobEvent[]) =>
  Array.from({ length: count }, (_, index) => events(index)).flat();

describe("a command with the same output", () => {
  it("goes in circles at the fifth time, and is said again after five more", () => {
    expect(found(times(4, () => ran("ls", "a b")))).toEqual([]);
    expect(found(times(11, () => ran("ls", "a b")))).toEqual([
      { kind: "commands", what: "ls", times: 5, since: 1 },
      { kind: "commands", what: "ls", times: 10, since: 1 },
    ]);
  });

  it("is no circle where it came to something else in between", () => {
    expect(found(times(20, (index) => ran("ls", index % 4 === 0 ? "more" : "a b")))).toEqual([]);
  });

  it("is no circle where it checks every edit and passes, but is where it fails", () => {
    const editsAndChecks = (ok: boolean) =>
      found(times(6, (index) => [...edited("a.ts", `${index}`, `${index + 1}`), ...ran("lint", "x", ok)]));
    expect(editsAndChecks(true)).toEqual([]);
    expect(editsAndChecks(false)).toMatchObject([{ kind: "commands", what: "lint", times: 5, since: 3 }]);
  });

  it("is counted anew once a person has said something", () => {
    const said: JobEvent = { type: "message:sent", session, kind: "said", text: "Stop that." };
    expect(found([...times(4, () => ran("ls", "a")), said, ...times(4, () => ran("ls", "a"))])).toEqual([]);
  });
});

describe("edits that undo edits", () => {
  it("go in circles at the third time, whatever is edited in between", () => {
    const back = edited("a.ts", "two", "one");
    const forth = edited("a.ts", "one", "two");
    const other = edited("b.ts", "x", "y");
    expect(found([...forth, ...other, ...back, ...forth])).toEqual([]);
    expect(found([...forth, ...other, ...back, ...forth, ...back])).toMatchObject([
      { kind: "edits", what: "a.ts", times: 3, since: 1 },
    ]);
  });

  it("are no circle where a file only grows", () => {
    expect(found(times(20, (index) => edited("a.ts", `${index}`, `${index + 1}`)))).toEqual([]);
  });
});

describe("tests that go on failing", () => {
  const runs = (...failing: number[]) =>
    found(
      failing.flatMap((count, index) => [
        ...edited("a.ts", `${index}`, `${index + 1}`),
        ...ran("npm test", `Tests  ${count} failed | 5 passed (run ${index})`, count === 0),
      ]),
    );

  it("go in circles where no fewer fail in six runs", () => {
    expect(runs(2, 3, 2, 4, 2)).toEqual([]);
    expect(runs(2, 3, 2, 4, 2, 2)).toMatchObject([
      { kind: "tests", what: "npm test", times: 6, failing: [2, 3, 2, 4, 2, 2] },
    ]);
  });

  it("are no circle where fewer fail from time to time", () => {
    expect(runs(9, 9, 8, 8, 8, 7, 7, 7, 7, 6, 5, 0, 3, 3, 3)).toEqual([]);
  });
});

it.each([
  ["vitest", " Test Files  1 failed | 2 passed (3)\n      Tests  3 failed | 40 passed (43)\n", 3],
  ["jest", "Tests:       2 failed, 8 passed, 10 total\nSnapshots:   0 total", 2],
  ["pytest", "FAILED test_a.py::test_b\n=========== 4 failed, 7 passed in 0.31s ===========", 4],
  ["mocha", "  5 passing (9ms)\n  2 failing\n", 2],
  ["unittest", "Ran 9 tests in 0.1s\n\nFAILED (failures=3, errors=1)", 3],
  ["node:test", "ℹ tests 4\nℹ pass 3\nℹ fail 1\n", 1],
  ["cargo", "test result: FAILED. 3 passed; 2 failed; 0 ignored", 2],
  ["rspec", "9 examples, 4 failures", 4],
  ["go", "--- FAIL: TestA (0.00s)\n    a_test.go:3: no\n--- FAIL: TestB (0.00s)\nFAIL", 2],
  ["nobody", "error TS2322: Type 'string' is not assignable", undefined],
])("reads how many tests failed for %s", (_, output, count) => {
  expect(failingTests(output)).toBe(count);
});
