import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { MANY_PAGES, violations, visit } from "./browser.ts";
import { needs } from "./needs.ts";
import { type Night, night } from "./night.ts";
import { eventually } from "./panes.ts";

/** Counts what is pressed. Words that are typed count for nothing. */
class Keys {
  pressed = 0;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async press(keys: string): Promise<void> {
    for (const key of keys.split(" ")) {
      await this.#page.keyboard.press(key);
      this.pressed++;
    }
  }

  async type(words: string): Promise<void> {
    await this.#page.keyboard.type(words);
  }
}

interface Task {
  name: string;
  /** Where a person stands who wants this. */
  from: string;
  /** As many keys as it takes. */
  takes: number;
  /** Also sees to it that it was done. */
  run: (keys: Keys, page: Page) => Promise<void>;
}

/** With what a night left behind: one of each thing that may wait for a person. */
async function jobsOf(fleet: Night) {
  const written = await fleet.job("coder", "Write the notes", "completed");
  await fleet.job("porter", "Migrate the CI", "failed");
  const paused = await fleet.job("porter", "Port the importer", "paused");
  const asking = await fleet.job("careful", "Publish the package", "running");
  const working = await fleet.job("coder", "Make the tests pass", "running");
  await fleet.job("coder", "Fix the flaky login test", "queued");
  await eventually("it asks", async () =>
    (await fleet.client.listInbox({})).inbox.some(({ kind }) => kind === "approval"),
  );
  return { written, paused, asking, working };
}

function tasksOf({ client, open }: Night, jobs: Awaited<ReturnType<typeof jobsOf>>): Task[] {
  const statusOf = async (job: string) => (await client.getJob({ job })).status;
  return [
    {
      name: "approve the oldest ask",
      from: "/",
      takes: 1,
      async run(keys, page) {
        await page.getByRole("article", { name: "careful wants to use Bash" }).waitFor();
        await page.getByText("--always adds it on your terminal").waitFor();
        await keys.press("a");
        await page.getByRole("status").getByText("Allowed.").waitFor();
        await eventually("the agent has it", async () => (await statusOf(jobs.asking)) === "completed");
      },
    },
    {
      name: "why is this paused",
      from: "/board",
      takes: 2,
      async run(keys, page) {
        await page.getByRole("article", { name: "Port the importer, paused" }).waitFor();
        await keys.press("j w");
        const look = page.getByRole("complementary", { name: "A look at Port the importer" });
        await look.getByText("Why paused").waitFor();
        await look.locator(".causes").getByText("limits.cost_usd is 0.2").waitFor();
      },
    },
    {
      name: "what changed since 22:40",
      from: "/",
      takes: 1,
      async run(keys, page) {
        // As if nobody had looked since before it all began.
        const at = new Date(Date.now() - 20 * 60_000).toISOString();
        await page.evaluate(`localStorage.setItem("baton.looked", '${JSON.stringify({ at, jobs: {} })}');
          document.dispatchEvent(new Event("visibilitychange"))`);
        await page.getByText(/Since you looked at .*2 jobs finished, 1 job failed, 1 job paused/).waitFor();
        await keys.press("s");
        const since = page.getByRole("list", { name: "Since you looked" });
        await since.getByRole("link", { name: /Write the notes.*1 handoff.*1 file \+1/ }).waitFor();
      },
    },
    {
      name: "comment on a line and see it delivered",
      from: `/jobs/${jobs.working}`,
      takes: 5,
      async run(keys, page) {
        await page.getByRole("log", { name: "Transcript" }).getByText("Now I run the tests.").waitFor();
        await keys.press("2");
        await page.getByRole("region", { name: "notes.txt" }).waitFor();
        await keys.press("]");
        await page.locator(".diff .here").waitFor();
        await keys.press("a");
        await keys.type("Why not three?");
        await keys.press("Control+Enter");
        await page.locator(".comment").getByText("Why not three?").waitFor();
        await keys.press("S");
        await page.getByText("Your review waits for the agent's next boundary.").waitFor();
        await open("tests");
        await page.getByText("The agent has your review, since").waitFor();
        const { told } = await client.listMessages({ job: jobs.working });
        expect(told).toMatchObject([{ text: expect.stringMatching(/notes\.txt:1[\s\S]*Why not three\?$/) }]);
      },
    },
    {
      name: "hand off now",
      from: `/jobs/${jobs.working}`,
      takes: 1,
      async run(keys, page) {
        await page.getByRole("button", { name: "Hand off now" }).waitFor();
        await keys.press("h");
        await page.getByRole("status").getByText("hands off at the next boundary").waitFor();
        await open("more");
        await page.getByRole("link", { name: /^handoff 1/ }).waitFor();
        await eventually("it is done", async () => (await statusOf(jobs.working)) === "completed");
      },
    },
    {
      name: "raise a limit and resume",
      from: "/",
      takes: 1,
      async run(keys, page) {
        await page.getByRole("button", { name: "Raise to $0.30 and resume" }).waitFor();
        await keys.press("l");
        await page.getByRole("status").getByText("may cost $0.30").waitFor();
        const { jobs: rows } = await client.listJobs({ file: "importer.ts" });
        expect(rows).toMatchObject([{ id: jobs.paused, costLimitUsd: 0.3 }]);
      },
    },
    {
      name: "find the job that touched a file",
      from: "/board",
      takes: 3,
      async run(keys, page) {
        await keys.press("/");
        await keys.type("file:importer.ts");
        await page.getByRole("article", { name: /^Port the importer/ }).waitFor();
        await page.getByRole("article", { name: /^Write the notes/ }).waitFor({ state: "detached" });
        await keys.press("Enter Enter");
        await page.waitForURL((url) => url.pathname === `/jobs/${jobs.paused}`);
      },
    },
    {
      name: "read the last handoff",
      from: `/jobs/${jobs.written}`,
      takes: 1,
      async run(keys, page) {
        await page.getByRole("link", { name: /^handoff 1/ }).waitFor();
        await keys.press("3");
        await page.getByRole("heading", { name: "What the session said" }).waitFor();
        await page.getByText("Write the second line.").first().waitFor();
      },
    },
    {
      name: "run a schedule now",
      from: "/",
      takes: 3,
      async run(keys, page) {
        await keys.press("g s");
        await page.getByRole("article", { name: "nightly of coder" }).waitFor();
        await keys.press("r");
        await page.getByText("nightly of coder is in the queue.").waitFor();
      },
    },
    {
      name: "stop all",
      from: "/",
      takes: 2,
      async run(keys, page) {
        await keys.press("!");
        await page.getByRole("dialog", { name: "Stop all work on this machine?" }).waitFor();
        await keys.press("Enter");
        await page
          .getByRole("banner")
          .getByText(/Stopped since .* by \S+: nothing starts/)
          .waitFor();
        expect((await client.getFleet({})).halted).toMatchObject({ since: expect.any(String) });
        await page.keyboard.press("!");
        await page.getByRole("banner").getByText("Stopped since").waitFor({ state: "detached" });
      },
    },
  ];
}

// A fleet of six jobs, and every page of one of them.
it("does ten tasks of a night by keyboard alone, each in a few keys", MANY_PAGES, async () => {
  needs("browser");
  const fleet = await night();
  const jobs = await jobsOf(fleet);
  const { page } = await visit({ project: fleet.place });
  const go = async (path: string, heading: RegExp) => {
    await page.goto(fleet.url + path);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  };
  for (const path of ["/", "/board", "/board?view=columns&by=agent"]) {
    await go(path, /things need you|Board/);
    if (path === "/board") await page.keyboard.press("j");
    expect(await violations(page), path).toEqual([]);
  }
  await go(`/jobs/${jobs.written}`, /Write the notes/);
  for (const tab of ["Transcript", "Changes", "Handoffs", "Cost", "Events", "Workspace"]) {
    await page.getByRole("link", { name: tab }).click();
    await page.getByText("Loading").waitFor({ state: "detached" });
    expect(await violations(page), tab).toEqual([]);
  }
  const tasks = tasksOf(fleet, jobs);
  const taken: Record<string, number> = {};
  for (const { name, from, run } of tasks) {
    await go(from, /./);
    const keys = new Keys(page);
    await run(keys, page).catch((error: unknown) => {
      throw new Error(`To ${name}: ${error}`, { cause: error });
    });
    taken[name] = keys.pressed;
  }
  expect(taken).toEqual(Object.fromEntries(tasks.map(({ name, takes }) => [name, takes])));
});
