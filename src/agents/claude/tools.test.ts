import { describe, expect, it } from "vitest";
import { aboutCall, kindOfTool, madeBy, skillOf, toolAction } from "./tools.ts";

describe("what a tool call does", () => {
  it.each([
    ["Bash", { command: "ls", description: "Look" }, { kind: "command", command: "ls" }],
    ["Read", { file_path: "/a.ts" }, { kind: "read", path: "/a.ts" }],
    ["Read", { file_path: "/a.ts", limit: 5 }, { kind: "read", path: "/a.ts", lines: { from: 1, to: 5 } }],
    [
      "Read",
      { file_path: "/a.ts", offset: 20, limit: 5 },
      { kind: "read", path: "/a.ts", lines: { from: 20, to: 24 } },
    ],
    ["Read", { file_path: "/a.ts", offset: 20 }, { kind: "read", path: "/a.ts", lines: { from: 20 } }],
    ["Read", { file_path: "/a.ts", offset: "x" }, { kind: "read", path: "/a.ts" }],
    [
      "Write",
      { file_path: "/a.ts", content: "x" },
      { kind: "write", path: "/a.ts", changes: [{ added: "x" }] },
    ],
    [
      "Edit",
      { file_path: "/a.ts", old_string: "a", new_string: "b" },
      { kind: "write", path: "/a.ts", changes: [{ removed: "a", added: "b" }] },
    ],
    ["MultiEdit", { file_path: "/a.ts", edits: [] }, { kind: "write", path: "/a.ts" }],
    [
      "MultiEdit",
      {
        file_path: "/a.ts",
        edits: [{ old_string: "a", new_string: "b" }, { old_string: "c", new_string: "" }, "?"],
      },
      {
        kind: "write",
        path: "/a.ts",
        changes: [
          { removed: "a", added: "b" },
          { removed: "c", added: "" },
        ],
      },
    ],
    ["NotebookEdit", { notebook_path: "/a.ipynb" }, { kind: "write", path: "/a.ipynb" }],
    [
      "NotebookEdit",
      { notebook_path: "/a.ipynb", new_source: "x = 1" },
      { kind: "write", path: "/a.ipynb", changes: [{ added: "x = 1" }] },
    ],
    ["Grep", { pattern: "x", path: "/src" }, { kind: "search", pattern: "x", path: "/src" }],
    ["Glob", { pattern: "**/*.ts" }, { kind: "search", pattern: "**/*.ts" }],
    ["Grep", {}, { kind: "other" }],
    ["mcp__baton__submit_handoff", { goal: "x" }, { kind: "own" }],
    ["mcp__other__submit_handoff", { command: "ls" }, { kind: "other" }],
    ["constructor", {}, { kind: "other" }],
  ])("is known of %s", (name, input, does) => {
    expect(toolAction(name, input)).toEqual(does);
  });

  it.each([
    [
      "TodoWrite",
      { todos: [{ content: "A", status: "completed" }, { content: "B" }, "?"] },
      {
        change: "list",
        todos: [
          { text: "A", status: "completed" },
          { text: "B", status: "pending" },
          { text: "", status: "pending" },
        ],
      },
    ],
    ["TaskCreate", { subject: "Docs", description: "Write them" }, { change: "add", text: "Docs" }],
    ["TaskUpdate", { taskId: "7", status: "done" }, { change: "update", id: "7", status: "done" }],
    ["TaskUpdate", { taskId: "7", subject: "Better" }, { change: "update", id: "7", text: "Better" }],
    ["TaskUpdate", { taskId: "7", status: "deleted" }, { change: "remove", id: "7" }],
  ])("changes the todo list: %s %j", (name, input, change) => {
    expect(toolAction(name, input)).toEqual({ kind: "todo", ...change });
  });

  it.each(["Bash", "Read", "Edit", "TaskCreate", "TaskUpdate"])(
    "is not known where %s is given something else",
    (name) => {
      for (const input of [undefined, null, "ls", [], {}, { command: 1, file_path: {}, taskId: 7 }])
        expect(toolAction(name, input)).toEqual({ kind: "other" });
    },
  );

  it("is told by the name alone where nothing else was kept", () => {
    expect(["Bash", "Edit", "TodoWrite", "Grep", "mcp__baton__x"].map(kindOfTool)).toEqual([
      "command",
      "write",
      "todo",
      "search",
      "own",
    ]);
  });
});

it.each([
  [{ description: "Run the tests", command: "npm test" }, "npm test"],
  [{ command: "  ", description: "Wait" }, "Wait"],
  [{ taskId: "7", status: "done" }, '{"taskId":"7","status":"done"}'],
  [{}, ""],
  [undefined, ""],
])("of a call, what tells a person most: %j", (input, about) => {
  expect(aboutCall(input)).toBe(about);
});

it.each([
  ["File created successfully at: /a.ts", { made: { kind: "file" } }],
  ["The file /a.ts has been updated.", {}],
  ["Task #7 created successfully: Docs", { made: { kind: "todo", id: "7" } }],
  ["the user was created", {}],
  ["", {}],
])("a result says what was made: %j", (output, made) => {
  expect(madeBy(output)).toEqual(made);
});

it("a skill is named by the call that loads it", () => {
  expect(skillOf("Skill", { skill: "baton:orchestrator" })).toBe("baton:orchestrator");
  expect(skillOf("Skill", { command: "baton:orchestrator" })).toBe("baton:orchestrator");
  expect(skillOf("Bash", { command: "baton:orchestrator" })).toBeUndefined();
});
