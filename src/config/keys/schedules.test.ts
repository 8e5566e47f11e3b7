import { expect, it } from "vitest";
import { ConfigError } from "../error.ts";
import { parseConfig } from "../layers/parse.ts";

function refused(schedules: string): string[] {
  const text = `agents:\n  - name: coder\n    schedules:\n${schedules.replace(/^/gm, "      ")}\n`;
  try {
    parseConfig(text, "/project/baton.yaml", "/home/someone", {});
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ line, message, fix }) => `${line}: ${message} | ${fix}`);
  }
}

it.each([
  [
    "{ cron: '61 * * * *', prompt: Go }",
    /^4: .*nightly.cron says "61" for the minute, and that goes from 0 to 59 \| for example: cron: "0 3/,
  ],
  ["{ cron: '0 3 * * MONN', prompt: Go }", /cron says "MONN" for the day of the week, and that goes from 0/],
  ["{ cron: '0 3 * *', prompt: Go }", /cron has 4 fields and must have five: minute, hour/],
  ["{ cron: '* * * * * *', prompt: Go }", /^4: .*cron has 6 fields and must have five/],
  ["{ cron: '@often', prompt: Go }", /cron is no cron expression: of such names there are @hourly/],
  ["{ cron: '0 0 31 2 *', prompt: Go }", /^4: .*cron never comes: 0 0 31 2 \*/],
  [
    "{ cron: '0 3 * * *', timezone: Mars/Base, prompt: Go }",
    /^4: .*timezone must be a time zone of the IANA database, found the text "Mars\/Base" \| for example: timezone: Europe/,
  ],
  [
    "{ interval: 30s, prompt: Go }",
    /^4: .*interval must be 1m at least, found the text "30s" \| for example: interval: 1h/,
  ],
  ["{ interval: 400d, prompt: Go }", /^4: .*interval must be 366d at most/],
  ["{ prompt: Go }", /^4: .*nightly says no time \| add interval: 1h, or cron/],
  [
    "{ interval: 1h, cron: '0 3 * * *', prompt: Go }",
    /^4: .*says its times twice: interval and cron \| keep one/,
  ],
  ["{ type: cron, interval: 1h, prompt: Go }", /^4: .*is of type cron, and says interval/],
  [
    "{ type: webhook, prompt: Go }",
    /^4: .*nightly of agent "coder" waits for calls, and none are taken \| add webhooks: \{ enabled: true \}/,
  ],
  [
    "{ type: webhook, cron: '0 3 * * *', prompt: Go }",
    /^4: .*runs when it is called: cron is of no use to it/,
  ],
  ["{ type: chat, interval: 1h, prompt: Go }", /^4: .*is of type chat, and names no channel/],
  [
    "{ interval: 1h, overlap: skip, work_source: { type: github, repo: acme/shop } }",
    /^4: .*overlap is of no use to work_source: its items run beside one another/,
  ],
  [
    "{ type: webhook, work_source: { type: github, repo: acme/shop } }",
    /^4: .*runs when it is called: work_source is of no use to it/,
  ],
  [
    "{ interval: 1h }",
    /^4: schedules.nightly of agent "coder" has no prompt \| add prompt: to it, or default_prompt/,
  ],
  [
    "{ interval: 1h, prompt: Go, resume_session: true }",
    /^4: .*resumes a session, and its agent keeps none \| add session: \{ mode: persistent \}/,
  ],
  ["{ interval: 1h, prompt: Go, timezone: Europe/Berlin }", /^4: .*timezone is of no use to an interval/],
])("refuses %s", (schedule, expected) => {
  expect(refused(`nightly: ${schedule}`).join("\n")).toMatch(expected);
});

it("refuses two of one name, and a name that no branch could have", () => {
  const one = "{ interval: 1h, prompt: Go }";
  expect(refused(`nightly: ${one}\nnightly: ${one}`).join("\n")).toMatch(/^5: .*nightly/);
  expect(refused(`"at night!": ${one}`).join("\n")).toMatch(/^4: .*letters, digits/);
  expect(refused(`nightly: ${one}`)).toEqual([]);
});
