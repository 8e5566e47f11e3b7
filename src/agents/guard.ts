import { type ChildProcess, spawn } from "node:child_process";
import { ourMark } from "./identity.ts";

/**
 * Its standard input closes when the owner ends, however it ends. Then it kills everything that carries the
 * owner's mark, until it has seen none twice: a process that is just becoming another program has no environment for
 * a moment. A shell, because it must be small, start at once and need nothing of Baton's.
 */
const script = `
cat >/dev/null
rounds=0
without=0
while [ $rounds -lt 100 ]; do
  if [ -d /proc/self ]; then
    pids=$(grep -lzFx "$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3)
  else
    pids=$(ps -axEww -o pid=,command= | grep -F " $1" | grep -v grep | awk '{print $1}')
  fi
  if [ -n "$pids" ]; then
    kill -9 $pids 2>/dev/null
    without=0
  else
    without=$((without + 1))
    [ $without -lt 2 ] || exit 0
  fi
  rounds=$((rounds + 1))
  sleep 0.05
done
`;

let guard: ChildProcess | undefined;

/** Starts the one guard of this process. It is in a session of its own, so that a signal to our group spares it. */
export function startGuard(): void {
  if (guard) return;
  const { name, value } = ourMark;
  guard = spawn("sh", ["-c", script, "baton-guard", `${name}=${value}`], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
  });
  guard.unref();
  guard.stdin?.on("error", () => {});
  if (guard.stdin && "unref" in guard.stdin && typeof guard.stdin.unref === "function") guard.stdin.unref();
}
