import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Baton's plugin for Claude Code, as it comes with the package: it is used where it is. */
export const pluginFolder = fileURLToPath(new URL("../../../plugin", import.meta.url));

export function orchestratorSkill(): Promise<string> {
  return readFile(join(pluginFolder, "skills", "orchestrator", "SKILL.md"), "utf8");
}
