import { expect, it } from "vitest";
import { cronInWords } from "../web/parts/cron.ts";

it.each([
  ["0 3 * * *", "every day at 03:00"],
  ["30 6 * * 1", "every Monday at 06:30"],
  ["0 6 * * mon,thu", "every Monday and Thursday at 06:00"],
  ["0 9 * * 1-5", "Monday to Friday at 09:00"],
  ["0 9 * * 7", "every Sunday at 09:00"],
  ["*/15 * * * *", "every 15 minutes"],
  ["0 */2 * * *", "every 2 hours, on the hour"],
  ["20 * * * *", "every hour, 20 minutes past the hour"],
  ["0 0 1 * *", "on the 1st of every month at 00:00"],
  ["0 0 12 * *", "on the 12th of every month at 00:00"],
  ["0 0 22 * *", "on the 22nd of every month at 00:00"],
  ["@daily", "every day at 00:00"],
])("says %s as %s", (expression, words) => {
  expect(cronInWords(expression)).toBe(words);
});

it.each(["0 3 * 6 *", "0 3 1 * 1", "5,10 3 * * *", "0 0 3 * * *", "every 1 h", "0 9 * * 2#1"])(
  "leaves %s as it is",
  (expression) => {
    expect(cronInWords(expression)).toBeUndefined();
  },
);
