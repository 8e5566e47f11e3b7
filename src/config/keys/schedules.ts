import { readCron } from "../../util/cron.ts";
import { MINUTE_MS } from "../../util/time.ts";
import { DEFAULTS } from "../defaults.ts";
import { timezone } from "../reader/hours.ts";
import {
  entryOf,
  exampleFix,
  key,
  mapOf,
  markOf,
  type Reader,
  section,
  type ValueOf,
} from "../reader/reader.ts";
import { duration, flag, formed, oneOf, text } from "../reader/values.ts";

const CRON_EXAMPLE = '"0 3 * * *"';

/** Five fields, or a name such as `@daily`. */
const cron: Reader<string> = {
  ...text("0 3 * * *"),
  expects: "a cron expression of five fields",
  read(spot, report) {
    const given = text("0 3 * * *").read(spot, report);
    if (given === undefined) return undefined;
    const problem = problemOf(given);
    if (problem === undefined) return given;
    report(markOf(spot), `${spot.name} ${problem}`, exampleFix(spot, CRON_EXAMPLE));
    return undefined;
  },
};

function problemOf(pattern: string): string | undefined {
  try {
    const comes = readCron(pattern).nextRun() !== null;
    return comes ? undefined : `is a day that never comes: ${pattern}`;
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Cron\w*: /, "") : "";
    return `is no cron expression: ${why}`;
  }
}

const kind = oneOf("interval", "cron", "webhook");

/** What others know, and Baton does not do yet. */
const NOT_YET: Readonly<Record<string, string>> = {
  chat: "Baton starts no job from a chat yet",
};

const type: Reader<"interval" | "cron" | "webhook"> = {
  ...kind,
  read(spot, report) {
    const given = spot.value.kind === "scalar" ? spot.value.value : undefined;
    const why = typeof given === "string" ? NOT_YET[given] : undefined;
    if (why === undefined) return kind.read(spot, report);
    report(markOf(spot), `${spot.name}: ${why}`, "write type: interval, type: cron or type: webhook");
    return undefined;
  },
};

const shape = section(
  {
    type: key(
      type,
      "how its times are said; told by `interval` or `cron` where it is left out; `webhook`: it runs [when it is called](api.md#webhooks)",
    ),
    interval: key(
      duration(MINUTE_MS, "1h"),
      "the time from one run to the next, counted from when each was due",
    ),
    cron: key(cron, 'when it runs, in five fields: `"0 3 * * *"` is every day at three'),
    expression: key(cron, "another name for `cron`"),
    prompt: key(
      text("Look for failing tests, and fix them."),
      "what its jobs are asked; `default_prompt` where it is left out",
    ),
    enabled: key(flag, "whether it runs", DEFAULTS.schedule.enabled),
    resume_session: key(
      flag,
      "whether its jobs continue the agent's last session: `session.mode` says the same, and must agree",
    ),
    timezone: key(timezone, "the time zone of `cron`; that of the machine where it is left out"),
    catch_up: key(
      oneOf("latest", "skip", "all"),
      "what of missed runs is made up for: the latest one, none, or all of them",
      DEFAULTS.schedule.catch_up,
    ),
    catch_up_window: key(
      duration(MINUTE_MS, "24h", "compared"),
      "how old a missed run may be to be made up for",
      DEFAULTS.schedule.catch_up_window,
    ),
    overlap: key(
      oneOf("queue", "skip", "parallel"),
      "what a run does while the one before has not ended: wait for it, not run, or run beside it",
      DEFAULTS.schedule.overlap,
    ),
  },
  '{ cron: "0 3 * * *" }',
  (word) => {
    if (word === "work_source")
      return "Baton takes no work from trackers yet: say in prompt what to look for";
    if (word === "outputToFile") return "leave it out: baton logs has what a job said";
    return undefined;
  },
);

type ScheduleLayer = ValueOf<typeof shape>;

const schedule: Reader<ScheduleLayer> = {
  ...shape,
  // One that says an interval over one that says a cron expression is another schedule.
  whole: true,
  read(spot, report) {
    const read = shape.read(spot, report);
    if (!read || spot.value.kind !== "map") return read;
    const has = (word: string) => entryOf(spot.value, word) !== undefined;
    const times = ["interval", "cron", "expression"].filter(has);
    const mark = markOf(spot);
    if (has("type") && read.type === undefined) return read;
    if (read.type === "webhook") {
      const useless = [...times, "timezone", "catch_up", "catch_up_window"].filter(has);
      if (useless.length > 0)
        report(
          mark,
          `${spot.name} runs when it is called: ${useless.join(" and ")} is of no use to it`,
          "leave it out",
        );
      return read;
    }
    if (times.length === 0) {
      report(mark, `${spot.name} says no time`, `add interval: 1h, or cron: ${CRON_EXAMPLE}`);
    } else if (times.length > 1) {
      report(mark, `${spot.name} says its times twice: ${times.join(" and ")}`, "keep one of them");
    } else if (read.type !== undefined && read.type !== (has("interval") ? "interval" : "cron")) {
      report(
        mark,
        `${spot.name} is of type ${read.type}, and says ${times[0]}`,
        "let them agree, or leave type out",
      );
    }
    if (has("timezone") && has("interval")) {
      report(mark, `${spot.name}.timezone is of no use to an interval`, "leave it out");
    }
    return read;
  },
};

const NAME = formed(
  /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  "letters, digits, - _ and ., beginning with a letter or digit",
  "nightly",
);

const named = mapOf(schedule, '{ nightly: { cron: "0 3 * * *" } }');

/** By name. */
export const schedules: Reader<Record<string, ScheduleLayer>> = {
  ...named,
  read(spot, report) {
    for (const entry of spot.value.kind === "map" ? spot.value.entries : []) {
      const value = { kind: "scalar", value: entry.key, source: entry.key, span: entry.keySpan } as const;
      NAME.read({ name: `the name of ${spot.name}.${entry.key}`, value }, report);
    }
    return named.read(spot, report);
  },
};
