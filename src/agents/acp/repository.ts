import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import type { AcpPresetName } from "../../config/runtimes/acp.ts";
import { checkoutOf } from "../../git/checkout.ts";
import { type Lookup, type RepositoryFile, readRepositoryFiles } from "../../trust/repository-file.ts";
import { claudeInstructions } from "../claude/instructions.ts";
import { claudeRepositoryFiles } from "../claude/repository.ts";
import { foldersAbove, instructionsIn } from "../instruction-files.ts";
import type { Instruction } from "../instructions.ts";

/** What each program acts on by itself, in the folder that it is started in and in those above, up to the top of the work tree. */
const ACTED_ON: Record<Exclude<AcpPresetName, "claude-agent-acp">, readonly string[]> = {
  "codex-acp": [".codex", join(".agents", "skills")],
  opencode: ["opencode.json", "opencode.jsonc", ".opencode"],
  gemini: [".gemini"],
};

/** A program that nobody knows may act on what any of them does. */
const BY_ANY = [...Object.values(ACTED_ON).flat(), ".claude", ".mcp.json"];

const NAMES: Record<Exclude<AcpPresetName, "claude-agent-acp">, readonly string[]> = {
  "codex-acp": ["AGENTS.override.md", "AGENTS.md"],
  opencode: ["AGENTS.md", "CLAUDE.md"],
  gemini: ["GEMINI.md"],
};

/** Whether the program can be started without what came with a repository. */
export const canLeaveOut = (preset: AcpPresetName | undefined) => preset === "claude-agent-acp";

export async function acpRepositoryFiles(
  preset: AcpPresetName | undefined,
  cwd: string,
): Promise<RepositoryFile[]> {
  if (preset === "claude-agent-acp") return claudeRepositoryFiles(cwd);
  const folder = await realpath(cwd).catch(() => cwd);
  const top = (await checkoutOf(folder).catch(() => undefined))?.top ?? folder;
  const home = await realpath(homedir()).catch(() => homedir());
  const names = preset === undefined ? BY_ANY : ACTED_ON[preset];
  const lookups = foldersAbove(folder)
    .filter((at) => at === top || at.startsWith(top + sep))
    // A home that is a repository does not make the user's own settings somebody else's.
    .filter((at) => at !== home)
    .flatMap((at) => names.map((name): Lookup => ({ path: join(at, name), inside: top })));
  return readRepositoryFiles(folder, lookups);
}

/** What the program would read as instructions. Of one that nobody knows, nothing is known. */
export async function acpInstructions(
  preset: AcpPresetName | undefined,
  folder: string,
): Promise<Instruction[]> {
  if (preset === "claude-agent-acp") return claudeInstructions(folder);
  const names = preset === undefined ? [] : NAMES[preset];
  return instructionsIn(folder, async () => names);
}

/** It would act on files that nobody has agreed to. */
export function notStarted(name: string): string {
  return `${name} is not started: it would act on files of this repository that you have not agreed to, and cannot be told not to. Look at them, and trust them: baton trust`;
}
