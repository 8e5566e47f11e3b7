import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { onTestFinished, TestRunner, vi } from "vitest";
import { lookIntoStore } from "../src/app/project.ts";
import type { JobEventType, JournalEvent } from "../src/job/events.ts";
import { jobView } from "../src/job/view.ts";
import { agentEnvironment } from "../src/simulator/environment.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { type Simulator, startSimulator } from "../src/simulator/server.ts";
import { listJobs } from "../src/store/job-list.ts";
import { agreeIn } from "./agree.ts";
import { batonHere, isFree } from "./baton-here.ts";
import { beginRepository } from "./repository.ts";

export { git } from "./repository.ts";

/** Made before the first test. */
export const bundle = process.env.BATON_TEST_BUNDLE ?? "";
/** What processes of a test load of Baton: `parts.ts`. */
export const parts = pathToFileURL(join(bundle, "parts.js")).href;
/** `baton`, as users have it. */
export const program = join(bundle, "bin", "baton.js");
const scriptedBaton = join(bundle, "scripted.js");

/** A folder with a git repository, a baton.yaml, and a Claude Code home of its own. Removed after the test. */
export interface TestProject {
  folder: string;
  env: Record<string, string>;
  simulator: Simulator;
  /** `baton`, with the agent that the test is about. */
  program: string;
  trusted?: "no";
}

export interface ProjectOptions {
  scenario: Scenario;
  /** Keys of the one agent, as YAML lines without indentation. */
  agent?: string;
  /** The keys of further agents, each in lines like those of the first. */
  others?: string[][];
  account?: "key" | "plan";
  env?: Record<string, string>;
  /** `no`: the user has looked at nothing yet. Otherwise they agree to the project's files before each command. */
  trusted?: "no";
}

export async function testProject({
  scenario,
  agent = "",
  others = [],
  account = "key",
  env = {},
  trusted,
}: ProjectOptions): Promise<TestProject> {
  const root = await mkdtemp(join(tmpdir(), "baton-test-"));
  const folder = join(root, "project");
  await mkdir(folder);
  const simulator = await startSimulator(scenario);
  onTestFinished(async () => {
    await simulator.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  // What this process makes for the test is the same user's as what its `baton` makes.
  vi.stubEnv("XDG_STATE_HOME", join(root, ".local", "state"));
  const own = agent.trim().split("\n");
  const usual = ["model: claude-sonnet-4-5"];
  if (trusted !== "no") usual.push("permission_mode: bypassPermissions");
  const keys = ["name: coder", ...usual.filter((line) => !own.some((key) => isSameKey(key, line))), ...own];
  const lines = [keys, ...others].flatMap((lines) =>
    lines.filter(Boolean).map((line, index) => `${index === 0 ? "  - " : "    "}${line}`),
  );
  // Of the fleets that tests start at the same time, only one could have the port.
  const alone = "web: { enabled: false }\n";
  await writeFile(join(folder, "baton.yaml"), `${alone}agents:\n${lines.join("\n")}\n`);
  await beginRepository(folder);
  const project: TestProject = {
    folder,
    simulator,
    ...(trusted && { trusted }),
    program: isAboutClaude() ? join(bundle, "baton.js") : scriptedBaton,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: root,
      TERM: "dumb",
      ...agentEnvironment(simulator, join(root, "claude"), account),
      CLAUDE_CODE_MAX_RETRIES: "1",
      ...env,
    },
  };
  agreeIn(project);
  return project;
}

/** Tests with the tag run Claude Code itself; all others the scripted agent, which is held to the same contract. */
export function isAboutClaude(): boolean {
  return TestRunner.getCurrentTest()?.tags?.includes("claude") ?? false;
}

function isSameKey(a: string, b: string): boolean {
  return a.split(":")[0] === b.split(":")[0];
}

/** Where a `baton` runs. Without a program of its own it is the one that users have. */
export type Runs = Pick<TestProject, "folder" | "env"> & Partial<Pick<TestProject, "program" | "trusted">>;

/** `baton` as a process of its own, the way a user starts it. */
export class Baton {
  readonly child: ChildProcess;
  /** What `--json` printed so far, line by line. */
  readonly events: JournalEvent[] = [];
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stdout = "";
  stderr = "";
  #listeners = new Set<() => void>();

  constructor(project: Runs, args: string[], input?: string) {
    agreeIn(project);
    this.child = spawn(process.execPath, [project.program ?? program, ...args], {
      cwd: project.folder,
      env: project.env,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child.stdin?.end(input);
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    if (this.child.stdout) {
      createInterface({ input: this.child.stdout }).on("line", (line) => this.#heard(line));
    }
    this.exit = once(this.child, "close").then(([code, signal]) => ({ code, signal }));
    onTestFinished(async () => {
      this.child.kill("SIGKILL");
      await this.exit;
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error("baton did not start");
    return this.child.pid;
  }

  /** The first event for which the predicate holds, past ones included. Fails when the process ends without it. */
  async event(matches: (event: JournalEvent) => boolean): Promise<JournalEvent> {
    for (;;) {
      const found = this.events.find(matches);
      if (found) return found;
      const heard = new Promise<"heard">((resolve) => {
        const listener = () => {
          this.#listeners.delete(listener);
          resolve("heard");
        };
        this.#listeners.add(listener);
      });
      const first = await Promise.race([heard, this.exit.then(() => "ended" as const)]);
      if (first === "ended" && !this.events.some(matches)) {
        throw new Error(`baton ended before the event came.\n${this.stdout}\n${this.stderr}`);
      }
    }
  }

  /** SIGKILL, and the end of the process. */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.exit;
  }

  #heard(line: string): void {
    this.stdout += `${line}\n`;
    this.events.push(...eventsIn(line));
    for (const listener of this.#listeners) listener();
  }
}

/** Runs `baton` to its end. */
export async function baton(
  project: Runs,
  args: string[],
  input?: string,
): Promise<{ code: number | null; stdout: string; stderr: string; events: JournalEvent[] }> {
  agreeIn(project);
  // The command that `simulate` starts has the streams of its process.
  if (project.program === scriptedBaton && args[0] !== "simulate" && input === undefined && isFree()) {
    const { stdout, ...ended } = await batonHere(project, args);
    return { ...ended, stdout, events: eventsIn(stdout) };
  }
  const running = new Baton(project, args, input);
  const { code } = await running.exit;
  return { code, stdout: running.stdout, stderr: running.stderr, events: running.events };
}

/** The events among the lines of what was printed. */
function eventsIn(printed: string): JournalEvent[] {
  return printed.split("\n").flatMap((line) => {
    if (!line.startsWith("{")) return [];
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "seq" in value ? [value as JournalEvent] : [];
  });
}

/** The only, or the newest, job, as `baton jobs --json` has it; `cli-jobs.test.ts` holds the command to that. */
export async function shown({ folder }: Pick<TestProject, "folder">) {
  await using store = await lookIntoStore({ root: folder });
  const [job] = await listJobs(store, 1);
  if (!job) throw new Error("no job has run here");
  // As a reader of the command has it, who sees no types.
  return JSON.parse(JSON.stringify(jobView(job)));
}

export function ofType<T extends JobEventType>(events: JournalEvent[], type: T) {
  return events.filter((event): event is Extract<JournalEvent, { type: T }> => event.type === type);
}

/** The place of the first event for which the predicate holds. Fails where there is none. */
export function placeOf(events: JournalEvent[], matches: (event: JournalEvent) => boolean): number {
  const index = events.findIndex(matches);
  if (index === -1) throw new Error(`no such event among ${events.map(({ type }) => type).join(", ")}`);
  return index;
}

/** What the steps of a `steady` scenario wrote, in order. A step that was done twice is there twice. */
export async function stepsDone({ folder }: Pick<TestProject, "folder">): Promise<number[]> {
  const names = (await readdir(folder)).filter((name) => /^step-\d+\.txt$/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  const lines = texts.flatMap((text) => text.trim().split("\n"));
  return lines.map((line) => Number(line.replace("step ", ""))).sort((a, b) => a - b);
}

export function upTo(steps: number): number[] {
  return Array.from({ length: steps }, (_, index) => index + 1);
}

/** With `smallWindows` a session takes about four steps, so that a job over several of them is short. */
export const SMALL_WINDOW = 60_000;
export const smallWindows = `context_threshold: ${SMALL_WINDOW}`;
export const inSmallWindows = (steps: number) =>
  steady({ steps, factor: 5, outputCharacters: 8_000, look: true });
