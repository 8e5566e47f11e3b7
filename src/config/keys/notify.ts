import { DEFAULTS } from "../defaults.ts";
import { key, listOf } from "../reader/reader.ts";
import { flag, oneOf } from "../reader/values.ts";
import { hooks } from "./hooks.ts";

export const notifyKeys = {
  events: key(
    listOf(oneOf("warning", "handoff", "pause", "failure", "completion"), "[pause, failure]"),
    "what you want to be told: that the window is filling, that a job hands off, pauses, fails or completes",
    DEFAULTS.notify.events,
  ),
  desktop: key(flag, "by a notification of the desktop, where there is one", DEFAULTS.notify.desktop),
  bell: key(flag, "by the bell of the terminal", DEFAULTS.notify.bell),
  hooks: key(hooks, "by these hooks", []),
};
