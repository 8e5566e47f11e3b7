import { describe, expect, it } from "vitest";
import type { AgentEvent, Made, ToolAction } from "../agents/events.ts";
import { FactCollector } from "./collect.ts";
import { noFacts } from "./facts.ts";

let next = 0;

function createCall(does: ToolAction, output = "", ok = true, made?: Made): AgentEvent[] {
  const id = `tool-${++next}`;
  return [
    { type: "tool:start", id, name: "Tool", does, about: "", input: {} },
    { type: "tool:end", id, ok, output, ...(made && { made }) },
  ];
}

const command = (text: string): ToolAction => ({ kind: "command", command: text });
const read = (path: string): ToolAction => ({ kind: "read", path });
const write = (path: string): ToolAction => ({ kind: "write", path });
const newFile: Made = { kind: "file" };

function factsOf(...events: AgentEvent[][]) {
  const collector = new FactCollector("/project", noFacts("Do it. Never push."));
  for (const event of events.flat()) collector.add(event);
  return collector.facts();
}

describe("facts", () => {
  it("hold every file touched, by path in the workspace, with how", () => {
    const { files } = factsOf(
      createCall(write("/project/src/a.ts"), "", true, newFile),
      createCall(write("/project/src/a.ts")),
      createCall(read("/project/src/b.ts")),
      createCall(write("/project/src/b.ts")),
      createCall(read("/elsewhere/c.ts")),
      createCall(write("/project/no.ts"), "denied", false),
    );
    expect(files).toEqual([
      { path: "src/a.ts", change: "created", read: false },
      { path: "src/b.ts", change: "edited", read: true },
      { path: "/elsewhere/c.ts", change: null, read: true },
    ]);
  });

  it("hold each command once, with how its last run ended", () => {
    const { commands } = factsOf(
      createCall(command("make"), "boom", false),
      createCall(command("ls")),
      createCall(command("make")),
    );
    expect(commands).toEqual([
      { command: "ls", ok: true, runs: 1 },
      { command: "make", ok: true, runs: 2 },
    ]);
  });

  it("keep a command that was run again when many others were run since", () => {
    const others = Array.from({ length: 80 }, (_, index) => createCall(command(`ls ${index}`)));
    const { commands } = factsOf(createCall(command("make")), createCall(command("make")), ...others);
    expect(commands).toHaveLength(60);
    expect(commands[0]).toEqual({ command: "make", ok: true, runs: 2 });
    expect(commands.at(-1)?.command).toBe("ls 79");
  });

  it("hold what was in hand: names by file, what was read, searched for and printed", () => {
    const { working } = factsOf(
      createCall({
        kind: "write",
        path: "/project/src/a.ts",
        changes: [{ removed: "x", added: "export function loadState() {" }],
      }),
      createCall({ kind: "read", path: "/project/src/b.ts", lines: { from: 5, to: 9 } }, "otherName()"),
      createCall({ kind: "search", pattern: "saveState", path: "/project/src" }, "/project/src/c.ts:1"),
      [{ type: "text", text: "Now `lastWords.begin()`" }],
    );
    expect(working?.calls).toBe(3);
    expect(working?.names.map(({ name, file }) => [name, file])).toEqual([
      ["loadState", "src/a.ts"],
      ["otherName", "src/b.ts"],
      ["saveState", undefined],
      ["lastWords", undefined],
    ]);
    expect(working?.files).toMatchObject([
      { path: "src/a.ts" },
      { path: "src/b.ts", lines: [{ from: 5, to: 9 }] },
    ]);
    expect(working?.searches).toMatchObject([{ pattern: "saveState", path: "src" }]);
    expect(working?.seen).toMatchObject([{ path: "src/c.ts" }]);
  });

  it("count a window as full when another session begins, or when this one is compacted", () => {
    const work = () => Array.from({ length: 80 }, () => createCall(command("ls"))).flat();
    const init = (sessionId: string): AgentEvent => ({ type: "init", sessionId, model: "m", program: "p" });
    const first = factsOf([init("a"), ...work(), init("a"), ...work()]);
    expect(first.working?.window).toBe(0);
    const again = new FactCollector("/project", first);
    for (const event of [...work(), { type: "compaction:end" as const, ok: true }, ...work()])
      again.add(event);
    for (const event of [init("a"), init("b"), ...work()]) again.add(event);
    expect(again.facts().working?.window).toBe(3);
  });

  it("take from a subagent what it wrote, not what it looked at", () => {
    const [start, end] = createCall({ kind: "read", path: "/project/b.ts" }, "readByIt()");
    const calls = [
      ...createCall({ kind: "write", path: "/project/a.ts", changes: [{ added: "writtenByIt()" }] }),
      ...(start && end ? [start, end] : []),
    ].map((event) => ({ ...event, subagent: "s" }) as AgentEvent);
    const { working } = factsOf(calls);
    expect(working?.names.map(({ name }) => name)).toEqual(["writtenByIt"]);
    expect(working?.calls).toBe(0);
  });

  it("know the last test run, also when a pipe hid that it failed", () => {
    const { lastTest } = factsOf(
      createCall(command("npm test"), "5 passed"),
      createCall(command("npx vitest run | tail -3"), "Tests  2 failed | 3 passed"),
    );
    expect(lastTest).toEqual({
      command: "npx vitest run | tail -3",
      ok: false,
      output: "Tests  2 failed | 3 passed",
    });
  });

  it("take task runners for test runs, and no message that speaks of them", () => {
    const last = (text: string) => factsOf(createCall(command(text), "ok")).lastTest?.command;
    for (const run of [
      "mise run test:ci | tail",
      "task test",
      "npx nx run shed:test",
      "cd a && go test ./...",
    ])
      expect(last(run)).toBe(run);
    expect(last("git commit -F - <<'EOF'\nFix the shed\n\nRun npm test first.\nEOF")).toBeUndefined();
    expect(last("cat > a.txt <<EOF\nhello\nEOF\nnpm test")).toBeDefined();
  });

  it("carry the last error word for word", () => {
    expect(factsOf(createCall(command("x"), "TypeError: a\n  at b", false)).lastError).toBe(
      "TypeError: a\n  at b",
    );
  });

  it("know the todo list as it stands", () => {
    const add = (text: string): ToolAction => ({ kind: "todo", change: "add", text });
    const { todos } = factsOf(
      createCall(add("Write docs"), "", true, { kind: "todo", id: "7" }),
      createCall(add("Drop it"), "", true, { kind: "todo", id: "8" }),
      createCall(add("Not made"), "no", false),
      createCall({ kind: "todo", change: "update", id: "7", status: "in_progress" }),
      createCall({ kind: "todo", change: "update", id: "7", text: "Write the docs" }),
      createCall({ kind: "todo", change: "update", id: "9", status: "completed" }),
      createCall({ kind: "todo", change: "remove", id: "8" }),
      createCall(add("Unnumbered")),
    );
    expect(todos).toEqual([
      { id: "7", text: "Write the docs", status: "in_progress" },
      { id: "2", text: "Unnumbered", status: "pending" },
    ]);
  });

  it("know a todo list that was written whole, from the moment it was", () => {
    const list = (...texts: string[]): ToolAction => ({
      kind: "todo",
      change: "list",
      todos: texts.map((text) => ({ text, status: "completed" })),
    });
    const [started] = createCall(list("B", "", "C"));
    expect(factsOf(createCall(list("A")), started ? [started] : []).todos).toEqual([
      { id: "1", text: "B", status: "completed" },
      { id: "3", text: "C", status: "completed" },
    ]);
  });

  it("carry the user's words and constraints", () => {
    const facts = factsOf([{ type: "user", text: "Also: do not touch the tests." }]);
    expect(facts.messages).toEqual(["Also: do not touch the tests."]);
    expect(facts.constraints).toEqual(["Never push.", "Also: do not touch the tests."]);
  });

  it("carry what the user said while the agent worked, once, and not what they took back", () => {
    const queued = (text: string): AgentEvent => ({ type: "queued", text });
    const user = (text: string): AgentEvent => ({ type: "user", text });
    const { messages, constraints } = factsOf([
      queued("Never deploy on Fridays."),
      queued("continue"),
      { type: "user", text: "Never deploy on Fridays.", midTurn: true },
      user("continue"),
      user("continue"),
      queued("You must not rename it."),
      { type: "unqueued", text: "You must not rename it.", heard: false },
      queued("an older version's"),
      { type: "unqueued", heard: true },
      queued("taken back"),
      queued("with this"),
      { type: "unqueued", heard: false },
      queued("The agent was killed before it heard: never touch main."),
    ]);
    expect(messages).toEqual([
      "Never deploy on Fridays.",
      "continue",
      "continue",
      "an older version's",
      "The agent was killed before it heard: never touch main.",
    ]);
    expect(constraints).toEqual([
      "Never push.",
      "Never deploy on Fridays.",
      expect.stringContaining("never touch main"),
    ]);
  });

  it("name what was refused, which is no error, did not run and is no test that failed", () => {
    const refused = (does: ToolAction, more: object): AgentEvent[] => {
      const [start, end] = createCall(does, "The user doesn't want to proceed", false);
      return [start, { ...end, ...more }] as AgentEvent[];
    };
    const stopped = { interrupted: true };
    const no = { ...stopped, refused: true };
    const denied = createCall(command("git push"))[0] as Extract<AgentEvent, { type: "tool:start" }>;
    const facts = factsOf(
      createCall(command("make"), "boom", false),
      refused(command("npm test"), no),
      refused(command("make"), no),
      refused(command("pytest"), stopped),
      refused(write("/project/src/a.ts"), no),
      refused(command("rm -rf build"), no),
      [denied, { ...denied, type: "tool:denied", message: "not allowed" }],
      createCall(command("rm -rf build")),
    );
    expect(facts.refused).toEqual([
      { call: "npm test", by: "user" },
      { call: "make", by: "user" },
      { call: "Tool src/a.ts", by: "user" },
      { call: "git push", by: "rules" },
    ]);
    expect(facts).toMatchObject({ lastError: "boom", lastTest: null, files: [] });
    expect(facts.commands).toEqual([
      { command: "make", ok: false, runs: 1 },
      { command: "pytest", ok: null, runs: 1 },
      { command: "rm -rf build", ok: true, runs: 1 },
    ]);
  });

  it("leave out what an earlier version took for a constraint", () => {
    const earlier = { ...noFacts("Do it."), constraints: ["Never push.", "I don't know why."] };
    expect(new FactCollector("/project", earlier).facts().constraints).toEqual(["Never push."]);
  });

  it("know subagents by id, and how they ended", () => {
    const started: AgentEvent = { type: "subagent", id: "a1", task: "Explore", state: "running" };
    expect(factsOf([started, { ...started, state: "completed" }]).subagents).toEqual([
      { id: "a1", task: "Explore", state: "completed" },
    ]);
  });

  it("know when a subagent started, by its transcript or by when it was heard of", () => {
    const started: AgentEvent = { type: "subagent", id: "a1", task: "Explore", state: "running" };
    const collector = new FactCollector("/project", noFacts(""));
    collector.add(started, "2026-01-21T14:15:00.000Z");
    collector.add({ ...started, id: "a2", at: "2026-01-21T14:16:00.000Z" });
    collector.add({ ...started, id: "a2", state: "completed", at: "2026-01-21T14:20:00.000Z" });
    collector.add({ ...started, id: "a3", state: "completed" }, "2026-01-21T14:30:00.000Z");
    expect(collector.facts().subagents).toEqual([
      { id: "a1", task: "Explore", state: "running", startedAt: "2026-01-21T14:15:00.000Z" },
      { id: "a2", task: "Explore", state: "completed", startedAt: "2026-01-21T14:16:00.000Z" },
      { id: "a3", task: "Explore", state: "completed" },
    ]);
    collector.endSubagents();
    expect(collector.facts().subagents.map(({ state }) => state)).toEqual([
      "stopped",
      "completed",
      "completed",
    ]);
  });

  it("are as small after a hundred thousand calls as after a thousand", () => {
    const collector = new FactCollector("/project", noFacts("Do it."));
    const sizes: number[] = [];
    for (let call = 1; call <= 100_000; call++) {
      const output = `${call} `.repeat(call % 1_000 === 0 ? 5_000 : 3);
      const file = `/project/f${call % 50}.ts`;
      const events = [
        ...createCall(command(`step ${call}`), output, call % 7 !== 0),
        ...createCall(command(`npm test -- ${call % 3}`), output, call % 1_000 === 0),
        ...createCall(call % 2 ? read(file) : write(file)),
      ];
      for (const event of events) collector.add(event);
      if (call === 1_000 || call === 100_000) sizes.push(JSON.stringify(collector.facts()).length);
    }
    const [early = 0, late = 0] = sizes;
    expect(late).toBeLessThan(early * 1.1);
    expect(collector.facts().commands.length).toBeLessThanOrEqual(60);
    expect(collector.facts().files).toHaveLength(50);
  });

  it("of the tenth session hold exactly what the first one knew", () => {
    let facts = noFacts("Do it. Never push.");
    for (let session = 1; session <= 10; session++) {
      const collector = new FactCollector("/project", facts);
      const events = createCall(write(`/project/f${session}.ts`), "", true, newFile);
      for (const event of events) collector.add(event);
      facts = JSON.parse(JSON.stringify(collector.facts()));
    }
    expect(facts.files.map(({ path }) => path)).toEqual(
      Array.from({ length: 10 }, (_, index) => `f${index + 1}.ts`),
    );
    expect(facts.constraints).toEqual(["Never push."]);
    expect(facts.request).toBe("Do it. Never push.");
  });
});

describe("the ledger of what is done", () => {
  const progress = { done: [], inProgress: [], pending: [] };

  it("grows with every account, also past one that forgets", () => {
    const collector = new FactCollector("/project", noFacts("Do it."));
    collector.addProgress({ ...progress, done: ["the parser"] });
    collector.addProgress({ ...progress, done: ["the printer"] });
    expect(collector.facts().done).toEqual(["the parser", "the printer"]);
  });

  it("loses what a later account brings back", () => {
    const collector = new FactCollector("/project", {
      ...noFacts("Do it."),
      done: ["All tests pass", "the parser"],
    });
    collector.addProgress({ ...progress, inProgress: ["All tests pass (the last test run failed)"] });
    expect(collector.facts().done).toEqual(["the parser"]);
  });
});
