import { type ChildProcess, spawn } from "node:child_process";
import { END_GRACE_MS } from "./ending.ts";
import { ourMark } from "./own-mark.ts";
import { followTraces } from "./trace.ts";

const ROUND_MS = 50;
const GRACE_ROUNDS = END_GRACE_MS / ROUND_MS;

/**
 * Its standard input closes when the owner ends, however it ends; until then each line holds all traces that are in use.
 * Then it asks everything that carries the owner's mark or one of the traces to end, and after a grace kills it, until it has
 * seen none twice: a process that is just becoming another program has no environment for a moment. A shell, because it must be small, start at once
 * and need nothing of Baton's.
 */
const script = `
traces=
while read -r line; do traces=$line; done
rounds=0
without=0
asked=" "
while [ $rounds -lt ${GRACE_ROUNDS + 100} ]; do
  if [ -d /proc/self ]; then
    pids=$(grep -lzFx "$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3)
    if [ -n "$traces" ]; then
      for pid in $(grep -lE "^Max file locks +($traces) " /proc/[0-9]*/limits 2>/dev/null | cut -d/ -f3); do
        grep -qE "^State:[[:space:]]+[^ZX]" /proc/$pid/status 2>/dev/null && pids="$pids $pid"
      done
    fi
  else
    pids=$(ps -axEww -o pid=,command= | grep -F " $1" | grep -v grep | awk '{print $1}')
  fi
  if [ -n "$pids" ]; then
    for pid in $pids; do
      if [ $rounds -ge ${GRACE_ROUNDS} ]; then
        kill -9 $pid 2>/dev/null
      else
        case "$asked" in
          *" $pid "*) ;;
          *) asked="$asked$pid "; kill -15 $pid 2>/dev/null ;;
        esac
      fi
    done
    without=0
  else
    without=$((without + 1))
    [ $without -lt 2 ] || exit 0
  fi
  rounds=$((rounds + 1))
  sleep ${ROUND_MS / 1_000}
done
`;

/** A guard that ends so often in that time cannot be kept running: what ends it, or keeps it from starting, lasts. */
const MOST_DEATHS = 5;
const DEATHS_MS = 10_000;
/** Before it is started again, for each time but the first. Less than a second in all. */
const PAUSE_MS = 100;

type OnLost = (why: string) => void;

/** The one guard of this process. */
let guard: ChildProcess | undefined;
let deaths: number[] = [];
const depending = new Set<OnLost>();

/** Starts the guard, if it does not run. A guard that ends is replaced at once. */
export function startGuard(): void {
  if (guard) return;
  const { name, value } = ourMark;
  // In a session of its own, so that a signal to our group spares it.
  const child = spawn("/bin/sh", ["-c", script, "baton-guard", `${name}=${value}`], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
  });
  guard = child;
  child.once("error", (error) => ended(child, error.message));
  child.once("exit", (code, signal) =>
    ended(child, signal ? `it ended by ${signal}` : `it ended with code ${code}`),
  );
  child.unref();
  const { stdin } = child;
  stdin.on("error", () => {});
  if ("unref" in stdin && typeof stdin.unref === "function") stdin.unref();
  followTraces((traces) => stdin.write(`${traces.join("|")}\n`));
}

/** Keeps the guard running for as long as it is not disposed. `onLost` is called when that is not possible. */
export function keepGuard(onLost: OnLost): Disposable {
  depending.add(onLost);
  startGuard();
  return { [Symbol.dispose]: () => depending.delete(onLost) };
}

function ended(child: ChildProcess, why: string): void {
  if (guard !== child) return;
  guard = undefined;
  const now = performance.now();
  deaths = [...deaths.filter((at) => now - at < DEATHS_MS), now];
  if (deaths.length === 1) startGuard();
  else if (deaths.length < MOST_DEATHS) setTimeout(startGuard, PAUSE_MS * (deaths.length - 1)).unref();
  else {
    deaths = [];
    for (const onLost of depending) {
      onLost(`The guard, which ends the agent when Baton is killed, could not be kept running: ${why}.`);
    }
  }
}
