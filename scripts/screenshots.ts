import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { launchChromium } from "../test/chromium.ts";

const ROOT = join(import.meta.dirname, "..");
const BATON = join(ROOT, "bin", "baton.js");
const DOCS = join(ROOT, "docs");
const LINK = /http:\S+#\S+/;
const LONGEST = /^Write a small library/;

/** Draws the two pictures of the dashboard in the README: the board of the demo's fleet at work, and the relay of its longest job once that is over. */
const home = mkdtempSync(join(tmpdir(), "baton-screenshots-"));
const env = { ...process.env, TMPDIR: home, XDG_CONFIG_HOME: join(home, "config") };
const started: ChildProcess[] = [];
const browser = await launchChromium();
try {
  const page = await browser.newPage({
    viewport: { width: 1200, height: 720 },
    deviceScaleFactor: 2,
    colorScheme: "dark",
  });
  const openBoard = async (link: string) => {
    await page.goto(link);
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    await page.goto(new URL("/board", link).href);
  };
  const demo = run(["demo", "--fleet"]);
  const folder = await demo.said(/\S+\/fleet(?=\.$)/m);
  const link = await demo.said(LINK);
  await openBoard(link);
  await page.getByRole("article", { name: /, waiting$/ }).waitFor();
  await page.getByRole("article", { name: LONGEST }).locator(".gauge .mark").waitFor();
  await page.screenshot({ path: join(DOCS, "dashboard-board.png") });

  await demo.over;
  Object.assign(env, { XDG_STATE_HOME: join(folder, "..", "state") });
  await run(["start", "--port", "0", "-C", folder]).said(/http:\S+/);
  const print = [BATON, "dashboard", "--print", "-C", folder];
  const { stdout } = await promisify(execFile)(process.execPath, print, { env });
  await openBoard(LINK.exec(stdout)?.[0] ?? "");
  await page.getByRole("link", { name: LONGEST }).click();
  await page.locator(".diamond").nth(1).waitFor();
  await page.getByRole("log", { name: "Transcript" }).locator(".event").last().waitFor();
  await page.screenshot({ path: join(DOCS, "dashboard-job.png") });
} finally {
  await browser.close();
  for (const child of started) child.kill("SIGTERM");
  await Promise.all(started.filter(({ exitCode }) => exitCode === null).map((child) => once(child, "exit")));
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

function run(command: string[]) {
  const child = spawn(process.execPath, [BATON, ...command], { env, stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    printed += piece;
  });
  const over = once(child, "exit");
  const ended = over.then(() => Promise.reject(new Error(`baton ${command.join(" ")} ended:\n${printed}`)));
  ended.catch(() => {});
  /** The first thing of this shape that it prints. */
  const said = async (shape: RegExp): Promise<string> => {
    for (;;) {
      const found = shape.exec(printed)?.[0];
      if (found !== undefined) return found;
      await Promise.race([once(child.stdout, "data"), ended]);
    }
  };
  return { over, said };
}
