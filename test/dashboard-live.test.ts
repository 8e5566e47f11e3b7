import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { resolveWeb } from "../src/config/layers/resolve.ts";
import { MANY_PAGES, violations, visit } from "./browser.ts";
import { needs } from "./needs.ts";
import { night } from "./night.ts";
import { eventually } from "./panes.ts";
import { queuedJob, served, servedProject } from "./web.ts";

const rowOf = (page: Page, title: string) => page.getByRole("article", { name: `${title}, queued` });

/** As the browser tells a page that another tab is in front of it. */
const isNow = (page: Page, state: "hidden" | "visible") =>
  page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"))`);

it(
  "follows the fleet in two tabs, not while it is hidden, over a restart of the server, and until it is signed out",
  MANY_PAGES,
  async () => {
    needs("browser");
    const web = await servedProject();
    const { page, context } = await visit(web, { mayLose: /net::ERR_|401/ });
    const client = await web.client("admin");
    const token = await web.token(["view"]);
    const streams = async () => {
      const answer = await web.get("/metrics", { authorization: `Bearer ${token}` });
      return Number(/^baton_streams\S* (\d+)$/m.exec(await answer.text())?.[1]);
    };
    await page.goto(`${web.server.url}/board`);
    await eventually("it listens", async () => (await streams()) === 1);
    const other = await context.newPage();
    await other.goto(`${web.server.url}/board`);
    await eventually("both listen", async () => (await streams()) === 2);
    const first = await queuedJob(web.project, "For both");
    for (const tab of [page, other]) await rowOf(tab, "For both").waitFor();

    await isNow(page, "hidden");
    await page.getByRole("banner").getByText("paused", { exact: true }).waitFor();
    await eventually("one listens", async () => (await streams()) === 1);
    await queuedJob(web.project, "Came unseen");
    await rowOf(other, "Came unseen").waitFor();
    expect(await rowOf(page, "Came unseen").count()).toBe(0);
    await isNow(page, "visible");
    await rowOf(page, "Came unseen").waitFor();

    // What one tab does, the other sees.
    await page.keyboard.press("j");
    await page.keyboard.press("X");
    await page.getByRole("toolbar").getByText("2 marked").waitFor();
    await page.keyboard.press("c");
    await page.getByRole("dialog", { name: "Cancel 2 jobs?" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("2 jobs are cancelled.").waitFor();
    await other.getByRole("article", { name: "For both, cancelled" }).waitFor();
    expect((await client.getJob({ job: first })).status).toBe("cancelled");

    const { port } = new URL(web.server.url);
    await web.server[Symbol.asyncDispose]();
    const connection = page.getByRole("banner").locator(".end");
    await connection.getByText(/^offline since \d/).waitFor();
    const again = await served(
      { folder: web.project.root },
      { config: { ...resolveWeb(), port: Number(port) } },
    );
    expect(again.server.url).toBe(web.server.url);
    await queuedJob(again.project, "After the restart");
    await rowOf(page, "After the restart").waitFor();
    await connection.getByText("live", { exact: true }).waitFor();

    await other.goto(`${again.server.url}/settings`);
    await other.getByRole("button", { name: "Sign out Chrome on Linux" }).click();
    await other.getByRole("dialog").waitFor();
    await other.keyboard.press("Enter");
    await page.getByText("Your access was revoked.").waitFor();
  },
);

it(
  "tells by a notice of the browser what needs somebody who looks elsewhere, and leaves a row out for an hour",
  MANY_PAGES,
  async () => {
    needs("browser");
    const web = await servedProject();
    const { page, context } = await visit(web);
    const client = await web.client("admin");
    // This browser shows none without a screen: what it would show is recorded in its place.
    await context.addInitScript(`globalThis.told = [];
    globalThis.Notification = class { static permission = "default"; close() {}
      static async requestPermission() { return (this.permission = "granted"); }
      constructor(title, { body }) { told.push({ title, body }); } }`);
    await page.goto(`${web.server.url}/settings`);
    await page.getByRole("checkbox", { name: "Tell me when something needs me" }).check();
    await page.evaluate("document.hasFocus = () => false");
    const job = await queuedJob(web.project, "Rests");
    await client.pauseJob({ job });
    await eventually("a notice", () => page.evaluate<boolean>("told.length > 0"));
    expect(await page.evaluate("told")).toEqual([
      { title: "Baton needs you", body: expect.stringContaining("baton pause") },
    ]);

    await page.keyboard.press("g");
    await page.keyboard.press("i");
    const row = page.getByRole("article", { name: /^Paused:/ });
    await row.waitFor();
    expect(await page.title()).toBe("(1) Baton");
    await page.keyboard.press("z");
    await row.waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
    expect(await page.title()).toBe("Baton");
    await page.getByRole("button", { name: "Show it" }).click();
    await row.waitFor();
    await page.keyboard.press("x");
    await page.keyboard.press("r");
    await page.getByRole("status").getByText("done for 1 row").waitFor();
    expect((await client.getJob({ job })).status).toBe("queued");
  },
);

it("starts a job by keyboard, with what it may cost and what it comes after", MANY_PAGES, async () => {
  needs("browser");
  const web = await servedProject();
  const before = await queuedJob(web.project, "Comes first");
  const { page } = await visit(web);
  await page.keyboard.press("g");
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "New job" });
  await dialog.getByLabel("At most, in $").fill("3");
  expect(await violations(page)).toEqual([]);
  await dialog.getByLabel("After").selectOption({ label: "Comes first" });
  await dialog.getByLabel("What to do").fill("Comes second");
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/jobs\/job-/);
  await page
    .getByText(/after|once/)
    .first()
    .waitFor();
  const client = await web.client("view");
  const { jobs } = await client.listJobs({});
  expect(jobs).toMatchObject([{ title: "Comes second", costLimitUsd: 3 }, { id: before }]);
});

it("has a fleet read its configuration again, drains it, and says that it is gone", MANY_PAGES, async () => {
  needs("browser");
  const { place, project, fleet } = await night();
  const { page } = await visit({ project: place }, { mayLose: /net::ERR_/ });
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  const again = page.getByRole("button", { name: "Read the configuration again" });
  await again.click();
  await page.getByRole("status").getByText("The configuration was read again.").waitFor();
  await appendFile(join(project.folder, "baton.yaml"), "no_such_key: 1\n");
  await again.click();
  await page.getByRole("alert").filter({ hasText: "no_such_key" }).first().waitFor();
  await page.getByRole("button", { name: "Drain" }).click();
  await page.getByRole("dialog", { name: /^Drain the fleet of/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("The fleet ends once running jobs have finished.").waitFor();
  expect(await fleet.exit).toMatchObject({ code: 0 });
  await page
    .getByRole("banner")
    .getByText(/^offline since/)
    .waitFor();
});

it(
  "says how long a server is silent that should give signs of life, and then that it is gone",
  MANY_PAGES,
  async () => {
    needs("browser");
    const web = await servedProject();
    const { page } = await visit(web);
    // The stream says one thing, and then nothing more.
    const said = "event: begin\ndata: {}\n\n";
    const silent = Promise.withResolvers<void>();
    let asked = 0;
    await page.route("**/api/v1/stream?*", async (route) => {
      if (asked++ === 0) await route.fulfill({ contentType: "text/event-stream", body: said });
      else silent.resolve();
    });
    await page.clock.install();
    await page.goto(`${web.server.url}/board`);
    const connection = page.getByRole("banner").locator(".end");
    await connection.getByText("live", { exact: true }).waitFor();
    await silent.promise;
    await page.clock.fastForward(17_000);
    await connection.getByText(/^behind \d+ s$/).waitFor();
    await page.clock.fastForward(20_000);
    await connection.getByText(/^offline since \d/).waitFor();
    // What no stream tells of is found all the same.
    const client = await web.client("admin");
    await client.pauseJob({ job: await queuedJob(web.project, "Rests") });
    await page.clock.fastForward(60_000);
    await page.getByRole("link", { name: "Inbox 1" }).waitFor();
    // What was held goes to the server.
    await page.unroute("**/api/v1/stream?*");
    await connection.getByText("live", { exact: true }).waitFor();
    await queuedJob(web.project, "Came afterwards");
    await rowOf(page, "Came afterwards").waitFor();
  },
);
