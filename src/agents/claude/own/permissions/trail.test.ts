import { expect, it } from "vitest";
import { TrailCollector } from "./trail.ts";

let calls = 0;

/** A call, and its result with who allowed it, as Claude Code 2.1.325 writes them. */
function called(name: string, input: object, more: object): object[] {
  const id = `toolu_${++calls}`;
  const use = { type: "tool_use", id, name, input };
  const result = { type: "tool_result", tool_use_id: id, content: "" };
  return [
    {
      type: "assistant",
      requestedModel: "claude-sonnet-4-5",
      message: { model: "claude-sonnet-4-5", content: [use] },
    },
    { type: "user", message: { role: "user", content: [result] }, ...more },
  ];
}

const said = (permissionMode: string) => ({
  type: "user",
  message: { role: "user", content: "hi" },
  permissionMode,
});
const by = (source: string, more: object = {}) => ({
  permissionDecision: { decision: "accept", source, ...more },
});
const edit = { file_path: "/p/a.txt", content: "" };

function trailOf(...entries: object[]) {
  const found = new TrailCollector();
  for (const entry of entries) found.add(JSON.stringify(entry));
  return found.trail();
}

it("tells model and mode as they were last, of the main thread alone", () => {
  const subagents = {
    type: "assistant",
    isSidechain: true,
    message: { model: "claude-haiku-4-5", content: [] },
  };
  const api = { type: "assistant", message: { model: "<synthetic>", content: [] } };
  const trail = trailOf(
    said("plan"),
    ...called("Bash", { command: "ls" }, by("config")),
    { type: "permission-mode", permissionMode: "acceptEdits" },
    subagents,
    api,
  );
  expect(trail).toMatchObject({ model: "claude-sonnet-4-5", mode: "acceptEdits", tells: true, asked: [] });
});

it("tells what a person was asked about, and not what they allowed for good", () => {
  const trail = trailOf(
    said("default"),
    ...called("Bash", { command: "npm test" }, by("user_permanent")),
    ...called("Bash", { command: "curl x" }, by("user_temporary", { grantScope: "once" })),
    ...called("WebFetch", { url: "x" }, { toolDenialKind: "user-rejected" }),
    ...called("Read", { file_path: "/etc/hosts" }, by("user_temporary", { grantScope: "session" })),
    ...called("Write", edit, by("user_temporary", { grantScope: "session" })),
  );
  expect(trail.asked).toEqual([
    { tool: "Bash", kind: "command" },
    { tool: "WebFetch", kind: "other" },
    { tool: "Write", kind: "write" },
  ]);
  expect(trail).toMatchObject({ granted: ["Read(//etc/**)"], editedIn: [] });
});

it("tells in which mode files were changed unasked", () => {
  const trail = trailOf(said("bypassPermissions"), ...called("Write", edit, by("config")), said("default"));
  expect(trail).toMatchObject({ mode: "default", editedIn: ["bypassPermissions"] });
});

it("says so where a transcript does not tell who allowed what", () => {
  expect(trailOf(said("default"), ...called("Bash", { command: "ls" }, {})).tells).toBe(false);
  expect(trailOf(said("default")).tells).toBe(true);
});
