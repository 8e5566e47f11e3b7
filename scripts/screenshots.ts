import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { chromium, type Page } from "playwright-core";

const ROOT = join(import.meta.dirname, "..");
const BATON = join(ROOT, "bin", "baton.js");
const DOCS = join(ROOT, "docs");
const run = promisify(execFile);

/** Draws the two pictures of the dashboard in the README: the board of the demo's fleet at work, and the relay of the demo's job. */
const home = mkdtempSync(join(tmpdir(), "baton-screenshots-"));
const env = { ...process.env, XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config") };
const programs = createRequire(join(ROOT, "test", "programs", "package.json"));
const { default: packaged } = await import(programs.resolve("@sparticuz/chromium"));
const args = packaged.args.filter((arg: string) => !["--single-process", "--no-zygote"].includes(arg));
const browser = await chromium.launch({ executablePath: await packaged.executablePath(), args });
const page = await browser.newPage({ viewport: { width: 1200, height: 720 }, colorScheme: "dark" });
const started: ChildProcess[] = [];
try {
  await ofBoard(page);
  await ofJob(page);
} finally {
  await browser.close();
  for (const child of started) child.kill("SIGTERM");
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

async function ofBoard(on: Page): Promise<void> {
  const link = await said(["demo", "--fleet"], /http:\S+#\S+/);
  await on.goto(link);
  await on.getByRole("navigation", { name: "Pages" }).waitFor();
  await on.goto(new URL("/board", link).href);
  await on.locator(".bar").first().waitFor();
  await on.screenshot({ path: join(DOCS, "dashboard-board.png") });
}

async function ofJob(on: Page): Promise<void> {
  const { stdout } = await run(process.execPath, [BATON, "demo"], { env, maxBuffer: 1e7 });
  const folder = /\S+\/units/.exec(stdout)?.[0] ?? "";
  writeFileSync(join(folder, "baton.yaml"), "agents: [{ name: demo }]\n");
  await said(["start", "--port", "0", "-C", folder], /http:\S+/);
  const { stdout: links } = await run(process.execPath, [BATON, "dashboard", "--print", "-C", folder], {
    env,
  });
  const link = /http:\S+#\S+/.exec(links)?.[0] ?? "";
  await on.goto(link);
  await on.getByRole("navigation", { name: "Pages" }).waitFor();
  await on.goto(new URL("/board", link).href);
  await on.locator("a.row").first().click();
  await on.locator(".diamond").nth(1).waitFor();
  await on.screenshot({ path: join(DOCS, "dashboard-job.png") });
  rmSync(join(folder, ".."), { recursive: true, force: true, maxRetries: 5 });
}

/** The first thing of this shape that it prints. It runs on until the end of this program. */
async function said(command: string[], shape: RegExp): Promise<string> {
  const child = spawn(process.execPath, [BATON, ...command], { env, stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  for await (const line of createInterface(child.stdout)) {
    const found = shape.exec(line)?.[0];
    if (found === undefined) continue;
    child.stdout.resume();
    return found;
  }
  throw new Error(`baton ${command.join(" ")} ended without it`);
}
