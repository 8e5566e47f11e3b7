import { readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { readRegular } from "../../files/inside.ts";
import { checkoutOf } from "../../git/checkout.ts";
import type { Instruction } from "../instructions.ts";
import { foldersAbove } from "./repository.ts";

const NAMES = ["CLAUDE.md", join(".claude", "CLAUDE.md"), "CLAUDE.local.md", "AGENTS.md"];
const RULES = join(".claude", "rules");

const MOST_FILES = 40;
const MOST_BYTES = 40_000;

/**
 * What a repository tells its agents in words, from its top down to the folder: what the program would read by itself.
 * What is no regular file in the repository, or too long, is left out, and so is what they import.
 */
export async function claudeInstructions(cwd: string): Promise<Instruction[]> {
  const folder = await realpath(cwd).catch(() => cwd);
  const top = (await checkoutOf(folder).catch(() => undefined))?.top ?? folder;
  const folders = foldersAbove(folder)
    .filter((at) => at === top || at.startsWith(top + sep))
    .reverse();
  const found: Instruction[] = [];
  const seen = new Set<string>();
  for (const at of folders) {
    const rules = (await readdir(join(at, RULES)).catch(() => []))
      .filter((name) => name.endsWith(".md"))
      .sort();
    for (const name of [...NAMES, ...rules.map((rule) => join(RULES, rule))]) {
      const path = join(at, name);
      const real = await realpath(path).catch(() => undefined);
      // CLAUDE.md is often a link to AGENTS.md.
      if (real === undefined || !real.startsWith(top + sep) || seen.has(real)) continue;
      seen.add(real);
      if (found.length === MOST_FILES) return found;
      const text = await textOf(real);
      if (text !== undefined) found.push({ path: relative(folder, path), text });
    }
  }
  return found;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    const text = await readRegular(path, { mostBytes: MOST_BYTES, sharedNames: true });
    return text?.trim() === "" ? undefined : text;
  } catch {
    return undefined;
  }
}
