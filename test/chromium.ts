import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { takeLock } from "../src/files/holder-lock.ts";

const programs = createRequire(join(import.meta.dirname, "programs", "package.json"));

const UNUSABLE = [
  // With these, closing a page kills the browser.
  ...["--single-process", "--no-zygote"],
  // With these, pages may read those of other sites, as in no browser of a user's.
  ...["--disable-web-security", "--disable-site-isolation-trials", "--allow-running-insecure-content"],
];

interface Packaged {
  args: string[];
}

const UNPACK = `const { default: packaged } = await import(process.argv[1]); console.log(await packaged.executablePath());`;

/** A real browser, without a screen. */
export async function launchChromium(more: readonly string[] = []): Promise<Browser> {
  const path = programs.resolve("@sparticuz/chromium");
  const { default: packaged }: { default: Packaged } = await import(path);
  const args = packaged.args.filter((arg) => !UNUSABLE.includes(arg));
  // It unpacks itself where every process finds it: not two at a time, and by a process that starts no other. One that is
  // started meanwhile would have the file open to write for a moment more, and what is written cannot be run.
  const unlock = await takeLock(join(tmpdir(), "chromium.lock"));
  const unpacked = promisify(execFile)(process.execPath, ["--input-type=module", "-e", UNPACK, path]);
  const { stdout } = await unpacked.finally(unlock);
  return chromium.launch({ executablePath: stdout.trim(), args: [...args, ...more] });
}
