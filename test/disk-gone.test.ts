import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Baton, baton, git, shown, testProject } from "./harness.ts";
import { obedient, told } from "./obedient.ts";
import { agentProcesses } from "./processes.ts";
import { worktreeProject } from "./worktree.ts";

const PAUSED = 3;
const run = (command: string) => ["run", "coder", told(command), "--json"];

describe("a folder that goes away while a job works in it", () => {
  it("pauses the job, which continues when the folder is back", async () => {
    const project = await testProject({ scenario: obedient(), agent: "working_directory: ./part" });
    const part = join(project.folder, "part");
    await mkdir(part);
    const running = new Baton(project, run('echo 1 > one; mv "$PWD" "$PWD-away"'));
    expect(await running.exit).toMatchObject({ code: PAUSED });
    const job = await shown(project);
    expect(job).toMatchObject({ status: "paused", error: expect.stringContaining(`${part} is gone`) });
    expect(await agentProcesses(running)).toEqual([]);
    expect(existsSync(part)).toBe(false);

    const early = await baton(project, ["resume", job.id, "--json"]);
    expect(early).toMatchObject({ code: 2, stdout: expect.stringContaining(part) });
    expect((await shown(project)).status).toBe("paused");
    expect(existsSync(part)).toBe(false);

    await rename(`${part}-away`, part);
    expect((await baton(project, ["resume", job.id, "--json"])).code).toBe(0);
    expect((await shown(project)).status).toBe("completed");
  });

  it("pauses the job where another folder has taken its place", async () => {
    const project = await testProject({ scenario: obedient(), agent: "working_directory: ./part" });
    const part = join(project.folder, "part");
    await mkdir(part);
    const running = new Baton(project, run('mv "$PWD" "$PWD-away"; mkdir "$PWD"'));
    expect(await running.exit).toMatchObject({ code: PAUSED });
    expect((await shown(project)).error).toContain("another folder is in its place");
  });

  it("is made again from its checkpoint where it was a worktree", async () => {
    const project = await worktreeProject({ scenario: obedient() });
    const running = new Baton(project, run('echo 1 > one; git add one; git commit -qm One; rm -rf "$PWD"'));
    expect(await running.exit).toMatchObject({ code: PAUSED });
    const job = await shown(project);
    expect(job.error).toContain(`${job.workspace.path} is gone`);
    expect(job.error).not.toMatch(/libc|ENOENT/);
    const again = await baton(project, ["resume", job.id, "--json"]);
    expect(again.code, again.stdout).toBe(0);
    expect(await git(project.remote, "show", `${job.workspace.branch}:one`)).toBe("1");
  });
});

describe("a store that goes away while a job is recorded in it", () => {
  it.each([
    ["deleted", "rm -rf .baton"],
    ["put in the place of another", "mv .baton .away; mkdir .baton; cp .away/baton.db .baton/"],
  ])("stops the job where it was %s, with what to do", async (_, command) => {
    const project = await testProject({ scenario: obedient() });
    const running = new Baton(project, run(`echo 1 > one; ${command}`));
    expect(await running.exit).toMatchObject({ code: 1 });
    expect(running.stderr + running.stdout).toMatch(/baton\.db is gone/);
    expect(running.stderr + running.stdout).toMatch(/refs\/baton\/job-[^/]+\/1/);
    expect(await agentProcesses(running)).toEqual([]);
    const refs = await git(project.folder, "for-each-ref", "--format=%(refname)", "refs/baton");
    expect(await git(project.folder, "show", `${refs.split("\n").at(-1)}:one`)).toBe("1");
  });
});
