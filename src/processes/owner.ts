import { hostname } from "node:os";
import { codeOf } from "../util/errors.ts";
import { bootId, onLinux, procLink, statOf } from "./proc.ts";

/** A process, told apart from every other that had or will have its number. */
export interface ProcessIdentity {
  host: string;
  /** Numbers of processes mean something within one namespace: containers have their own. */
  pidNamespace: string;
  boot: string;
  pid: number;
  startTime: string;
}

/** The process that runs a job, and since when. */
export interface Owner extends ProcessIdentity {
  since: string;
}

/** `unknown` must be treated as alive: two owners of one job do harm, a late resume does not. */
export type Liveness = "alive" | "dead" | "unknown";

type Sighting = { state: "running"; startTime: string } | { state: "gone" } | { state: "hidden" };

export function thisProcess(): ProcessIdentity {
  const here = thisProcessAtOnce();
  return here.startTime === "" ? { ...here, startTime: startTimeOf(process.pid) ?? "" } : here;
}

/** Without the start time where another program would have to be asked for it: for those who have no time for that. */
export function thisProcessAtOnce(): ProcessIdentity {
  known ??= identity();
  return { ...known };
}

/** A process stays what it is: with many jobs it is asked for hundreds of times a second. */
let known: ProcessIdentity | undefined;

function identity(): ProcessIdentity {
  return {
    host: hostname(),
    pidNamespace: onLinux ? procLink("self", "ns/pid") : "",
    boot: onLinux ? bootId() : "",
    pid: process.pid,
    startTime: onLinux ? (startTimeOf(process.pid) ?? "") : "",
  };
}

export function liveness(owner: ProcessIdentity, here: ProcessIdentity = thisProcessAtOnce()): Liveness {
  if (owner.host !== here.host) return "unknown";
  if (owner.boot !== here.boot) return "dead";
  if (owner.pidNamespace !== here.pidNamespace) return "unknown";
  if (owner.pid === here.pid && owner.startTime !== "" && owner.startTime === here.startTime) return "alive";
  const seen = look(owner.pid);
  if (seen.state === "gone") return "dead";
  if (seen.state === "hidden" || owner.startTime === "") return "unknown";
  return seen.startTime === owner.startTime ? "alive" : "dead";
}

/** When a process began, in the form in which a later look at it is compared. Undefined where it is gone or hidden. */
export function startTimeOf(pid: number): string | undefined {
  const seen = look(pid);
  return seen.state === "running" ? seen.startTime : undefined;
}

function look(pid: number): Sighting {
  try {
    const { state, startTime } = onLinux ? statOf(pid) : fromPs(pid);
    // A zombie has ended; only its parent has not noticed.
    return state === "Z" || state === "X" ? { state: "gone" } : { state: "running", startTime };
  } catch {
    return exists(pid) ? { state: "hidden" } : { state: "gone" };
  }
}

function fromPs(pid: number) {
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  const output = execFileSync("ps", ["-o", "stat=", "-o", "lstart=", "-p", String(pid)], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [state = "", ...startTime] = output.trim().split(/\s+/);
  return { state: state[0], startTime: startTime.join(" ") };
}

/** Signal 0 is not delivered; only a definite "no such process" counts as gone. */
function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}
