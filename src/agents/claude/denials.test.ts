import type { PermissionUpdate } from "@anthropic-ai/claude-agent-sdk";
import { expect, it } from "vitest";
import { grantFor } from "./denials.ts";

const CWD = "/home/ann/shop";
const rules = (...contents: string[]): PermissionUpdate => ({
  type: "addRules",
  rules: contents.map((ruleContent) => ({ toolName: "Bash", ruleContent })),
  behavior: "allow",
  destination: "localSettings",
});
const edits: PermissionUpdate = { type: "setMode", mode: "acceptEdits", destination: "session" };
const folder = (path: string): PermissionUpdate => ({
  type: "addDirectories",
  directories: [path],
  destination: "session",
});

it.each<[string, string, PermissionUpdate[], object]>([
  ["a command", "Bash", [rules("npm test *")], { tools: ["Bash(npm test *)"] }],
  [
    "two commands in one",
    "Bash",
    [rules("git add *", "git commit *")],
    { tools: ["Bash(git add *)", "Bash(git commit *)"] },
  ],
  ["a command that cannot be told", "Bash", [], { tools: ["Bash"] }],
  ["a script on the command line", "Bash", [rules(`node -e '${"x".repeat(200)}'`)], { tools: ["Bash"] }],
  ["a script over lines", "Bash", [rules("node -e '\nx'")], { tools: ["Bash"] }],
  ["an edit", "Write", [edits], { mode: "acceptEdits" }],
  ["a command that writes here", "Bash", [folder(CWD), edits], { mode: "acceptEdits" }],
  ["an edit elsewhere", "Write", [edits, folder("/etc")], { tools: ["Edit(//etc/**)"] }],
  ["a command that writes elsewhere", "Bash", [folder("/etc")], { tools: ["Bash"] }],
  ["a tool of a server", "mcp__docs__find", [], { tools: ["mcp__docs__find"] }],
])("knows what would allow %s", (_what, name, suggestions, grant) => {
  expect(grantFor(name, suggestions, CWD)).toEqual(grant);
});
