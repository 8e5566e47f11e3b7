import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SessionSpec } from "../agent.ts";
import { ownToolName } from "./tools.ts";

/** Beside this file, as source or as the package has it. */
export function extensionFile(): string {
  const places = ["./extension.ts", "./extension.js"].map((name) =>
    fileURLToPath(new URL(name, import.meta.url)),
  );
  const found = places.find((place) => existsSync(place));
  if (found === undefined)
    throw new Error(`Baton's extension for pi is missing: ${places.join(", ")}. Install Baton again.`);
  return found;
}

/**
 * The command line of a session: documented options alone. `kept`: where the session is kept already, or the folder for a new one.
 * A project's own settings could name another folder before anybody agreed to them, so it is always said. What others must
 * not read goes through `put`, which returns the path of a file that holds it.
 */
export function commandLine(
  spec: SessionSpec,
  kept: { file: string } | { folder: string },
  put: (text: string) => string,
): string[] {
  const { model, systemPrompt, allowedTools, ownTools } = spec;
  const own = ownTools.names.map(ownToolName);
  return [
    ...["--mode", "rpc"],
    ...("file" in kept
      ? ["--session", kept.file]
      : ["--session-dir", kept.folder, "--session-id", spec.sessionId]),
    ...["--extension", extensionFile()],
    ...(spec.readsRepository ? ["--approve"] : ["--no-approve", "--no-context-files"]),
    ...(model === undefined ? [] : ["--model", model]),
    ...(systemPrompt === undefined ? [] : ["--append-system-prompt", put(systemPrompt)]),
    ...(allowedTools.length > 0 ? ["--tools", [...allowedTools, ...own].join(",")] : []),
  ];
}

/** Where pi keeps the sessions of a folder, unless its user wants them elsewhere. */
export function sessionFolder(home: string, env: Record<string, string>, cwd: string): string {
  if (env.PI_CODING_AGENT_SESSION_DIR) return env.PI_CODING_AGENT_SESSION_DIR;
  return join(home, "sessions", `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`);
}
