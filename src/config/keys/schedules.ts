import { wrongInCron } from "../../util/cron.ts";
import { DAY_MS, MINUTE_MS } from "../../util/time.ts";
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
import { workSource } from "./work-source.ts";

/** Longer than a timer can wait, which nothing here does. */
const LONGEST_INTERVAL_MS = 366 * DAY_MS;
const CRON_EXAMPLE = '"0 3 * * *"';

/** Five fields, or a name such as `@daily`. */
const cron: Reader<string> = {
  ...text("0 3 * * *"),
  expects: "a cron expression of five fields",
  read(spot, report) {
    const given = text("0 3 * * *").read(spot, report);
    if (given === undefined) return undefined;
    const problem = wrongInCron(given);
    if (problem === undefined) return given;
    report(markOf(spot), `${spot.name} ${problem}`, exampleFix(spot, CRON_EXAMPLE));
    return undefined;
  },
};

const type = oneOf("interval", "cron", "webhook", "chat");

const shape = section(
  {
    type: key(
      type,
      "how its times are said; told by `interval` or `cron` where it is left out; `webhook`: it runs [when it is called](api.md#webhooks); `chat`: its times are said as ever, and `channel` hears what its jobs come to",
    ),
    interval: key(
      duration(MINUTE_MS, "1h", LONGEST_INTERVAL_MS),
      "the time from one run to the next, counted from when each was due",
    ),
    cron: key(cron, 'when it runs, in five fields: `"0 3 * * *"` is every day at three'),
    expression: key(cron, "another name for `cron`"),
    prompt: key(
      text("Look for failing tests, and fix them."),
      "what its jobs are asked; `default_prompt` where it is left out",
    ),
    channel: key(
      formed(/^[A-Za-z0-9]+$/, "the id of a channel", "C0123456789"),
      "with `type: chat`, the channel of the agent's `chat` that hears what its jobs come to",
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
      duration(MINUTE_MS, "24h", Infinity),
      "how old a missed run may be to be made up for",
      DEFAULTS.schedule.catch_up_window,
    ),
    work_source: key(
      workSource,
      "when it is due, it runs once for each [item of a tracker](work-sources.md) that can be taken; what is left out is as in the agent",
    ),
    overlap: key(
      oneOf("queue", "skip", "parallel"),
      "what a run does while the one before has not ended: wait for it, not run, or run beside it",
      DEFAULTS.schedule.overlap,
    ),
  },
  '{ cron: "0 3 * * *" }',
  (word) => {
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
    if ((read.type === "chat") !== has("channel")) {
      report(
        mark,
        has("channel")
          ? `${spot.name}.channel needs type: chat`
          : `${spot.name} is of type chat, and names no channel`,
        has("channel") ? "add type: chat" : "add channel: C0123456789",
      );
    }
    if (read.type === "webhook") {
      const useless = [...times, "timezone", "catch_up", "catch_up_window", "work_source"].filter(has);
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
    } else if (
      read.type !== undefined &&
      read.type !== "chat" &&
      read.type !== (has("interval") ? "interval" : "cron")
    ) {
      report(
        mark,
        `${spot.name} is of type ${read.type}, and says ${times[0]}`,
        "let them agree, or leave type out",
      );
    }
    if (has("work_source") && has("overlap")) {
      report(
        mark,
        `${spot.name}.overlap is of no use to work_source: its items run beside one another`,
        "leave it out; instances.max_concurrent says how many at once",
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
