import { key, listOf } from "../reader/reader.ts";
import { flag, oneOf } from "../reader/values.ts";
import { hooks } from "./hooks.ts";

export const notifyKeys = {
  events: key(
    listOf(oneOf("warning", "handoff", "pause", "failure", "completion"), "[pause, failure]"),
    "what you want to be told: that the window is filling, that a job hands off, pauses, fails or completes",
    ["pause", "failure", "completion"],
  ),
  desktop: key(flag, "by a notification of the desktop, where there is one", false),
  bell: key(flag, "by the bell of the terminal", false),
  hooks: key(hooks, "by these hooks", []),
};
