import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { signInLink } from "../src/app/access/sign-in.ts";
import { launchChromium } from "./chromium.ts";
import type { ServedTest } from "./web.ts";

/** Nobody looks at what is drawn here: no graphics card is played, which takes a third of the browser's time. */
export const UNSEEN = ["--disable-gpu", "--disable-gpu-compositing", "--num-raster-threads=1"];

let running: Promise<Browser> | undefined;

/** One for all tests of a process: it ends with that. */
function browser(): Promise<Browser> {
  running ??= launchChromium(UNSEEN);
  return running;
}

/** What a page waits for comes in a second, unless the machine has much else to do. */
const PATIENCE_MS = 120_000;
/** Containers of other tests come and go, and networks with them: the browser then drops what it was loading. */
const OTHER_TESTS = /net::ERR_NETWORK_CHANGED/;
/** For a test that looks at many pages. */
export const MANY_PAGES = { timeout: 2 * PATIENCE_MS };

export interface Visitor {
  context: BrowserContext;
  page: Page;
}

/** `mayLose`: what goes wrong where the test ends the server. A browser that nobody has used, signed in as `baton dashboard` does it. What goes wrong in a page fails its test. */
export async function visit(
  { project }: Pick<ServedTest, "project">,
  options: { width?: number; mayLose?: RegExp } = {},
): Promise<Visitor> {
  const context = await (await browser()).newContext({
    viewport: { width: options.width ?? 1280, height: 900 },
    reducedMotion: "reduce",
  });
  const troubles: string[] = [];
  context.on("weberror", (error) => troubles.push(error.error().message));
  context.on("console", (message) => {
    if (message.type() === "error") troubles.push(`${message.text()} ${message.location().url}`);
  });
  onTestFinished(async () => {
    await context.close();
    const { mayLose } = options;
    const own = troubles.filter((trouble) => !OTHER_TESTS.test(trouble));
    if (own.some((trouble) => !mayLose?.test(trouble)))
      throw new Error(`The page had trouble:\n${troubles.join("\n")}`);
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const { link } = await signInLink(project);
  await page.goto(link);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  return { context, page };
}

const DARK = ["dark", undefined] as const;
const LIGHT = ["light", ["color-contrast"]] as const;

/** What axe finds wrong with a page as it stands, in both themes: what another theme changes is colours alone. `isPlain`: a page of words alone, whose colours other pages have in both. */
export async function violations(page: Page, { isPlain = false } = {}): Promise<string[]> {
  const found: string[] = [];
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  for (const [theme, rules] of isPlain ? [DARK] : [DARK, LIGHT]) {
    const options = rules ? { runOnly: rules } : {};
    const { violations } = await page.evaluate<axe.AxeResults>(
      `document.documentElement.dataset.theme = "${theme}", axe.run(${JSON.stringify(options)})`,
    );
    const wrong = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    found.push(...wrong.map((words) => `${theme}: ${words}`));
  }
  return found;
}
