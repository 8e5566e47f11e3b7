import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bash } from "./careful.ts";
import { Baton, baton, shown, type TestProject, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { eventually, Tmux } from "./panes.ts";
import { isRunning } from "./processes.ts";
import { onTerminal } from "./terminal.ts";

const waits = {
  name: "waits",
  summary: "Waits for a file, and says what it was told last",
  otherwise({ last, results }: { last: string; results: { text: string }[] }) {
    if (results.some(({ text }) => text.includes("went"))) return { say: `Heard: ${last}` };
    return { call: bash("until [ -e go ]; do sleep 0.02; done; echo went", "Wait") };
  },
};

const project = () => testProject({ scenario: waits, env: { NO_COLOR: "1" } });
const go = ({ folder }: TestProject) => writeFile(join(folder, "go"), "");

/** Starts a job in the background, which ends with the test at the latest. */
async function detached(where: TestProject, ...args: string[]) {
  const { code, stdout, stderr } = await baton(where, [...args, "--detach", "--json"]);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const said: { job: string; pid: number; log: string } = JSON.parse(stdout);
  onTestFinished(() => end(said.pid));
  return said;
}

async function end(pid: number): Promise<void> {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
  await eventually("the end of the background process", async () => !(await isRunning(pid)));
}

describe("--detach", () => {
  it("gives the terminal back while the job runs, and says how to get at it", async () => {
    const where = await project();
    const { code, stdout } = await baton(where, ["run", "--detach", "Go"]);
    expect(code).toBe(0);
    const { id, status } = await shown(where);
    expect(["created", "running"]).toContain(status);
    const short = id.slice("job-2026-11-18-".length);
    expect(stdout).toBe(
      [
        `${id} runs in the background.`,
        `  baton attach ${short}   watch it, and write to its agent`,
        `  baton show ${short}     its state and figures`,
        `  baton cancel ${short}   end it`,
        "",
      ].join("\n"),
    );
    await go(where);
    const attached = await baton(where, ["attach", id]);
    expect(attached).toMatchObject({ code: 0, stderr: "" });
    expect(attached.stdout).toContain("Heard: went");

    const again = await baton(where, ["attach", id]);
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(new RegExp(`^${id} is completed; it ended .* ago\\.`));
    expect(again.stdout).toContain("Heard: went");

    const { log } = JSON.parse((await baton(where, ["show", "--json"])).stdout);
    expect((await baton(where, ["show"])).stdout).toContain(log);
    expect(await readFile(log, "utf8")).toContain("Heard: went");
    await baton(where, ["forget", id, "--yes"]);
    expect(existsSync(log)).toBe(false);
  });

  it("refuses in the foreground what cannot be started, and leaves nothing behind", async () => {
    const where = await testProject({ scenario: waits, trusted: "no", agent: "env: { A: b }" });
    const untrusted = await baton(where, ["run", "--detach", "Go"]);
    expect(untrusted.code).toBe(2);
    expect(untrusted.stderr).toContain("baton trust");
    const unknown = await baton(where, ["run", "--detach", "codr", "Go"]);
    expect(unknown.code).toBe(2);
    const empty = await baton(where, ["run", "--detach", " "]);
    expect(empty).toMatchObject({ code: 2, stderr: "baton: The prompt is empty. Say what to do.\n" });
    expect(existsSync(join(where.folder, ".baton", "baton.db"))).toBe(false);
    expect(existsSync(join(where.env.HOME ?? "", ".local", "state", "baton", "background"))).toBe(false);
  });

  it("loses nothing when the background process is killed, and lets no second one run the job", async () => {
    const where = await project();
    const first = await detached(where, "run", "Go");
    const watching = new Baton(where, ["attach", "--json"]);
    await watching.event(({ type }) => type === "tool:start");
    const refused = await baton(where, ["resume", first.job, "--detach"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`${first.job} is being run by process ${first.pid}`);

    process.kill(first.pid, "SIGKILL");
    expect(await watching.exit).toMatchObject({ code: 1 });
    expect(watching.events.at(-1)).toMatchObject({ type: "job:interrupted" });
    expect((await baton(where, ["logs"])).stdout).toContain(`What its process printed: ${first.log}`);

    const second = await detached(where, "resume", first.job, "--max-cost", "5");
    expect(second).toMatchObject({ job: first.job, log: first.log });
    expect((await shown(where)).status).toBe("running");
    await go(where);
    expect(await baton(where, ["attach", first.job, "--json"])).toMatchObject({ code: 0 });
    expect(await shown(where)).toMatchObject({ status: "completed", chosen: { maxCostUsd: 5 } });
  });

  it("continues from a document in the background", async () => {
    const where = await project();
    await writeFile(join(where.folder, "notes.md"), "# Handoff\n\n## Next steps\n\n- Wait for the file.\n");
    const { job } = await detached(where, "continue", "notes.md");
    await go(where);
    expect(await baton(where, ["attach", job, "--json"])).toMatchObject({ code: 0 });
    expect(await shown(where)).toMatchObject({
      id: job,
      status: "completed",
      continues: expect.stringMatching(/notes\.md$/),
    });
  });

  it("is refused inside a job, whose end would end it too, and leaves nothing behind", async () => {
    const where = await testProject({
      scenario: {
        name: "detaches",
        summary: "Starts a job in the background, and says what it was told",
        otherwise({ results }: { results: { text: string }[] }) {
          if (results.length > 0) return { say: `Heard: ${results.at(-1)?.text}` };
          const again = `'${process.execPath}' '${where.program}' run --detach 'Go too'`;
          return { call: bash(`${again} 2>&1; echo code $?`, "Start another job") };
        },
      },
    });
    const { code, stdout } = await baton(where, ["run", "Go"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/--detach does not work inside a job: .* of job-\S+ starts ends with it/);
    expect(stdout).toContain("code 2");
    expect(JSON.parse((await baton(where, ["jobs", "--json"])).stdout)).toHaveLength(1);
  });

  it("goes on when its terminal is closed, or a signal says that it was", async () => {
    needs("tmux");
    const where = await project();
    const tmux = await Tmux.start(where);
    const line = `'${process.execPath}' '${where.program}' run Go --detach && exec cat`;
    const screen = await tmux.open(where.folder, "sh", "-c", line);
    await screen.shows("runs in the background.");
    const { id } = await shown(where);
    const watching = new Baton(where, ["attach", "--json"]);
    await watching.event(({ type }) => type === "tool:start");
    const pid = Number(/"pid":(\d+)/.exec(await readFile(logIn(where, id), "utf8"))?.[1]);
    onTestFinished(() => end(pid));
    await tmux.run("kill-pane", "-t", screen.id);
    process.kill(pid, "SIGHUP");
    await go(where);
    expect(await watching.exit).toMatchObject({ code: 0 });
    expect((await shown(where)).status).toBe("completed");
  });
});

function logIn({ env }: TestProject, job: string): string {
  return join(env.HOME ?? "", ".local", "state", "baton", "background", `${job}.log`);
}

describe("baton attach", () => {
  it("shows the live line, sends what is typed, and leaves the job alone at Ctrl-C", async () => {
    needs("script");
    const where = await project();
    const { job, pid } = await detached(where, "run", "Go");
    const typed: [string, string][] = [
      ["Bash until", "Paint it red"],
      ["› Paint it red▏", "\r"],
      ["⏎ 1, at its next boundary: Paint it red", "\u0003"],
    ];
    const left = await onTerminal(where, { columns: 90, typed }, ["attach"]);
    expect(left.code).toBe(130);
    expect(left.output).toContain(`Detached: ${job} continues.`);
    expect(left.output).toContain("Ctrl-C detaches, and the job continues.");
    expect(left.output).toContain("Come back with: baton attach");
    expect(await isRunning(pid)).toBe(true);

    const back: [string, string][] = [["Bash until", ""]];
    const ended = onTerminal(where, { columns: 90, typed: back }, ["attach", job]);
    await go(where);
    const { code, output } = await ended;
    expect(code).toBe(0);
    expect(output).toMatch(/Heard: [\s\S]*Paint it red/);
    expect(output).toContain("completed");
  });

  it("shows a job that another terminal runs, to its end", async () => {
    const where = await project();
    const running = new Baton(where, ["run", "Go", "--json"]);
    await running.event(({ type }) => type === "tool:start");
    const watching = new Baton(where, ["attach", "--json"]);
    await watching.event(({ type }) => type === "tool:start");
    await go(where);
    expect(await running.exit).toMatchObject({ code: 0 });
    expect(await watching.exit).toMatchObject({ code: 0 });
    expect(watching.events.at(-1)).toMatchObject({ type: "job:completed" });
  });

  it("says why a queued one waits, and that it stays in the queue when one leaves it", async () => {
    const where = await project();
    const { stdout } = await baton(where, ["run", "--queue", "Later", "--json"]);
    const { job } = JSON.parse(stdout);
    const watching = new Baton(where, ["attach", job]);
    await eventually("it is shown", async () => watching.stdout.includes("Attached to"));
    watching.child.kill("SIGINT");
    expect(await watching.exit).toMatchObject({ code: 130 });
    expect(watching.stdout).toContain("waits at place 1: the fleet is not running");
    expect(watching.stdout).toContain(`Detached: ${job} stays in the queue.`);
  });

  it("asks which one is meant where several run, and says so where none does", async () => {
    const where = await project();
    const none = await baton(where, ["attach"]);
    expect(none.code).toBe(2);
    const one = await detached(where, "run", "Go");
    const other = await detached(where, "run", "Go too");
    const several = await baton(where, ["attach"]);
    expect(several.code).toBe(2);
    expect(several.stderr).toContain("Several jobs are running. Name one:");
    for (const { job } of [one, other]) expect(several.stderr).toContain(`  baton attach ${job}`);
    expect((await baton(where, ["cancel", one.job])).code).toBe(0);
    expect(await baton(where, ["attach", one.job])).toMatchObject({ code: 130 });
  });
});
