import { NOTIFY_EVENTS } from "../config.ts";
import { DEFAULTS } from "../defaults.ts";
import { hours, timezone } from "../reader/hours.ts";
import { key, listOf } from "../reader/reader.ts";
import { flag, oneOf } from "../reader/values.ts";
import { hooks } from "./hooks.ts";

export const notifyKeys = {
  events: key(
    listOf(oneOf(...NOTIFY_EVENTS), "[pause, failure]"),
    "what to notify you of: that the window is filling; that a job hands off, pauses, fails or completes, asks you something, may be stalled or going in circles, or has work to review; that a schedule missed a run, or a budget is used up",
    DEFAULTS.notify.events,
  ),
  desktop: key(flag, "with a desktop notification, if there is a desktop", DEFAULTS.notify.desktop),
  bell: key(flag, "with the terminal bell", DEFAULTS.notify.bell),
  quiet_hours: key(
    hours,
    "what comes up in these hours, such as `22:00-07:00`, is told afterwards, all of it as one; a single time lasts until 07:00",
  ),
  timezone: key(timezone, "the time zone of `quiet_hours`; that of the machine where it is left out"),
  hooks: key(hooks, "with these hooks", []),
};
