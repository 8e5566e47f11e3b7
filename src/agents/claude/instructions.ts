import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { instructionsIn } from "../instruction-files.ts";
import type { Instruction } from "../instructions.ts";

const NAMES = ["CLAUDE.md", join(".claude", "CLAUDE.md"), "CLAUDE.local.md", "AGENTS.md"];
const RULES = join(".claude", "rules");

/** What a repository tells its agents in words: what the program would read by itself. */
export function claudeInstructions(cwd: string): Promise<Instruction[]> {
  return instructionsIn(cwd, async (folder) => {
    const rules = (await readdir(join(folder, RULES)).catch(() => []))
      .filter((name) => name.endsWith(".md"))
      .sort();
    return [...NAMES, ...rules.map((rule) => join(RULES, rule))];
  });
}
