import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { signInLink } from "../src/app/access/sign-in.ts";
import { takeLock } from "../src/files/holder-lock.ts";
import type { ServedTest } from "./web.ts";

const programs = createRequire(join(import.meta.dirname, "programs", "package.json"));

/** With these, closing a page kills the browser. */
const UNUSABLE = ["--single-process", "--no-zygote"];

interface Packaged {
  args: string[];
  executablePath(): Promise<string>;
}

let running: Promise<Browser> | undefined;

/** One for all tests of a process: it ends with that. */
function browser(): Promise<Browser> {
  running ??= (async () => {
    const { default: packaged }: { default: Packaged } = await import(
      programs.resolve("@sparticuz/chromium")
    );
    const args = packaged.args.filter((arg) => !UNUSABLE.includes(arg));
    // It unpacks itself where every process of the tests finds it: not two at a time.
    const unlock = await takeLock(join(tmpdir(), "chromium.lock"));
    const executablePath = await packaged.executablePath().finally(unlock);
    return chromium.launch({ executablePath, args });
  })();
  return running;
}

export interface Visitor {
  context: BrowserContext;
  page: Page;
}

/** A browser that nobody has used, signed in as `baton dashboard` does it. What goes wrong in a page fails its test. */
export async function visit({ project }: ServedTest, options: { width?: number } = {}): Promise<Visitor> {
  const context = await (await browser()).newContext({
    viewport: { width: options.width ?? 1280, height: 900 },
    reducedMotion: "reduce",
  });
  const troubles: string[] = [];
  context.on("weberror", (error) => troubles.push(error.error().message));
  context.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    if (troubles.length > 0) throw new Error(`The page had trouble:\n${troubles.join("\n")}`);
  });
  const page = await context.newPage();
  const { link } = await signInLink(project);
  await page.goto(link);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  return { context, page };
}
