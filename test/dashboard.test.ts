import { expect, it } from "vitest";
import { visit } from "./browser.ts";
import { needs } from "./needs.ts";
import { queuedJob, servedProject } from "./web.ts";

it("shows the jobs of the fleet as they come, and each with what happened in it", async () => {
  needs("browser");
  const served = await servedProject();
  await queuedJob(served.project, "Fix the flaky login test\nIt fails at midnight.");
  const { page } = await visit(served);
  await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("b");
  expect(new URL(page.url()).pathname).toBe("/board");
  const row = page.getByRole("link", { name: "Fix the flaky login test, queued" });
  await row.getByText("the fleet is not running").waitFor();
  await page.getByRole("banner").getByText("The fleet is not running: nothing will start.").waitFor();

  await queuedJob(served.project, "Came while somebody looked");
  await page.getByRole("link", { name: "Came while somebody looked, queued" }).waitFor();

  await page.keyboard.press("/");
  await page.keyboard.type("login agent:coder");
  await page.getByRole("link", { name: "Came while somebody looked, queued" }).waitFor({ state: "detached" });
  expect(new URL(page.url()).searchParams.get("q")).toBe("login agent:coder");

  await row.click();
  await page.getByRole("heading", { name: "Fix the flaky login test" }).waitFor();
  await page
    .getByRole("log", { name: "Transcript" })
    .locator("b", { hasText: "created for coder" })
    .waitFor();
});

it("lets nobody in who is not signed in", async () => {
  needs("browser");
  const served = await servedProject();
  const { page, context } = await visit(served);
  await context.clearCookies();
  await page.goto(served.server.url);
  expect(new URL(page.url()).pathname).toBe("/sign-in");
  await page.getByText("baton dashboard").waitFor();
  expect((await served.get("/assets/main.js")).status).toBe(401);
});
