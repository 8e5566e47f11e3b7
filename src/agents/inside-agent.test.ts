import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { onLinux } from "../processes/proc.ts";
import { leaveTrace, traceOf } from "../processes/trace.ts";
import { insideAgent, type SeenProcess, whyAgent } from "./inside-agent.ts";

/** Of a test that an agent may run: nothing of this process's own. */
const NOBODY = { PATH: process.env.PATH ?? "" };
const SRC = join(import.meta.dirname, "inside-agent.ts");

/** Has a process started by `start` ask, and gives what it was told. */
const asks = (folder: string) => `
const { insideAgent } = await import(${JSON.stringify(SRC)});
const { writeFileSync } = await import("node:fs");
writeFileSync(${JSON.stringify(join(folder, "answer"))}, JSON.stringify([await insideAgent(), await insideAgent({}, { fromPs: true })]));
`;

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "baton-inside-"));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  await writeFile(join(made, "ask.mjs"), asks(made));
  return made;
}

async function answerIn(at: string): Promise<(string | null)[]> {
  const read = () => readFile(join(at, "answer"), "utf8").catch(() => "");
  return JSON.parse(await vi.waitUntil(read, { timeout: 30_000, interval: 20 }));
}

function started(command: string, args: string[], env: Record<string, string> = NOBODY): ChildProcess {
  const child = spawn(command, args, { env, stdio: "ignore" });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

describe("by real processes", () => {
  it.runIf(onLinux)("knows a program by its name, although the environment was cleared", async () => {
    const at = await folder();
    const shell = join(at, "claude");
    await copyFile("/bin/sh", shell);
    started(shell, ["-c", `env -i PATH="$PATH" ${process.execPath} ${at}/ask.mjs; true`]);
    const [why, byPs] = await answerIn(at);
    expect(why).toMatch(/^it was started by an agent, claude \(process \d+\)$/);
    expect(byPs).toBe(why);
  });

  it("knows a script that Node runs by its package", async () => {
    const at = await folder();
    const script = join(at, "node_modules/@anthropic-ai/claude-code/cli.js");
    await mkdir(dirname(script), { recursive: true });
    const child = `require("child_process").spawnSync("sh", ["-c", ${JSON.stringify(`env -i PATH="$PATH" ${process.execPath} ${at}/ask.mjs; true`)}])`;
    await writeFile(script, child);
    started(process.execPath, [script]);
    expect((await answerIn(at))[0]).toMatch(/^it was started by an agent, cli/);
  });

  it("knows a job by its mark, its own or that of whoever started it", async () => {
    const at = await folder();
    started(process.execPath, [join(at, "ask.mjs")], { ...NOBODY, BATON_JOB_ID: "job-1" });
    expect((await answerIn(at))[0]).toBe("it was started in a job of Baton's");
    if (!onLinux) return;
    const cleared = await folder();
    started("sh", ["-c", `env -i PATH="$PATH" ${process.execPath} ${cleared}/ask.mjs; true`], {
      ...NOBODY,
      BATON_OWNER: "x",
    });
    expect((await answerIn(cleared))[0]).toMatch(/^it was started in a job of Baton's \(process \d+\)$/);
  });

  it.runIf(onLinux)(
    "knows a job by its trace, with nobody left who started it and no environment",
    async () => {
      const at = await folder();
      const wait = `until [ -e ${at}/go ]; do sleep 0.05; done; (env -i PATH="$PATH" setsid ${process.execPath} ${at}/ask.mjs &)`;
      const child = started("sh", ["-c", wait]);
      leaveTrace(child.pid ?? 0, traceOf({ job: "job", owner: "o", session: "s" }));
      const limits = () => readFile(`/proc/${child.pid}/limits`, "utf8");
      await vi.waitUntil(async () => !/^Max file locks +unlimited/m.test(await limits()), {
        timeout: 20_000,
      });
      const ended = once(child, "exit");
      await writeFile(join(at, "go"), "");
      await ended;
      expect((await answerIn(at))[0]).toBe("it was started in a job of Baton's");
    },
  );

  it("finds nothing where a shell was started by nobody in particular", async () => {
    const at = await folder();
    await symlink(process.execPath, join(at, "node"));
    // Reparented, so that whoever runs this test is not among its ancestors.
    started("sh", ["-c", `(sleep 0.2; exec ${at}/node ${at}/ask.mjs) &`]);
    expect(await answerIn(at)).toEqual([null, null]);
  });
});

it.each(["BATON_JOB_ID", "BATON_OWNER", "BATON_SESSION_ID", "CLAUDECODE"])("goes by %s", async (name) => {
  expect(await insideAgent({ [name]: "1" }, { pid: 1 })).toMatch(/^it was started in/);
});

describe("by what is seen of a process", () => {
  it.each<[string, SeenProcess]>([
    ["Claude Code", { program: "/usr/lib/claude", words: ["claude"] }],
    ["one that was updated meanwhile", { program: "/usr/lib/claude (deleted)", words: ["x"] }],
    ["Codex", { program: "/opt/codex", words: ["codex", "exec"] }],
    ["pi, a script", { program: "/usr/bin/node", words: ["node", "--no-warnings", "/usr/local/bin/pi"] }],
    ["Gemini's package", { program: "/usr/bin/node", words: ["node", "/x/gemini-cli/dist/index.js"] }],
    ["a name that it gave itself", { program: "/usr/bin/node", words: ["claude"] }],
    ["one on Windows", { program: String.raw`C:\bin\claude.exe`, words: [] }],
    ["a mark of a session", { program: "/bin/sh", words: ["sh"], names: ["PATH", "CLAUDECODE"] }],
    ["a mark of a job", { program: "/bin/sh", words: ["sh"], names: ["BATON_SESSION_ID"] }],
  ])("is an agent's: %s", (_name, seen) => {
    expect(whyAgent(seen)).toBeDefined();
  });

  it.each<[string, SeenProcess]>([
    ["a shell", { program: "/bin/bash", words: ["-bash"] }],
    ["an editor on a file about it", { program: "/usr/bin/vim", words: ["vim", "claude"] }],
    [
      "a script in a folder of that name",
      { program: "/usr/bin/node", words: ["node", "/srv/claude/cli.js"] },
    ],
    ["a shell that works on its package", { program: "/bin/sh", words: ["sh", "/x/claude-code/cli.js"] }],
    ["a terminal", { program: "/usr/bin/tmux", words: ["tmux: server"], names: ["PATH"] }],
  ])("is a person's: %s", (_name, seen) => {
    expect(whyAgent(seen)).toBeUndefined();
  });
});
