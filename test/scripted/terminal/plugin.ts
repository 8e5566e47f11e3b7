import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** What a hook answers, as Claude Code reads it. */
export interface HookAnswer {
  systemMessage?: string;
  decision?: "block";
  reason?: string;
  hookSpecificOutput?: { additionalContext?: string };
}

interface HookEntry {
  hooks: { command: string }[];
}

export interface ServerCommand {
  name: string;
  command: string;
  args: string[];
}

/** A plugin in a folder, read as Claude Code reads it. */
export class Plugin {
  readonly folder: string;
  readonly name: string;
  readonly #hooks: Record<string, HookEntry[]>;

  constructor(folder: string) {
    this.folder = folder;
    this.name = this.#json(".claude-plugin", "plugin.json").name;
    this.#hooks = this.#json("hooks", "hooks.json").hooks;
  }

  get servers(): ServerCommand[] {
    const servers: Record<string, { command: string; args: string[] }> =
      this.#json(".mcp.json").mcpServers ?? {};
    return Object.entries(servers).map(([name, { command, args }]) => ({
      name,
      command: this.#resolved(command),
      args: args.map((arg) => this.#resolved(arg)),
    }));
  }

  /** What a command or a skill of this name asks for, with the words behind it. */
  promptOf(name: string, given: string): string | undefined {
    const path = [
      join(this.folder, "commands", `${name}.md`),
      join(this.folder, "skills", name, "SKILL.md"),
    ].find(existsSync);
    if (path === undefined) return undefined;
    const body = readFileSync(path, "utf8").replace(/^---\n[\s\S]*?\n---\n/, "");
    if (body.includes("$ARGUMENTS")) return body.replaceAll("$ARGUMENTS", () => given);
    return given === "" ? body : `${body}\n\nARGUMENTS: ${given}`;
  }

  async run(event: string, input: object, env: Record<string, string | undefined>): Promise<HookAnswer[]> {
    const commands = (this.#hooks[event] ?? []).flatMap(({ hooks }) => hooks.map(({ command }) => command));
    return Promise.all(commands.map((command) => this.#answer(command, input, env)));
  }

  async #answer(
    command: string,
    input: object,
    env: Record<string, string | undefined>,
  ): Promise<HookAnswer> {
    const child = spawn("/bin/sh", ["-c", command], {
      env: { ...env, CLAUDE_PLUGIN_ROOT: this.folder },
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(input));
    const said = await text(child.stdout);
    return said.trimStart().startsWith("{") ? JSON.parse(said) : {};
  }

  #resolved(word: string): string {
    return word.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_all, name: string, otherwise = "") =>
      name === "CLAUDE_PLUGIN_ROOT" ? this.folder : process.env[name] || otherwise,
    );
  }

  #json(...path: string[]) {
    return JSON.parse(readFileSync(join(this.folder, ...path), "utf8"));
  }
}
