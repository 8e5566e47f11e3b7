import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { plainScreen, promptOn } from "../src/agents/claude/own/prompt-screen.ts";
import type { Pane } from "../src/agents/claude/own/surroundings.ts";
import { claudeProgram } from "../src/agents/claude/program.ts";
import { Registry } from "../src/sessions/record/registry.ts";
import { newSession, type OwnSession } from "../src/sessions/record/session.ts";
import { skipWelcome } from "../src/simulator/environment.ts";
import { bundle, isAboutClaude, type TestProject } from "./harness.ts";

const run = promisify(execFile);
const PATIENCE_MS = 45_000;
const LOOK_MS = 100;

/** Looks until there is something to see: neither a screen nor another process's file makes an event to wait for. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`${what} did not come within ${PATIENCE_MS / 1_000} s`);
    await sleep(LOOK_MS);
  }
}

/** A tmux server of the test's own, ended with it. */
export class Tmux {
  readonly socket: string;
  readonly #env: Record<string, string>;

  private constructor(socket: string, env: Record<string, string>) {
    this.socket = socket;
    this.#env = env;
  }

  /** `people`: the server that `tmux` finds by itself, in the environment of the project. */
  static async start({ env }: Pick<TestProject, "env">, whose: "test" | "people" = "test"): Promise<Tmux> {
    const folder = await mkdtemp(join(tmpdir(), "baton-tmux-"));
    const usual = join(env.TMUX_TMPDIR ?? folder, `tmux-${process.getuid?.()}`);
    if (whose === "people") await mkdir(usual, { recursive: true, mode: 0o700 });
    const tmux = new Tmux(whose === "people" ? join(usual, "default") : join(folder, "socket"), env);
    onTestFinished(async () => {
      await tmux.run("kill-server").catch(() => "");
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    });
    const config = join(folder, "tmux.conf");
    await writeFile(config, "set -g default-terminal xterm-256color\nset -g remain-on-exit on\n");
    await run(
      "tmux",
      ["-S", tmux.socket, "-f", config, "new-session", "-d", "-x", "150", "-y", "50", "cat"],
      { env },
    );
    return tmux;
  }

  async run(...args: string[]): Promise<string> {
    const { stdout } = await run("tmux", ["-S", this.socket, ...args], { env: this.#env });
    return stdout.trimEnd();
  }

  /** Starts a program in a window of its own. */
  async open(folder: string, ...command: string[]): Promise<Screen> {
    const id = await this.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-c", folder, "--", ...command);
    return new Screen(this, id);
  }

  screen(id: string): Screen {
    return new Screen(this, id);
  }

  async panes(): Promise<string[]> {
    return (await this.run("list-panes", "-a", "-F", "#{pane_id}")).split("\n");
  }
}

/** What a person sees and types in a pane. */
export class Screen {
  readonly tmux: Tmux;
  readonly id: string;

  constructor(tmux: Tmux, id: string) {
    this.tmux = tmux;
    this.id = id;
  }

  get pane(): Pane {
    return { socket: this.tmux.socket, id: this.id };
  }

  captured(): Promise<string> {
    return this.tmux.run("capture-pane", "-p", "-e", "-t", this.id);
  }

  async text(): Promise<string> {
    return plainScreen(await this.captured());
  }

  async prompt() {
    return promptOn(await this.captured());
  }

  async shows(text: string | RegExp): Promise<string> {
    const isThere = (screen: string) =>
      typeof text === "string" ? screen.includes(text) : text.test(screen);
    try {
      return await eventually(`"${text}" on the screen`, async () => {
        const screen = await this.text();
        return isThere(screen) && screen;
      });
    } catch (error) {
      throw new Error(`${error}\nOn the screen:\n${await this.text()}`);
    }
  }

  async waits(): Promise<void> {
    try {
      await eventually("an empty prompt", async () => (await this.prompt()).state === "empty");
    } catch (error) {
      throw new Error(`${error}\nOn the screen:\n${await this.text()}`);
    }
  }

  async types(text: string): Promise<void> {
    await this.tmux.run("send-keys", "-t", this.id, "-l", "--", text);
  }

  async presses(...keys: string[]): Promise<void> {
    await this.tmux.run("send-keys", "-t", this.id, ...keys);
  }

  async says(text: string): Promise<void> {
    await this.waits();
    await this.types(text);
    await this.shows(text);
    await this.presses("Enter");
  }

  async pid(): Promise<number> {
    return Number(await this.tmux.run("display-message", "-p", "-t", this.id, "#{pane_pid}"));
  }
}

/** The files with which Claude Code starts straight at its prompt. */
export async function claudeReady({ folder, env }: Pick<TestProject, "folder" | "env">): Promise<void> {
  const home = env.CLAUDE_CONFIG_DIR ?? "";
  await mkdir(home, { recursive: true });
  await skipWelcome(home, [folder, await realpath(folder)]);
  await writeFile(join(home, "settings.json"), JSON.stringify({ skipDangerousModePermissionPrompt: true }));
}

/** Claude Code, or the scripted terminal in its place. */
export function claudeCommand(): string[] {
  return isAboutClaude() ? [claudeProgram() ?? "claude"] : [process.execPath, join(bundle, "terminal.js")];
}

/** Starts it in a pane, through another program if one is given, and waits for its prompt. */
export async function openClaude(
  project: TestProject,
  tmux: Tmux,
  args: readonly string[] = [],
  {
    around = [],
    permissions = ["--dangerously-skip-permissions"],
  }: { around?: readonly string[]; permissions?: readonly string[] } = {},
): Promise<Screen> {
  const words = ["--model", "claude-sonnet-4-5", ...permissions, ...args];
  const screen = await tmux.open(project.folder, ...around, ...claudeCommand(), ...words);
  await screen.waits();
  return screen;
}

export function registryOf({ env }: Pick<TestProject, "env">): Registry {
  return new Registry(
    join(env.XDG_STATE_HOME ?? join(env.HOME ?? "", ".local", "state"), "baton", "sessions"),
  );
}

/** A session as its hooks would have registered it. */
export function anOwnSession(project: TestProject, id: string, more: Partial<OwnSession> = {}): OwnSession {
  const now = new Date().toISOString();
  return newSession({
    id,
    cwd: project.folder,
    project: project.folder,
    startedAt: now,
    ...more,
  });
}

/** How the registry tells a process apart from others of its number. */
export async function identity(pid: number): Promise<OwnSession["process"]> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return { pid, startTime: stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "" };
}
