import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { CDPSession, Page, Request } from "playwright-core";
import { openStore } from "../src/store/store.ts";
import { launchChromium } from "../test/chromium.ts";
import type { Measure } from "./measure.ts";
import { servedFolders, tokenFor } from "./served.ts";
import { idOf, storeOf } from "./store-of.ts";
import { emptyProject, runningJob, SESSION } from "./streams.ts";

const MANY = 100_000;
const HEARD = 50_000;
const MOST_FIRST_KB = 60;
const LONG_TASK_MS = 50;
const PATIENCE_MS = 90_000;
const TURNS_OF_THE_WHEEL = 200;
/** Written together. */
const BATCH = 250;

/** What a browser loads and needs for the dashboard, and how a very long job behaves in it. */
export async function measureDashboard(): Promise<Measure[]> {
  const folder = await emptyProject("dashboard");
  const browser = await launchChromium(["--enable-precise-memory-info"]);
  try {
    await storeOf(folder, 1, MANY);
    await using server = await servedFolders(folder);
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${tokenFor(folder)}` });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    return [
      await firstLoad(page, server.url),
      ...(await longTranscript(page, `${server.url}/jobs/${idOf(0)}`)),
      await longLife(page, folder, server.url),
    ];
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** As they come over the line. */
async function firstLoad(page: Page, url: string): Promise<Measure> {
  const asked: Request[] = [];
  page.on("requestfinished", (request) => asked.push(request));
  await page.goto(url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const files = asked.filter((request) => !request.url().includes("/api/"));
  const sizes = await Promise.all(files.map(async (file) => (await file.sizes()).responseBodySize));
  return {
    name: "dashboard-bytes",
    value: sizes.reduce((sum, size) => sum + size, 0) / 1_000,
    unit: "kB",
    limit: MOST_FIRST_KB,
    detail: {
      compared: "page, style and scripts that the inbox loads, compressed",
      files: sizes.length,
      largestKB: Math.max(...sizes) / 1_000,
    },
  };
}

/** Long tasks are those of more than 50 ms: a browser tells of no others. */
const WATCH = `globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask" });
  globalThis.firstLine = new Promise((resolve) =>
    new MutationObserver((_, watching) => {
      if (!document.querySelector(".long .event")) return;
      watching.disconnect();
      requestAnimationFrame((at) => resolve(at));
    }).observe(document, { childList: true, subtree: true }));`;

async function longTranscript(page: Page, url: string): Promise<Measure[]> {
  await page.context().addInitScript(WATCH);
  await page.goto(url);
  const log = page.getByRole("log", { name: "Transcript" });
  await log.locator(".event").last().waitFor();
  const paintMs = await page.evaluate<number>("firstLine");
  const opening = await page.evaluate<number[]>("longTasks.splice(0)");
  const box = await log.boundingBox();
  if (!box) throw new Error("The transcript is not there.");
  await page.mouse.move(box.x + 50, box.y + 100);
  const longestOnCpuMs = await longestTask(page, async () => {
    for (let turn = 0; turn < TURNS_OF_THE_WHEEL; turn++) {
      await page.mouse.wheel(0, -1_000);
      await page.evaluate("new Promise(requestAnimationFrame)");
    }
  });
  const [rows, scrolled] = await page.evaluate<[number, number[]]>(
    "[document.querySelectorAll('.long .event').length, longTasks]",
  );
  return [
    {
      name: "dashboard-paint",
      value: paintMs,
      unit: "ms",
      limit: 1_000,
      detail: {
        compared: `from the address of a job of ${MANY} events to its newest lines`,
        longestTaskMs: Math.max(0, ...opening),
      },
    },
    {
      name: "dashboard-scroll",
      value: longestOnCpuMs,
      unit: "ms",
      limit: LONG_TASK_MS,
      detail: {
        compared: "what the longest task took of the processor while the transcript scrolls back",
        longTasks: scrolled.length,
        longestMs: Math.max(0, ...scrolled),
        pixels: TURNS_OF_THE_WHEEL * 1_000,
        rowsInThePage: rows,
      },
    },
  ];
}

interface Traced {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds of the processor. */
  tdur?: number;
  args: { name?: string };
}

/** What the page's longest task took of the processor: on a busy machine tasks last longer than they work. */
async function longestTask(page: Page, run: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const traced: Traced[] = [];
  session.on("Tracing.dataCollected", ({ value }) => traced.push(...(value as unknown as Traced[])));
  await session.send("Tracing.start", { traceConfig: { includedCategories: ["toplevel"] } });
  await run();
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  const main = traced.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const isMain = ({ pid, tid }: Traced) => main.some((thread) => thread.pid === pid && thread.tid === tid);
  const tasks = traced.filter((event) => event.tdur !== undefined && isMain(event));
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}

/** A page that is left open while a job goes on and on. */
async function longLife(page: Page, folder: string, url: string): Promise<Measure> {
  await using store = await openStore(join(folder, ".baton", "baton.db"));
  await using journal = await runningJob(store);
  const { id, seq } = journal.job;
  await page.goto(`${url}/jobs/${id}`);
  const log = page.getByRole("log", { name: "Transcript" });
  await log.getByText("created for coder").waitFor();
  const session = await page.context().newCDPSession(page);
  const before = await heapOf(session);
  const at = new Date().toISOString();
  for (let from = 0; from < HEARD; from += BATCH) {
    const rows = Array.from({ length: BATCH }, (_, index) => ({
      ...{ job: id, seq: seq + 1 + from + index, at, attempt: journal.attempt, version: 1, type: "text" },
      data: JSON.stringify({ session: SESSION, text: `What happened in turn ${from + index}.` }),
    }));
    await store.db.insertInto("events").values(rows).execute();
  }
  await log.getByText(`What happened in turn ${HEARD - 1}.`).waitFor();
  const after = await heapOf(session);
  return {
    name: "dashboard-memory",
    value: after,
    unit: "MB",
    limit: 100,
    detail: {
      compared: `what the scripts of a tab need once it has heard ${HEARD} events of the job that it shows`,
      beforeMB: before,
      bytesAnEvent: ((after - before) * 1e6) / HEARD,
    },
  };
}

/** Once what is not needed any more was thrown away. */
async function heapOf(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
}
