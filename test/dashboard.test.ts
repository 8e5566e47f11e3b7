import { expect, it } from "vitest";
import { signInLink } from "../src/app/access/sign-in.ts";
import { MANY_PAGES, visit } from "./browser.ts";
import { needs } from "./needs.ts";
import { queuedJob, queuedJobs, servedProject } from "./web.ts";

/** The server tells 200 at most at once. */
const MORE_THAN_A_PAGE = 203;

it("shows the jobs of the fleet as they come, and each with what happened in it", MANY_PAGES, async () => {
  needs("browser");
  const served = await servedProject();
  await queuedJob(served.project, "Fix the flaky login test\nIt fails at midnight.");
  const { page } = await visit(served);
  await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("b");
  expect(new URL(page.url()).pathname).toBe("/board");
  const row = page.getByRole("article", { name: "Fix the flaky login test, queued" });
  await row.getByText("the fleet is not running").waitFor();
  await page.getByRole("banner").getByText("The fleet is not running: nothing will start.").waitFor();

  await queuedJob(served.project, "Came while somebody looked");
  await page.getByRole("article", { name: "Came while somebody looked, queued" }).waitFor();

  await page.keyboard.press("/");
  await page.keyboard.type("login agent:coder");
  await page
    .getByRole("article", { name: "Came while somebody looked, queued" })
    .waitFor({ state: "detached" });
  expect(new URL(page.url()).searchParams.get("q")).toBe("login agent:coder");

  await row.click();
  await page.getByRole("heading", { name: "Fix the flaky login test" }).waitFor();
  await page
    .getByRole("log", { name: "Transcript" })
    .locator("b", { hasText: "created for coder" })
    .waitFor();
});

it(
  "holds every job that is not over, however many there are, and marks all that match",
  MANY_PAGES,
  async () => {
    needs("browser");
    const served = await servedProject();
    const prompts = Array.from({ length: MORE_THAN_A_PAGE }, (_, index) => `Fix test ${index + 1}`);
    await queuedJobs(served.project, prompts);
    const { page } = await visit(served);
    await page.getByRole("banner").getByText(`${MORE_THAN_A_PAGE} queued`).waitFor();
    await page.goto(`${served.server.url}/board?q=test`);
    await page.getByText(`${MORE_THAN_A_PAGE} jobs`).waitFor();
    const rows = page.getByRole("article");
    expect(await rows.count()).toBe(60);
    await page.keyboard.press("X");
    await page.getByRole("toolbar").getByText(`${MORE_THAN_A_PAGE} marked`).waitFor();
    await page.getByRole("button", { name: `Show the other ${MORE_THAN_A_PAGE - 60}` }).click();
    await rows.nth(MORE_THAN_A_PAGE - 1).waitFor();
    // The same without a keyboard: one of them by its box, all of them by a button.
    await page.getByRole("button", { name: "Mark none" }).click();
    await page.getByRole("checkbox", { name: `Mark: Fix test ${MORE_THAN_A_PAGE}`, exact: true }).check();
    await page.getByRole("toolbar").getByText("1 marked").waitFor();
    await page.getByRole("button", { name: `Mark all ${MORE_THAN_A_PAGE} that match` }).click();
    await page.getByRole("toolbar").getByText(`${MORE_THAN_A_PAGE} marked`).waitFor();
  },
);

it("lets nobody in who is not signed in", MANY_PAGES, async () => {
  needs("browser");
  const served = await servedProject();
  const { page, context } = await visit(served, { mayLose: /401/ });
  await context.clearCookies();
  const { link } = await signInLink(served.project);
  await page.goto(link);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  await context.clearCookies();
  await page.goto(link);
  await page.getByText("This link does not hold any more: it was used, or is too old.").waitFor();
  await page.goto(served.server.url);
  expect(new URL(page.url()).pathname).toBe("/sign-in");
  await page.getByText("baton dashboard").waitFor();
  expect((await served.get("/assets/main.js")).status).toBe(401);
});
