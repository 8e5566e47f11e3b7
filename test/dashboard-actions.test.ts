import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it, vi } from "vitest";
import { openProjectStore, type Project } from "../src/app/project.ts";
import { Journal } from "../src/jobs/journal.ts";
import { thisProcess } from "../src/processes/owner.ts";
import { claimJob } from "../src/store/claims.ts";
import { MANY_PAGES, violations, visit } from "./browser.ts";
import { Baton, ofType, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { bash } from "./one-handoff.ts";
import { queuedJob, served } from "./web.ts";

const said = (page: Page, words: string | RegExp) => page.getByRole("status").getByText(words).waitFor();

const labelled = (...labels: string[]) => labels.map((label) => ({ label }));
/** The number of the last option of the first is what another one says. */
const QUESTIONS = {
  tool: "AskUserQuestion",
  input: {
    questions: [
      { question: "How many workers?", options: labelled("1", "2", "4", "8") },
      { question: "On which systems?", options: labelled("Linux", "macOS", "Windows"), multiSelect: true },
      { question: "And what else?", options: [] },
    ],
  },
};

it("answers an agent while it waits, tells it something, and lets it rest", MANY_PAGES, async () => {
  needs("browser");
  const scenario = {
    name: "asks",
    summary: "",
    steps: [
      { call: bash("touch one") },
      { call: bash("touch two") },
      { call: bash("touch three") },
      { call: QUESTIONS },
      { say: "Done." },
    ],
  };
  const project = await testProject({ scenario, agent: "permission_mode: default\npermission_prompts: ask" });
  const running = new Baton(project, ["run", "coder", "Touch them.", "--json"]);
  const asked = (count: number) =>
    running.event(() => ofType(running.events, "ask:made").length >= count && true);
  const { job } = await running.event(({ type }) => type === "ask:made");
  const web = await served(project);
  const client = await web.client("view");
  const { page } = await visit(web);

  const row = page.getByRole("article", { name: "coder wants to use Bash" });
  await row.getByText("touch one").waitFor();
  await page.keyboard.press("i");
  await page.keyboard.type("Begin with two.");
  await page.keyboard.press("Escape");
  await page.keyboard.press("d");
  await said(page, "Denied.");
  await row.getByText("touch two").waitFor();
  await page.keyboard.press("A");
  await said(page, "Allowed, and its like");
  // The third needs nobody.
  await asked(3);
  const question = page.getByRole("article", { name: /^coder asks: / });
  await question.waitFor();

  await page.goto(`${web.server.url}/jobs/${job}`);
  const told = page.getByLabel("Tell coder something");
  await told.waitFor();
  for (const [text, when] of [
    ["Look at the README.", "after this turn"],
    ["Never mind.", "when done"],
  ] as const) {
    await page.keyboard.press("m");
    await page.keyboard.type(text);
    await page.getByRole("radio", { name: when }).check();
    await told.press("Control+Enter");
    await page.locator(".event.person", { hasText: text }).getByText(when).waitFor();
    await told.press("Escape");
  }
  const queued = page.locator(".event.person", { hasText: "queued" });
  await queued.first().getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Change the message").fill("Look at the LICENSE.");
  await page.getByRole("button", { name: "Save" }).click();
  await queued.getByText("Look at the LICENSE.").waitFor();
  await queued.filter({ hasText: "Never mind." }).getByRole("button", { name: "Remove" }).click();
  await queued.getByText("Never mind.").waitFor({ state: "detached" });
  const waiting = [{ text: "Look at the LICENSE.", at: "turn" }];
  expect((await client.listMessages({ job })).waiting).toMatchObject(waiting);

  await page.getByRole("toolbar").getByRole("button", { name: "Pause" }).waitFor();
  await page.keyboard.press("p");
  await said(page, "will pause at the next boundary");
  await running.event(({ type }) => type === "pause:requested");
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await question.getByRole("radio", { name: "4" }).check();
  await question.getByRole("checkbox", { name: "Windows" }).check();
  await question.getByRole("checkbox", { name: "Linux" }).check();
  await question.getByLabel("Answer in your own words: And what else?").fill("Nothing.");
  await question.getByRole("button", { name: "Answer" }).click();
  await said(page, "Answered.");
  expect(await running.exit).toMatchObject({ code: 3 });
  await page.getByRole("article", { name: /^Paused: / }).waitFor();

  const answers = ofType(running.events, "ask:answered").map(({ answer }) => answer);
  expect(answers).toMatchObject([
    { answer: "no", because: "Begin with two." },
    { answer: "always" },
    { answer: "said", texts: ["4", "Linux, Windows", "Nothing."] },
  ]);
  const made = ["one", "two", "three"].filter((name) => existsSync(join(project.folder, name)));
  expect(made).toEqual(["two", "three"]);
});

async function failedJob(project: Project, prompt: string): Promise<void> {
  const job = await queuedJob(project, prompt);
  await using store = await openProjectStore(project);
  const now = () => new Date();
  await using journal = new Journal(store, await claimJob(store, job, thisProcess(), now()), now);
  await journal.record({ type: "job:failed", error: "No luck with it" });
}

async function saved(page: Page, key: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press(key)]);
  return readFile(await download.path(), "utf8");
}

it("does by its keys what can be done to jobs, queue and agents, and says so", MANY_PAGES, async () => {
  needs("browser");
  const where = await testProject({ scenario: { name: "nothing", summary: "" } });
  // As in the process of a fleet, which looks whether an agent is ready.
  for (const [name, value] of Object.entries(where.env)) if (!(name in process.env)) vi.stubEnv(name, value);
  const web = await served(where);
  const { project } = web;
  await queuedJob(project, "Comes first");
  const second = await queuedJob(project, "Comes second");
  const client = await web.client("admin");
  const { page } = await visit(web);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const rowOf = (name: string) => page.getByRole("article", { name });

  await press("g", "b");
  await rowOf("Comes second, queued").hover();
  await page.mouse.move(0, 0);
  await press("/");
  await page.keyboard.type("second");
  await rowOf("Comes first, queued").waitFor({ state: "detached" });
  await press("Enter", "t");
  await said(page, "is the first in the queue");
  expect((await client.getJob({ job: second })).queued).toMatchObject({ position: 1 });
  await press("c");
  await page.getByRole("dialog", { name: "Cancel “Comes second”?" }).waitFor();
  expect(await violations(page), "a question").toEqual([]);
  await press("Enter");
  await rowOf("Comes second, cancelled").waitFor();
  await press("r");
  await said(page, "“Comes second” continues.");
  await rowOf("Comes second, queued").waitFor();
  await press("c");
  await page.getByRole("dialog").waitFor();
  await press("Enter");
  await rowOf("Comes second, cancelled").waitFor();
  await press("R");
  await page.getByRole("dialog", { name: "Retry “Comes second”?" }).waitFor();
  await press("Enter");
  await rowOf("Comes second, queued").waitFor();
  await rowOf("Comes second, cancelled").waitFor();

  await failedJob(project, "Fail once");
  await press("g", "i");
  const failed = rowOf("Failed: No luck with it");
  await failed.getByText("Fail once").waitFor();
  await press("R");
  await said(page, "It starts again, as a new job.");
  await press("e");
  await failed.waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();

  await press("Control+k");
  await page.getByRole("dialog", { name: "Commands" }).waitFor();
  expect(await violations(page), "commands").toEqual([]);
  await page.keyboard.type("health");
  await press("Enter");
  await page.getByRole("heading", { name: "Health", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Pause the queue" }).click();
  await said(page, "Nothing more starts.");
  await page.getByRole("button", { name: "Resume the queue" }).click();
  await said(page, "Jobs start from the queue again.");
  await press("?");
  await page.getByRole("dialog", { name: "Keys" }).getByText("stop all").waitFor();
  expect(await violations(page), "keys").toEqual([]);
  await press("Escape", "g", "a");
  await page.getByRole("button", { name: "coder", exact: true }).waitFor();
  await press("p");
  await said(page, "No more jobs of coder start");
  await page.getByRole("button", { name: /^Resume/ }).waitFor();
  await press("p");
  await said(page, "Jobs of coder start again.");

  await press("g", "p");
  await page.getByRole("heading", { name: "Spend", level: 1 }).waitFor();
  await page.getByText("Nothing was spent in this time").waitFor();
  expect(await saved(page, "D")).toMatch(/^by,name,cost_usd/);
  await press("g", "y");
  await page.locator("main").getByText("pauseAgent").first().waitFor();
  const lines = (await saved(page, "D")).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).what)).toContain("resumeAgent");
});
