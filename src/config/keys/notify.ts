import { DEFAULTS } from "../defaults.ts";
import { key, listOf } from "../reader/reader.ts";
import { flag, oneOf } from "../reader/values.ts";
import { hooks } from "./hooks.ts";

export const notifyKeys = {
  events: key(
    listOf(oneOf("warning", "handoff", "pause", "failure", "completion"), "[pause, failure]"),
    "what to notify you of: that the window is filling, or that a job hands off, pauses, fails or completes",
    DEFAULTS.notify.events,
  ),
  desktop: key(flag, "with a desktop notification, if there is a desktop", DEFAULTS.notify.desktop),
  bell: key(flag, "with the terminal bell", DEFAULTS.notify.bell),
  hooks: key(hooks, "with these hooks", []),
};
