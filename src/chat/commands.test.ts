import { expect, it } from "vitest";
import { commandIn } from "./commands.ts";

it.each([
  ["/handoff", { name: "handoff" }],
  ["/handoff  the tests, and why ", { name: "handoff", focus: "the tests, and why" }],
  ["/HANDOFF x", { name: "handoff", focus: "x" }],
  ["/status", { name: "status" }],
  ["/sessions", { name: "sessions" }],
  ["/help", { name: "help" }],
  ["/exit", { name: "exit" }],
  ["/quit", { name: "exit" }],
  ["/handof", { name: "unknown", typed: "/handof" }],
])("takes %j as a command", (message, command) => {
  expect(commandIn(message)).toEqual(command);
});

it.each(["hello", "what does /exit do?", "/etc/hosts is wrong", "/", "// a comment", "do\n/exit"])(
  "leaves %j to the agent",
  (message) => {
    expect(commandIn(message)).toBeUndefined();
  },
);
