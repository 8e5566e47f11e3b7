import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { JournalEvent } from "../src/job/events.ts";
import { type Phase, phaseAfter } from "./phase.ts";
import type { GitCall, Project } from "./project.ts";

/** A `baton` of a project, and where the job is that it runs. */
export class Baton {
  readonly pid: number;
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly events: JournalEvent[] = [];
  hasEnded = false;
  hasPushed = false;
  output = "";
  phase: Phase | undefined;
  phaseBegan = 0;
  #gitCalls = 0;
  readonly #child: ChildProcess;
  readonly #before: Phase;
  readonly #onPhaseEnd: (phase: Phase, ms: number) => void;
  readonly #waiting = new Set<() => void>();

  /** `before`: where the job was when its last owner died. */
  constructor(
    project: Project,
    args: string[],
    before: Phase,
    onPhaseEnd: (phase: Phase, ms: number) => void = () => {},
  ) {
    this.#before = before;
    this.#onPhaseEnd = onPhaseEnd;
    this.#child = spawn(process.execPath, [project.program, ...args], {
      cwd: project.folder,
      env: project.env,
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, which can be killed in one go.
      detached: true,
    });
    const { pid, stdout, stderr } = this.#child;
    if (pid === undefined || !stdout || !stderr) throw new Error("baton did not start");
    this.pid = pid;
    createInterface({ input: stdout }).on("line", (line) => this.#heard(line));
    stderr.setEncoding("utf8").on("data", (text: string) => {
      this.output += text;
    });
    this.exit = once(this.#child, "exit").then(([code, signal]) => {
      this.hasEnded = true;
      this.#wake();
      return { code, signal };
    });
  }

  calledGit({ by, command }: GitCall): void {
    if (this.hasEnded) return;
    this.#gitCalls++;
    if (by === "baton" && command === "push") {
      this.hasPushed = true;
      this.#enter("pushing");
    } else this.#wake();
  }

  /** Resolves with the next git command, or once the phase is over. */
  async callsGit(): Promise<void> {
    const { phase } = this;
    const calls = this.#gitCalls;
    while (!this.hasEnded && this.phase === phase && this.#gitCalls === calls) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** True once the job is in that phase; false when the process ends first. */
  async reaches(phase: Phase): Promise<boolean> {
    while (!this.hasEnded && this.phase !== phase) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
    return !this.hasEnded;
  }

  #heard(line: string): void {
    const event = eventIn(line);
    if (!event) {
      this.output += `${line}\n`;
      return;
    }
    this.events.push(event);
    this.#enter(phaseAfter(this.phase ?? this.#before, event));
  }

  #enter(phase: Phase): void {
    if (phase === this.phase) return;
    const now = performance.now();
    if (this.phase !== undefined) this.#onPhaseEnd(this.phase, now - this.phaseBegan);
    this.phase = phase;
    this.phaseBegan = now;
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}

function eventIn(line: string): JournalEvent | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    const isEvent = typeof value === "object" && value !== null && "seq" in value;
    return isEvent ? (value as JournalEvent) : undefined;
  } catch {
    return undefined;
  }
}
