import { join } from "node:path";

const { existsSync, readFileSync } = process.getBuiltinModule("node:fs");

interface Settings {
  hooks?: { SessionStart?: { hooks: { command: string }[] }[] };
}

interface Servers {
  mcpServers?: Record<string, { command: string; args?: string[] }>;
}

/** What came with the repository acts when the program starts, as with Claude Code: hooks of two files, and servers. */
export function actOnRepository(folder: string): void {
  const settings = ["settings.json", "settings.local.json"].map((name) => join(folder, ".claude", name));
  const hooks = settings
    .flatMap((path) => read<Settings>(path).hooks?.SessionStart ?? [])
    .flatMap((matcher) => matcher.hooks)
    .map(({ command }) => ["sh", "-c", command]);
  const servers = Object.values(read<Servers>(join(folder, ".mcp.json")).mcpServers ?? {});
  const started = [...hooks, ...servers.map(({ command, args = [] }) => [command, ...args])];
  if (started.length === 0) return;
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  for (const [program = "", ...args] of started) spawnSync(program, args, { cwd: folder, stdio: "ignore" });
}

function read<T extends object>(path: string): Partial<T> {
  try {
    return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  } catch {
    return {};
  }
}
