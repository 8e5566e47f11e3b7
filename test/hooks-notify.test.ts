import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { DISCORD_TOKEN, startDiscord } from "./discord-server.ts";
import { baton, inSmallWindows, ofType, smallWindows } from "./harness.ts";
import { type HookedProject, hookedProject, hookRuns, RUN, records, told, writeCommand } from "./hooked.ts";
import { needs } from "./needs.ts";
import { SLACK_TOKEN, startSlack } from "./slack-server.ts";
import { onTerminal } from "./terminal.ts";

/** Stands in for the program that shows notifications, and keeps what it was called with. */
async function withDesktop(project: HookedProject): Promise<void> {
  await writeCommand(project.bin, "notify-send", `printf '%s\\0' "$@" '\n' >> "$SEEN/desktop"`);
  project.env.DISPLAY = ":0";
}

async function shownOnDesktop({ seen }: HookedProject): Promise<string[][]> {
  const text = await readFile(join(seen, "desktop"), "utf8").catch(() => "");
  return text
    .split("\0\n\0")
    .slice(0, -1)
    .map((call) => call.split("\0"));
}

const EVERYTHING = ["warning", "handoff", "pause", "failure", "completion"];

it("tells each thing once, over all sessions: warnings, the handoff and the end", async () => {
  const project = await hookedProject({
    scenario: inSmallWindows(6),
    agent: `session: { ${smallWindows} }\nhandoff: { notify_user_at: [10, 20] }`,
    notify: {
      events: EVERYTHING,
      desktop: true,
      hooks: [records("notify"), records("ends", "", { on_events: ["completed"] })],
    },
  });
  await withDesktop(project);
  const ran = await baton(project, RUN);
  expect(ran.code, ran.stdout).toBe(0);
  const levels = ofType(ran.events, "context:warning").map(({ level }) => level);
  expect(levels.length).toBeGreaterThan(new Set(levels).size);
  const events = (await told(project, "notify")).map((payload) => payload.hook_event_name);
  expect(events.filter((event) => event === "context_threshold")).toHaveLength(new Set(levels).size);
  expect(events.filter((event) => event !== "context_threshold")).toEqual(["handoff", "completed"]);
  expect(await told(project, "ends")).toMatchObject([{ event: "completed", result: { success: true } }]);
  const [stored] = ofType(ran.events, "handoff:stored");
  const titles = await shownOnDesktop(project);
  expect(titles).toHaveLength(events.length);
  expect(titles).toContainEqual([
    "--app-name=Baton",
    "--urgency=normal",
    "--",
    "coder: handoff 1",
    `${stored?.documentPath} · baton attach ${ran.events[0]?.job.split("-").at(-1)}`,
  ]);
});

it("shows what an agent said as text only, whatever it said", async () => {
  const hostile = `--icon=x $(touch "$SEEN/x") \`touch "$SEEN/x"\`; <b>\u001b]0;t\u0007\n${"long ".repeat(90)}`;
  const project = await hookedProject({
    scenario: { name: "hostile", summary: "", otherwise: { say: hostile } },
    notify: { desktop: true, events: ["completion"] },
  });
  await withDesktop(project);
  expect((await baton(project, RUN)).code).toBe(0);
  const [shown, ...more] = await shownOnDesktop(project);
  expect(more).toEqual([]);
  const [text = ""] = shown?.splice(4) ?? [];
  expect(shown).toEqual(["--app-name=Baton", "--urgency=normal", "--", "coder: completed"]);
  expect(text).toMatch(/^--icon=x \$\(touch "\$SEEN\/x"\) `touch "\$SEEN\/x"`; <b>/);
  expect(text).toMatch(/… · baton show \w+$/);
  expect(text.length).toBeLessThanOrEqual(230);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
  expect(text).not.toMatch(/[\u0000-\u001f\u007f]/);
  await expect(readFile(join(project.seen, "x"))).rejects.toThrow("ENOENT");
});

describe("on a terminal", () => {
  beforeEach(() => needs("script"));

  const bells = (output: string) => output.split("\u0007").length - 1;

  it("rings the bell for what was asked for, and not otherwise", async () => {
    const scenario = { name: "done", summary: "", otherwise: { say: "Done." } };
    const project = await hookedProject({ scenario, notify: { bell: true } });
    const rung = await onTerminal(project, { columns: 80 }, ["run", "Go"]);
    expect(bells(rung.output)).toBe(1);
    const quiet = await hookedProject({ scenario, notify: { bell: true, events: ["pause", "failure"] } });
    expect(bells((await onTerminal(quiet, { columns: 80 }, ["run", "Go"])).output)).toBe(0);
  });
});

it("posts to Slack and Discord from a job, and a refusal does not harm it", async () => {
  const [slack, discord] = await Promise.all([startSlack(), startDiscord()]);
  const project = await hookedProject({
    scenario: { name: "done", summary: "", otherwise: { say: "Done: <@everyone> *all* of it." } },
    env: {
      SLACK_BOT_TOKEN: SLACK_TOKEN,
      SLACK_API_URL: slack.baseUrl,
      DISCORD_BOT_TOKEN: DISCORD_TOKEN,
      DISCORD_API_URL: discord.baseUrl,
    },
    hooks: {
      before_run: [{ type: "slack", webhook_url: slack.webhookUrl }],
      after_run: [
        { type: "slack", name: "elsewhere", channel_id: "C_ELSEWHERE" },
        { type: "slack", name: "team", channel_id: "C1234567890" },
        { type: "discord", name: "guild", channel_id: "1234567890123456789" },
      ],
    },
    notify: { hooks: [{ type: "discord", webhook_url: discord.webhookUrl }] },
  });
  const ran = await baton(project, RUN);
  expect(ran.code, ran.stdout).toBe(0);
  expect(slack.posted.map(({ text }) => text)).toEqual(["▶️ coder: started", "✅ coder: completed"]);
  expect(discord.posted.map(({ embeds }) => embeds[0]?.title)).toEqual([
    "coder: completed",
    "coder: completed",
  ]);
  expect(JSON.stringify(slack.posted)).toContain("Done: &lt;@everyone&gt; *all* of it.");
  const elsewhere = ofType(ran.events, "hook").find(({ name }) => name === "elsewhere");
  expect(elsewhere).toMatchObject({
    ok: false,
    error: expect.stringContaining("invite the bot into C_ELSEWHERE"),
  });
  const { stdout: log } = await baton(project, ["logs", ran.events[0]?.job ?? "", "--json"]);
  expect(hookRuns(JSON.parse(`[${log.trim().replaceAll("\n", ",")}]`))).toEqual([
    "before_run slack 1",
    "after_run elsewhere",
    "after_run team",
    "after_run guild",
    "notify discord 1",
  ]);
  for (const secret of [SLACK_TOKEN, DISCORD_TOKEN, slack.webhookUrl, discord.webhookUrl]) {
    expect(log).not.toContain(secret);
  }
});
