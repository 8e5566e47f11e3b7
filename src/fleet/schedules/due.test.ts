import { expect, it } from "vitest";
import { DAY_MS, MINUTE_MS } from "../../util/time.ts";
import { nextDue } from "./due.ts";

const BEGIN = Date.parse("2026-01-01T00:00:00Z");
const END = BEGIN + 400 * DAY_MS;
const QUARTER_MS = 15 * MINUTE_MS;

/** Every quarter of an hour, as a clock on the wall shows it. No zone changes its clocks at another moment than one of them. */
function* wallClock(timeZone: string) {
  const clock = new Intl.DateTimeFormat("en-GB", {
    ...{ timeZone, hourCycle: "h23", dateStyle: "short", timeStyle: "short" },
  });
  let before = "";
  for (let at = BEGIN; at <= END; at += QUARTER_MS) {
    const [day = "", time = ""] = clock.format(at).split(", ");
    yield { at, day, time, before };
    before = time;
  }
}

/** Once a day at this time; where the clocks jump over it, when they do; where they show it twice, the first time. */
function onceADay(timeZone: string, wanted: string): number[] {
  const found = new Map<string, number>();
  for (const { at, day, time, before } of wallClock(timeZone)) {
    const isJumpedOver = before !== "" && before < wanted && wanted < time;
    if ((time === wanted || isJumpedOver) && !found.has(day)) found.set(day, at);
  }
  return [...found.values()];
}

const everyHour = (timeZone: string) =>
  [...wallClock(timeZone)].filter(({ time }) => time.endsWith(":00")).map(({ at }) => at);

it.each([
  ["30 2 * * *", "Europe/Berlin", onceADay("Europe/Berlin", "02:30")],
  ["0 3 * * *", "Europe/Berlin", onceADay("Europe/Berlin", "03:00")],
  ["30 1 * * *", "America/New_York", onceADay("America/New_York", "01:30")],
  ["0 * * * *", "Europe/Berlin", everyHour("Europe/Berlin")],
])(
  "%s in %s is due when a clock on the wall there says so, on each of 400 days",
  (expression, timezone, expected) => {
    const times = { kind: "cron" as const, expression, timezone };
    const found: number[] = [];
    for (
      let due = nextDue({ times }, new Date(BEGIN - 1));
      due && due.getTime() <= END;
      due = nextDue({ times }, due)
    ) {
      found.push(due.getTime());
    }
    expect(found.map((at) => new Date(at).toISOString())).toEqual(
      expected.map((at) => new Date(at).toISOString()),
    );
  },
);
