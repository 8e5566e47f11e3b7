import { readdir, readFile, readlink } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MS = 25;

/** A process of a project. `session`: it is an agent, or something that an agent started. */
export interface Running {
  pid: number;
  parent: number;
  command: string;
  folder: string;
  session: string | undefined;
}

export interface Seen {
  /** Everything that inherited the project's mark. */
  marked: Running[];
  /** Guards inherit nothing: their owner's mark is in their command line. */
  guards: Running[];
}

/** Every process of one project, told by a variable that all of them inherit. */
export class Household {
  readonly mark: { name: string; value: string };
  readonly #owners = new Set<string>();

  constructor(value: string) {
    this.mark = { name: "BATON_CAMPAIGN", value };
  }

  async look(): Promise<Seen> {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    const all = (await Promise.all(pids.map((pid) => lookAt(Number(pid))))).filter(
      (one) => one !== undefined,
    );
    const wanted = `\0${this.mark.name}=${this.mark.value}\0`;
    const marked = all.filter(({ environment }) => environment.includes(wanted));
    for (const { environment } of marked) {
      const owner = /\0BATON_OWNER=([^\0]+)\0/.exec(environment)?.[1];
      if (owner !== undefined) this.#owners.add(owner);
    }
    const own = new Set(marked.map(({ pid }) => pid));
    const guards = all.filter(({ command, parent }) => {
      const owner = /\bbaton-guard BATON_OWNER=(\S+)/.exec(command)?.[1];
      return owner !== undefined && (own.has(parent) || this.#owners.has(owner));
    });
    return { marked: marked.map(withoutEnvironment), guards: guards.map(withoutEnvironment) };
  }

  /** Resolves once nothing of the project runs any more, or with what still runs after that time. */
  async gone(patienceMs: number): Promise<Running[]> {
    const deadline = Date.now() + patienceMs;
    // A process that is just becoming another program has no environment for a moment.
    for (let looksWithout = 0; ; await sleep(LOOK_MS)) {
      const { marked, guards } = await this.look();
      const left = [...marked, ...guards];
      looksWithout = left.length === 0 ? looksWithout + 1 : 0;
      if (looksWithout === 2) return [];
      if (left.length > 0 && Date.now() > deadline) return left;
    }
  }

  /** Kills until nothing is left. */
  async end(): Promise<void> {
    for (let rounds = 0, looksWithout = 0; looksWithout < 2 && rounds < 200; rounds++) {
      const { marked, guards } = await this.look();
      looksWithout = marked.length + guards.length === 0 ? looksWithout + 1 : 0;
      for (const { pid } of [...marked, ...guards]) kill(pid);
      await sleep(LOOK_MS);
    }
  }
}

/** False where it had ended by itself. */
export function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

async function lookAt(pid: number): Promise<(Running & { environment: string }) | undefined> {
  try {
    const [stat, command, environment, folder] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile(`/proc/${pid}/cmdline`, "utf8"),
      readFile(`/proc/${pid}/environ`, "latin1"),
      readlink(`/proc/${pid}/cwd`),
    ]);
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended; only its parent has not noticed.
    if (state === "Z" || state === "X") return undefined;
    return {
      pid,
      parent: Number(parent),
      command: command.split("\0").join(" ").replace(/\s+/g, " ").trim(),
      folder,
      session: /\0BATON_SESSION_ID=([^\0]+)\0/.exec(`\0${environment}`)?.[1],
      environment: `\0${environment}`,
    };
  } catch {
    return undefined;
  }
}

function withoutEnvironment({ environment: _, ...running }: Running & { environment: string }): Running {
  return running;
}
