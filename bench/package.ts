import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../scripts/build.ts";

const ROOT = join(import.meta.dirname, "..");

/** Baton as its package holds it, which is what people run, beside the packages of this checkout. Gone when this process ends. */
export async function packagedProgram(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "baton-bench-package-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const part of ["bin", "plugin", "package.json"]) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  await bundle(join(folder, "dist"));
  return join(folder, "bin", "baton.js");
}
