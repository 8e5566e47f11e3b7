import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, it, vi } from "vitest";
import { MANY_PAGES, visit } from "./browser.ts";
import { Baton, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { bash, good, handedOver, handsIn, oneHandoff, writesNotes } from "./one-handoff.ts";
import { served } from "./web.ts";

/** A job that wrote a file, failed at something, handed off and was completed, in a browser. */
async function shownJob() {
  needs("browser");
  const scenario = oneHandoff(
    [
      writesNotes,
      bash("git add -A && git commit -qm notes && echo two >> notes.txt"),
      bash("ls /nowhere-at-all"),
    ],
    handsIn(good),
  );
  const { project, stored } = await handedOver(scenario);
  for (const [name, value] of Object.entries(project.env))
    if (!(name in process.env)) vi.stubEnv(name, value);
  const web = await served(project);
  const client = await web.client("view");
  const [job] = (await client.listJobs({})).jobs;
  const { page } = await visit(web);
  const id = job?.id ?? "";
  const go = (tab: string) => page.goto(`${web.server.url}/jobs/${id}${tab}`);
  return { id, page, client, go, stored };
}

const tab = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

it("shows each part of a job by its key", MANY_PAGES, async () => {
  const { id, page, client, go } = await shownJob();
  await go("");
  const log = page.getByRole("log", { name: "Transcript" });
  await log.getByText("All is done.").first().waitFor();
  await page.keyboard.press("n");
  await page.waitForURL(/event=\d+/);
  await log.locator(".event.bad.found").waitFor();
  await page.keyboard.press("o");
  await log.locator(".event.bad.found pre").getByText("No such file").waitFor();

  await page.keyboard.press("/");
  await page.keyboard.type("nowhere-at-all");
  await log.getByText("All is done.").waitFor({ state: "detached" });
  await log.locator(".event.tool", { hasText: "Bash ls /nowhere-at-all" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("2");
  const file = tab(page, "Changes").getByRole("region", { name: "notes.txt" });
  await file.locator(".line.added").getByText("two").waitFor();
  await file.getByRole("checkbox", { name: "viewed" }).check();
  await file.locator(".diff").waitFor({ state: "detached" });
  await page.reload();
  await file.getByRole("checkbox", { name: "viewed", checked: true }).waitFor();

  await page.keyboard.press("4");
  await tab(page, "Cost").getByRole("table", { name: "By session" }).getByRole("row").nth(2).waitFor();
  await page.keyboard.press("5");
  await page.getByRole("searchbox", { name: "Only events with" }).fill("handoff:stored");
  const stored = tab(page, "Events").getByRole("button", { name: "handoff:stored" });
  await stored.click();
  await tab(page, "Events").locator("pre").getByText('"documentPath"').waitFor();
  await page.keyboard.press("Escape");
  await go("/workspace");
  await tab(page, "Workspace").getByRole("heading", { name: "Why it is kept" }).waitFor();
  const download = page.waitForEvent("download");
  await page.keyboard.press("D");
  expect((await download).suggestedFilename()).toBe(`${id}.html`);
  expect(await readFile(await (await download).path(), "utf8")).toContain("All is done.");
  await page.keyboard.press("E");
  const draft = page.getByRole("dialog", { name: "New job" });
  await draft.getByLabel("Agent").waitFor();
  expect(await draft.getByLabel("What to do").inputValue()).toBe((await client.getJob({ job: id })).prompt);
});

it("shows a handoff with what was said beside what was seen, and forks from it", MANY_PAGES, async () => {
  const { id, page, client, go } = await shownJob();
  await go("");
  await page.getByRole("link", { name: /^handoff 1/ }).click();
  const shown = tab(page, "Handoff 1");
  await shown.getByText("Write the second line.").first().waitFor();
  await shown.getByRole("heading", { name: "What Baton saw" }).waitFor();
  await shown.getByText("✓ held").first().waitFor();
  await page.keyboard.press("a");
  await page.keyboard.type("The goal is wrong.");
  await page.keyboard.press("Control+Enter");
  await shown.getByText("It is sent with your review").waitFor();
  await shown.getByRole("button", { name: "Fork from here: handoff 1" }).click();
  await page.getByLabel("What the fork from handoff 1 should do differently").fill("In capitals.");
  await page.getByRole("button", { name: "Fork from handoff 1" }).click();
  await page.waitForURL((url) => url.pathname.startsWith("/jobs/") && !url.pathname.includes(id));
  const forked = await client.getJob({ job: new URL(page.url()).pathname.split("/")[2] ?? "" });
  expect(forked).toMatchObject({ parent: { job: id, by: "fork", handoff: 1 } });
  expect(forked.prompt).toMatch(/In capitals\.$/);

  // Its agent hears nothing any more: what is said of its changes begins another job from there.
  await go("/changes");
  await page.getByRole("region", { name: "notes.txt" }).locator(".line.added").first().waitFor();
  await page.keyboard.press("]");
  await page.locator(".diff .here").waitFor();
  await page.keyboard.press("a");
  await page.keyboard.type("Why two?");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "ask to revert notes.txt" }).click();
  await page.getByRole("button", { name: "Fork with review (3)" }).waitFor();
  await page.keyboard.press("S");
  await page.waitForURL((url) => url.pathname.startsWith("/jobs/") && !url.pathname.includes(id));
  const reviewed = await client.getJob({ job: new URL(page.url()).pathname.split("/")[2] ?? "" });
  expect(reviewed).toMatchObject({ parent: { job: id, by: "fork" } });
  expect(reviewed.prompt).toMatch(
    /handoff-\S+\.md\n\nThe goal is wrong\.\n\n2\. notes\.txt\n\nRevert this file to what it was when the job began\.\n\n3\. notes\.txt:\d[\s\S]*Why two\?$/,
  );
});

it("brings comments on lines to the agent at work, as one message", MANY_PAGES, async () => {
  needs("browser");
  const scenario = {
    name: "asks",
    summary: "",
    steps: [{ call: writesNotes }, { call: bash("touch made") }, { say: "Done." }],
  };
  const agent = "permission_mode: acceptEdits\npermission_prompts: ask";
  const project = await testProject({ scenario, agent });
  const running = new Baton(project, ["run", "coder", "Write the notes.", "--json"]);
  await running.event(({ type }) => type === "ask:made");
  const web = await served(project);
  const client = await web.client("answer");
  const [row] = (await client.listInbox({})).inbox;
  const [job = ""] = row?.jobs ?? [];
  const { page } = await visit(web);
  await page.goto(`${web.server.url}/jobs/${job}/changes`);
  const file = page.getByRole("region", { name: "notes.txt" });
  await file.locator(".line.added").waitFor();
  // The file, past what is said of it, the line.
  for (const key of ["]", "j", "j", "a"]) await page.keyboard.press(key);
  await page.keyboard.type("Why not three?");
  await page.keyboard.press("Control+Enter");
  await file.locator(".comment").getByText("Why not three?").waitFor();
  await page.keyboard.press("A");
  await page.keyboard.type("In English, please.");
  await page.keyboard.press("Control+Enter");
  // One whose file is as it was by now is not forgotten.
  const gone = { file: "gone.ts", line: 7, isRemoved: false, quote: "old();", text: "Keep it." };
  await page.evaluate(
    `localStorage["baton.review.${job}"] = JSON.stringify([...JSON.parse(localStorage["baton.review.${job}"]), ${JSON.stringify(gone)}])`,
  );
  await page.reload();
  await page.getByText("gone.ts, line 7, which is not shown here").waitFor();
  await page.getByRole("button", { name: "Send review (3)" }).waitFor();
  await page.keyboard.press("S");
  await page.getByRole("status").getByText("on its way").waitFor();
  const text = expect.stringMatching(
    /1\. gone\.ts:7\n[\s\S]*2\. notes\.txt\n\nIn English, please\.\n\n3\. notes\.txt:1\n\n```\none\n```\n\nWhy not three\?$/,
  );
  expect((await client.listMessages({ job })).waiting).toMatchObject([{ text }]);
  await client.answerAsk({ ask: row?.id ?? "" }, { answer: "yes" });
  expect(await running.exit).toMatchObject({ code: 0 });
  expect((await client.listMessages({ job })).told).toMatchObject([{ text }]);
});
