import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { isRunning } from "../../test/processes.ts";
import { endTraced, endTracedOfJob, leaveTrace, traceOf } from "./trace.ts";

/** A shell with this trace that starts a process which keeps neither its environment nor its parent. Its number. */
async function strayed(trace: string): Promise<number> {
  const script = "read -r go; (env -i setsid sh -c 'echo $$; exec sleep 1000' &)";
  const shell = spawn("sh", ["-c", script], { stdio: ["pipe", "pipe", "ignore"] });
  leaveTrace(shell.pid ?? 0, trace);
  const limits = () => readFileSync(`/proc/${shell.pid}/limits`, "utf8");
  await expect.poll(limits).toContain(` ${trace} `);
  shell.stdin.end("go\n");
  const [line] = await once(shell.stdout, "data");
  const pid = Number(line);
  onTestFinished(async () => {
    if (await isRunning(pid)) process.kill(pid, "SIGKILL");
  });
  expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain("PATH=");
  return pid;
}

describe.runIf(process.platform === "linux")(
  "a process that has dropped its environment and its parent",
  () => {
    it("ends with its session, and no other does", async () => {
      const job = randomUUID();
      const [one, two] = [
        traceOf({ job: job, owner: "one", session: "session-1" }),
        traceOf({ job: job, owner: "one", session: "session-2" }),
      ];
      const [first, second] = [await strayed(one), await strayed(two)];
      await endTraced(one);
      expect(await Promise.all([first, second].map(isRunning))).toEqual([false, true]);
    });

    it("stays when it belongs to the next owner of the same session", async () => {
      const session = randomUUID();
      const of = (owner: string) => traceOf({ job: "job-1", owner, session });
      const [before, after] = [of("dead"), of("alive")];
      const [left, fresh] = [await strayed(before), await strayed(after)];
      await endTraced(before);
      expect(await Promise.all([left, fresh].map(isRunning))).toEqual([false, true]);
    });

    it("is not ended again when it has ended, and nobody has noticed yet", async () => {
      const trace = traceOf({ job: randomUUID(), owner: "one", session: "session-1" });
      // The shell that would notice has become another program by then.
      const shell = spawn("sh", ["-c", "read -r go; sleep 0 & echo $!; exec sleep 1000"], {
        stdio: ["pipe", "pipe", "ignore"],
      });
      leaveTrace(shell.pid ?? 0, trace);
      await expect.poll(() => readFileSync(`/proc/${shell.pid}/limits`, "utf8")).toContain(` ${trace} `);
      shell.stdin.end("go\n");
      const [line] = await once(shell.stdout, "data");
      await expect.poll(() => readFileSync(`/proc/${Number(line)}/stat`, "utf8")).toContain(") Z ");
      expect(await endTraced(trace)).toBe(1);
    });

    it("ends with its job, and those of other jobs do not, of the same session neither", async () => {
      const [one, two] = [randomUUID(), randomUUID()];
      const first = await strayed(traceOf({ job: one, owner: "one", session: "session-1" }));
      const second = await strayed(traceOf({ job: two, owner: "one", session: "session-1" }));
      await endTracedOfJob(one);
      expect(await Promise.all([first, second].map(isRunning))).toEqual([false, true]);
    });
  },
);
