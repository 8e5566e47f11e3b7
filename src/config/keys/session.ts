import { DEFAULTS } from "../defaults.ts";
import { hours } from "../reader/hours.ts";
import { key, listOf } from "../reader/reader.ts";
import { contextThreshold } from "../reader/threshold.ts";
import { duration, flag, oneOf, text, wholeNumber } from "../reader/values.ts";

export const sessionKeys = {
  mode: key(
    oneOf("fresh", "persistent"),
    "`persistent`: the next job of the agent continues in the session of the last one",
    DEFAULTS.session.mode,
  ),
  timeout: key(
    duration(1, "24h", Infinity),
    "how long after its last sign of life a session can be continued",
    DEFAULTS.session.timeout,
  ),
  context_threshold: key(
    contextThreshold,
    "when to hand off: with this fraction of the window left; with this many tokens in use (1000 or more); or `economical`: when a fresh session is cheaper than another turn",
    DEFAULTS.session.context_threshold,
  ),
  context_handoff_threshold: key(contextThreshold, "another name for `context_threshold`"),
  max_handoffs_per_job: key(
    wholeNumber(0, 3),
    "how many handoffs a job may make; one more is still written, then the job pauses; 50 with `context_threshold: economical`",
    DEFAULTS.session.max_handoffs_per_job,
  ),
  on_limit: key(
    oneOf("wait", "pause", "switch"),
    "at a usage limit, `wait` for the reset in the same session, `pause`, or `switch` to the next agent of `fallback`",
    DEFAULTS.session.on_limit,
  ),
  not_after: key(
    hours,
    "what waited for a usage limit is not continued after this time of the day and before the morning, 07:00; `22:00-06:00` says when the morning is",
  ),
  fallback: key(
    listOf(text("reviewer"), "[reviewer, cheap]"),
    "the agents that take the job over, in this order, at a usage limit, a lost sign-in or an API that keeps failing; for `on_limit: switch`",
  ),
  switch_back: key(
    flag,
    "return to the first agent at the next handoff after its limit is over",
    DEFAULTS.session.switch_back,
  ),
  background_grace: key(
    duration(0, "2m"),
    "how long a handoff waits for subagents and background commands to finish; it does not wait for a command that does nothing for five seconds",
    DEFAULTS.session.background_grace,
  ),
  stall_timeout: key(
    duration(1, "15m"),
    "restart the agent if it shows no sign of life for this long",
    DEFAULTS.session.stall_timeout,
  ),
  max_retries: key(
    wholeNumber(0, 5),
    "how often to retry in a row when the API fails or the agent dies; then the job pauses",
    DEFAULTS.session.max_retries,
  ),
  retry_backoff: key(
    duration(1, "5s"),
    "the wait before the first retry; it doubles, up to a quarter of an hour",
    DEFAULTS.session.retry_backoff,
  ),
  auto_compact: key(
    flag,
    "leave Claude Code's own compaction on; `true` if `handoff.enabled` is `false`",
    false,
  ),
};
