import { describe, expect, it } from "vitest";
import { CallBook } from "./call-book.ts";
import { calledBy } from "./calls.ts";
import { commandAction } from "./commands.ts";
import { shellWords } from "./shell-words.ts";

const AROUND = { cwd: "/project", ownTools: ["submit_handoff"] };

describe("the words of a command line", () => {
  it.each<[string, string[]]>([
    ["/bin/bash -lc 'echo a b'", ["/bin/bash", "-lc", "echo a b"]],
    [`bash -c "echo \\"it's\\" \\$HOME"`, ["bash", "-c", `echo "it's" $HOME`]],
    ["a'b'\"c\"\\ d  e", ["abc d", "e"]],
    ["''", [""]],
    ["echo 'open", ["echo", "'open"]],
    ["", []],
  ])("%s", (line, words) => {
    expect(shellWords(line)).toEqual(words);
  });
});

describe("what a command does", () => {
  it.each<[string, object]>([
    ["cat a.txt", { kind: "read", path: "/project/a.txt" }],
    ["sed -n '10,20p' /src/b.ts", { kind: "read", path: "/src/b.ts", lines: { from: 10, to: 20 } }],
    ["sed -n 5p b.ts", { kind: "read", path: "/project/b.ts", lines: { from: 5, to: 5 } }],
    ["head -n 40 'a b.txt'", { kind: "read", path: "/project/a b.txt", lines: { from: 1, to: 40 } }],
    ["rg -n 'foo bar' src", { kind: "search", pattern: "foo bar", path: "/project/src" }],
    ["grep -rn needle", { kind: "search", pattern: "needle" }],
    ["cat a.txt | wc -l", { kind: "command", command: "cat a.txt | wc -l" }],
    ["cat a.txt > b.txt", { kind: "command", command: "cat a.txt > b.txt" }],
    ["sed -i s/a/b/ c.txt", { kind: "command", command: "sed -i s/a/b/ c.txt" }],
    ["rg --files", { kind: "command", command: "rg --files" }],
    ["npm test", { kind: "command", command: "npm test" }],
  ])("%s", (command, does) => {
    expect(commandAction(command, "/project")).toEqual(does);
  });
});

describe("a call as the model makes it", () => {
  it("is one for each file of a patch", () => {
    const input = `*** Begin Patch
*** Add File: new.txt
+one
+two
*** Update File: /src/old.ts
@@ function a()
-  was
+  is
@@
+more
*** Delete File: gone.txt
*** End Patch
`;
    const calls = calledBy({ call_id: "c", name: "apply_patch", input }, AROUND);
    expect(calls.map(({ id, does }) => [id, does])).toEqual([
      ["c", { kind: "write", path: "/project/new.txt", changes: [{ added: "one\ntwo" }] }],
      [
        "c#2",
        {
          kind: "write",
          path: "/src/old.ts",
          changes: [{ removed: "  was", added: "  is" }, { added: "more" }],
        },
      ],
      ["c#3", { kind: "write", path: "/project/gone.txt" }],
    ]);
  });

  it("may be a plan, a tool of Baton's, or anything", () => {
    const of = (name: string, given: object) =>
      calledBy({ call_id: "c", name, arguments: JSON.stringify(given) }, AROUND)[0]?.does;
    const plan = [{ step: "Look", status: "in_progress" }];
    expect(of("update_plan", { plan })).toEqual({
      kind: "todo",
      change: "list",
      todos: [{ text: "Look", status: "in_progress" }],
    });
    expect(of("submit_handoff", {})).toEqual({ kind: "own" });
    expect(of("write_stdin", { session_id: 1 })).toEqual({ kind: "other" });
    expect(calledBy({ call_id: "c", name: "x", arguments: "{broken" }, AROUND)).toMatchObject([
      { does: { kind: "other" } },
    ]);
  });
});

describe("the calls that run", () => {
  const called = (id: string, cmd: string) => ({
    call_id: id,
    name: "exec_command",
    arguments: JSON.stringify({ cmd }),
  });
  const item = (id: string, status: string, more: object = {}) => ({
    type: "commandExecution",
    id,
    command: "/bin/bash -lc 'npm test'",
    cwd: "/project",
    status,
    ...more,
  });

  it("are told once each, however often the program tells of them", () => {
    const book = new CallBook(AROUND);
    const events = [
      ...book.called(called("a", "npm test")),
      ...book.started(item("a", "inProgress")),
      ...book.completed(item("a", "failed", { exitCode: 1, aggregatedOutput: "no\n" })),
      ...book.answered({ call_id: "a", output: "Process exited with code 1\nOutput:\nno" }),
    ];
    expect(events).toMatchObject([
      { type: "tool:start", id: "a", does: { kind: "command", command: "npm test" } },
      { type: "tool:end", id: "a", ok: false, output: "Exit code 1\nno" },
    ]);
  });

  it("stay open in the background, until they really end", () => {
    const book = new CallBook(AROUND);
    const begun = [
      ...book.called(called("a", "npm test")),
      ...book.answered({ call_id: "a", output: "Process running with session ID 7\nOutput:\n" }),
    ];
    expect(begun.map(({ type }) => type)).toEqual(["tool:start"]);
    expect([...book.open.keys()]).toEqual(["a"]);
    expect([...book.completed(item("a", "completed", { exitCode: 0 }))]).toMatchObject([
      { type: "tool:end", ok: true },
    ]);
  });

  it("end by what the model is answered where there is no item, and with the turn where there is nothing", () => {
    const book = new CallBook(AROUND);
    const events = [
      ...book.called({ call_id: "a", name: "strange", arguments: "{}" }),
      ...book.answered({ call_id: "a", output: "unsupported call: strange" }),
      ...book.called(called("b", "sleep 9")),
      ...book.interrupted(),
    ];
    expect(events.filter(({ type }) => type === "tool:end")).toMatchObject([
      { id: "a", ok: false },
      { id: "b", ok: false, interrupted: true },
    ]);
  });

  it("tell of files that a command patched", () => {
    const book = new CallBook(AROUND);
    const changes = [{ path: "/project/a.txt", kind: { type: "add" }, diff: "one\n" }];
    const events = [
      ...book.called(called("a", "apply_patch <<EOF")),
      ...book.completed({ type: "fileChange", id: "a", status: "completed", changes }),
    ];
    expect(events).toMatchObject([
      { type: "tool:start", id: "a", does: { kind: "command" } },
      { type: "tool:start", id: "a/file", does: { kind: "write", path: "/project/a.txt" } },
      { type: "tool:end", id: "a/file", ok: true, made: { kind: "file" } },
      { type: "tool:end", id: "a", ok: true },
    ]);
  });
});
