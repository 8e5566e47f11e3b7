import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it, vi } from "vitest";
import { openSwept } from "../src/app/project.ts";
import { userRegistry } from "../src/sessions/record/registry.ts";
import { recordLimit } from "../src/store/fleet/accounts.ts";
import { putSchedule, recordFires } from "../src/store/schedules.ts";
import { openFleetState } from "../src/store/sqlite/fleet-state.ts";
import { MANY_PAGES, violations, visit } from "./browser.ts";
import { jobsIn, waits } from "./fleet-jobs.ts";
import { needs } from "./needs.ts";
import { bash, good, handedOver, handsIn, oneHandoff, writesNotes } from "./one-handoff.ts";
import { conversation, registered } from "./own-session.ts";
import { type ServedTest, served, servedProject } from "./web.ts";
import { startFleet, workProject } from "./work-fleet.ts";

interface Shown {
  keys: string;
  name: string;
  /** What stands there once everything was answered. */
  full: RegExp[];
  empty: RegExp[];
}

const PAGES: Shown[] = [
  {
    keys: "g s",
    name: "Schedules",
    full: [
      /every day at 03:00/,
      /No fleet runs, so nothing would start these/,
      /missed 2 times: no fleet ran/,
      /The next seven days/,
    ],
    empty: [/Nothing runs by itself yet/],
  },
  {
    keys: "g w",
    name: "Work",
    full: [/No agent takes work from a tracker/],
    empty: [/work_source: \{ type: linear, team: ENG \}/],
  },
  {
    keys: "g p",
    name: "Spend",
    full: [
      /work is at its usage limit/,
      /All agents, \$9.00 a day/,
      /claude-sonnet/,
      /The jobs that cost most/,
      /1 job took .* in total/,
    ],
    empty: [/Nothing was spent in this time/, /No budget caps what is spent/],
  },
  {
    keys: "g a",
    name: "Agents",
    full: [/1 completed, 0 failed/, /git worktree/],
    empty: [/no job of it has ended/],
  },
  {
    keys: "g o",
    name: "Own sessions",
    full: [/45 %/, /1 session open/],
    empty: [/baton install claude-code/],
  },
  {
    keys: "g h",
    name: "Health",
    full: [
      /(kept|kept until it is merged|to be removed): /,
      /up for/,
      /all that is needed is there|to look at/,
    ],
    empty: [/Jobs have left no worktree/, /up for/, /all that is needed is there|to look at/],
  },
  { keys: "g y", name: "Activity", full: [/pauseSchedule/], empty: [/sign-in/] },
  { keys: "g ,", name: "Settings", full: [/this machine alone/, /a script/], empty: [/this machine alone/] },
];

const DUE = new Date(Date.now() - 60_000).toISOString();

/** A night in which a job handed off, a schedule was missed and a limit was met. */
async function busyProject(): Promise<ServedTest> {
  const scenario = oneHandoff([writesNotes, bash("git add -A && git commit -qm notes")], handsIn(good));
  const agent = [
    'schedules: { nightly: { cron: "0 3 * * *", prompt: Look. } }',
    "workspace: { strategy: git_worktree }",
  ].join("\n");
  const budgets = "budgets: [{ scope: fleet, per: day, cost_usd: 9, then: hold, simulated: true }]\n";
  const { project } = await handedOver(scenario, {
    agent,
    prepare: ({ folder }) => appendFile(join(folder, "baton.yaml"), budgets),
  });
  for (const [name, value] of Object.entries(project.env))
    if (!(name in process.env)) vi.stubEnv(name, value);
  const web = await served(project);
  {
    await using store = await openSwept(web.project);
    const definition = JSON.stringify({ kind: "cron", expression: "0 3 * * *" });
    const row = {
      agent: "coder",
      name: "nightly",
      definition,
      nextDue: DUE,
      pausedAt: null,
      pausedUntil: null,
    };
    await putSchedule(store, row);
    const next = new Date(Date.now() + 3_600_000).toISOString();
    const fire = {
      firstDue: DUE,
      due: DUE,
      at: DUE,
      count: 2,
      outcome: "missed",
      reason: "no fleet ran then",
    };
    expect(await recordFires(store, row, next, [{ ...fire, outcome: "missed" }], new Date())).toBe(true);
  }
  {
    using state = openFleetState();
    const until = Date.now() + 3_600_000;
    recordLimit(state, { account: "a", label: "work", until, message: "Resets in an hour.", isKnown: true });
  }
  const registry = userRegistry();
  const env = { CLAUDE_CONFIG_DIR: join(project.folder, "..", "claude") };
  await registered({ ...project, registry, env, handoffs: "" }, "own-session", conversation(project.folder));
  await web.token(["view"], { name: "a script" });
  return web;
}

const NARROW = { width: 360, height: 740 };

async function openPage(page: Page, { keys, name }: Shown, texts: readonly RegExp[]): Promise<void> {
  for (const key of keys.split(" ")) await page.keyboard.press(key);
  await page.getByRole("heading", { name, level: 1 }).waitFor();
  for (const text of texts) await page.locator("main").getByText(text).first().waitFor();
}

/** Every page in both themes, and on a narrow screen. */
async function lookAtAll(page: Page, what: "full" | "empty"): Promise<void> {
  for (const shown of PAGES) {
    await openPage(page, shown, shown[what]);
    const open = page.locator("main button[aria-expanded=false]");
    if (await open.count()) await open.first().click();
    expect(await violations(page, { isPlain: what === "empty" }), shown.name).toEqual([]);
    await page.setViewportSize(NARROW);
    const width = await page.evaluate("document.documentElement.scrollWidth");
    expect(width, `${shown.name} is no wider than the screen`).toBe(360);
    await page.setViewportSize({ width: 1280, height: 900 });
  }
}

it(
  "shows schedules, spend, agents, own sessions, health, activity and settings, each for everybody",
  MANY_PAGES,
  async () => {
    needs("browser");
    const web = await busyProject();
    const { page } = await visit(web);
    await openPage(page, { keys: "g s", name: "Schedules" } as Shown, []);
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.keyboard.press("p");
    await page.getByText("nightly of coder is paused.").waitFor();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await page.keyboard.press("p");
    await page.getByText("nightly of coder runs again.").waitFor();
    await lookAtAll(page, "full");

    await openPage(page, { keys: "g s", name: "Schedules" } as Shown, [/every day at 03:00/]);
    await page.keyboard.press("o");
    await page.getByLabel("Pause until").fill("2040-01-01T06:00");
    await page.getByLabel("Pause until").press("Enter");
    await page.getByText(/nightly of coder is paused until .*2040/).waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("nightly of coder runs again.").waitFor();
    await page.keyboard.press("r");
    await page.getByText("nightly of coder is in the queue.").waitFor();
    await openPage(page, { keys: "g a", name: "Agents" } as Shown, [/1 queued/]);
    await page.keyboard.press("p");
    await page.getByText("No more jobs of coder start").waitFor();
  },
);

it(
  "says on every page what fills it where there is nothing yet, and signs a token out",
  MANY_PAGES,
  async () => {
    needs("browser");
    const web = await servedProject();
    const { page } = await visit(web);
    for (const [keys, name] of [
      ["g b", "Board"],
      ["g i", "Nothing needs you"],
    ] as const) {
      await openPage(page, { keys, name, full: [], empty: [] }, []);
      expect(await violations(page, { isPlain: true }), name).toEqual([]);
    }
    await lookAtAll(page, "empty");

    await page.getByLabel("light").check();
    expect(await page.locator("html").getAttribute("data-theme")).toBe("light");
    const token = await web.token(["view"], { name: "to go" });
    expect((await web.get("/api/v1/fleet", { authorization: `Bearer ${token}` })).status).toBe(200);
    await page.reload();
    await page.getByRole("button", { name: "Revoke to go" }).click();
    await page.getByRole("dialog", { name: "Revoke to go?" }).getByRole("button", { name: "Revoke" }).click();
    await page.getByText("to go has no access any more.").waitFor();
    expect((await web.get("/api/v1/fleet", { authorization: `Bearer ${token}` })).status).toBe(401);
  },
);

it(
  "shows what trackers have and why it is not taken, and ignores, claims and releases it by keyboard",
  MANY_PAGES,
  async () => {
    needs("browser");
    const where = await workProject({ scenario: waits, source: "exclude_labels: [wip]" });
    vi.stubEnv("GITHUB_TOKEN", where.env.GITHUB_TOKEN);
    const web = await served(where);
    const { page } = await visit(web);
    const shown = { keys: "g w", name: "Work" } as Shown;
    await openPage(page, shown, [/no tracker is asked and nothing is taken/, /not what is labelled wip/]);

    const { repo } = where;
    const taken = repo.open({ title: "Fix it", body: "Now.", by: "alice", labels: ["ready"] });
    const left = repo.open({ title: "Not yet", body: "Later.", by: "alice", labels: ["ready", "wip"] });
    const theirs = repo.open({
      ...{ title: "Theirs", body: "Do it.", by: "eve" },
      ...{ labels: ["ready", "wip"], labelledBy: "alice" },
    });
    startFleet(where);
    const row = (id: number, state: string) =>
      page.locator("article", { hasText: state }).and(page.locator(`article[id$="/${id}"]`));
    await row(taken, "running").waitFor();
    await row(left, "it has the label wip").waitFor();
    await page.getByText(/requests left/).waitFor();
    await row(theirs, "by eve, who may not write").waitFor();
    expect(await row(left, "who may not write").count()).toBe(0);
    await row(taken, "running").getByRole("button", { name: "Fix it" }).click();
    const link = row(taken, "running").getByRole("link", { name: "Open it in GitHub" });
    expect(await link.getAttribute("href")).toMatch(/^https?:.*\/acme\/app\/issues\/1$/);
    const job = await row(taken, "running").getByRole("link", { name: "Its job" }).getAttribute("href");
    expect(job).toBe(`/jobs/${(await jobsIn(where))[0]?.id}`);
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize(NARROW);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(NARROW.width);
    await page.setViewportSize({ width: 1280, height: 900 });

    await page.keyboard.press("r");
    await page.getByRole("dialog", { name: `Release ${taken}?` }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText(`${taken} is free and ready.`).waitFor();
    expect((await jobsIn(where)).map(({ status }) => status)[0]).toBe("cancelled");

    await row(left, "excluded").getByRole("button", { name: "Not yet" }).click();
    await page.keyboard.press("i");
    await row(left, "ignored").waitFor();
    await page.keyboard.press("i");
    await row(left, "excluded").waitFor();
    await page.keyboard.press("c");
    await page.getByText(`${left} is claimed: coder works on it when it has a slot.`).waitFor();
    expect((await jobsIn(where)).map(({ workItem }) => workItem?.id)).toContain(`${left}`);

    // It was ready again, and taken.
    await row(taken, "running").waitFor();
    repo.edit(taken, { state: "closed" }, "alice");
    await openPage(page, { keys: "g i", name: "One thing needs you" } as Shown, [
      new RegExp(`Changed since it was claimed: ${taken}, which a job works on: it was closed`),
    ]);
    await page.keyboard.press("u");
    await page.getByText("The item is given back, and its job is over.").waitFor();
    const statuses = (await jobsIn(where)).filter(({ workItem }) => workItem?.id === `${taken}`);
    expect(statuses.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
  },
);
