/** @module-tag slow */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parts } from "../../../test/harness.ts";
import {
  addJobWorktree,
  commit,
  createJobWorktree,
  createRepository,
  git,
  gone,
  isThere,
  type JobWorktree,
  leftOf,
  noSteps,
  refIn,
  trashOf,
  whole,
  write,
} from "../../../test/job-worktree.ts";
import { listCheckpoints } from "../checkpoint.ts";
import { finishRemoval, removeWorktree } from "./remove.ts";

const signal = new AbortController().signal;

/** Killed once the intent was on record: with a commit that is on the remote, and a file that is nowhere else. */
async function createCutOff() {
  const worktree = await createJobWorktree();
  const head = await commit(worktree.path, { "done.txt": "done\n" });
  await git(worktree.path, "push", "-q", "origin", `HEAD:refs/heads/${worktree.branch}`);
  await write(worktree.path, { "new.txt": "new\n" });
  let plan = { trash: "" };
  const removing = async (made: { trash: string }) => {
    plan = made;
    throw new Error("killed");
  };
  await expect(removeWorktree(worktree, { ...noSteps, removing }, { signal })).rejects.toThrow("killed");
  expect(plan).toEqual({ trash: expect.any(String), deleteBranch: head });
  return { worktree, head, trash: plan.trash };
}

async function moveToTrash({ path }: JobWorktree, trash: string): Promise<void> {
  await mkdir(join(trash, ".."), { recursive: true });
  await rename(path, trash);
}

const deregister = ({ repo, path }: JobWorktree) => git(repo, "worktree", "remove", "-f", "-f", path);

describe("a removal that was killed is finished", () => {
  const states: [string, (worktree: JobWorktree, trash: string) => Promise<unknown>][] = [
    ["before the folder was moved", async () => {}],
    ["when the folder was in the trash", moveToTrash],
    [
      "when somebody has emptied the trash since",
      async (worktree, trash) => {
        await moveToTrash(worktree, trash);
        await rm(trash, { recursive: true });
      },
    ],
    [
      "when git had forgotten the worktree",
      async (worktree, trash) => {
        await moveToTrash(worktree, trash);
        await deregister(worktree);
      },
    ],
    [
      "when only the branch was left",
      async (worktree, trash) => {
        await moveToTrash(worktree, trash);
        await deregister(worktree);
        await rm(trash, { recursive: true });
      },
    ],
    [
      "when nothing was left",
      async (worktree) => {
        await deregister(worktree);
        await git(worktree.repo, "update-ref", "-d", `refs/heads/${worktree.branch}`);
      },
    ],
    [
      "when the branch had gone before git forgot the worktree",
      async (worktree, trash) => {
        await moveToTrash(worktree, trash);
        await git(worktree.repo, "update-ref", "-d", `refs/heads/${worktree.branch}`);
      },
    ],
  ];
  it.each(states)("%s", async (_, prepare) => {
    const { worktree, head, trash } = await createCutOff();
    await prepare(worktree, trash);
    const what = { ...worktree, trash, deleteBranch: head };
    expect(await finishRemoval(what, noSteps, { signal })).toEqual({ removed: true, branchKept: false });
    expect(await leftOf(worktree)).toEqual(gone);
    const kept = (await listCheckpoints(worktree.repo, worktree.job)).at(-1);
    expect(await git(worktree.repo, "show", `${kept?.commit}:new.txt`)).toBe("new");
    await expect.poll(() => trashOf(worktree)).toEqual([]);
    expect(await finishRemoval(what, noSteps, { signal })).toEqual({ removed: true, branchKept: false });
  });

  it("and what was written in the folder since is kept too", async () => {
    const { worktree, head, trash } = await createCutOff();
    await write(worktree.path, { "since.txt": "since\n" });
    const what = { ...worktree, trash, deleteBranch: head };
    expect(await finishRemoval(what, noSteps, { signal })).toEqual({ removed: true, branchKept: false });
    const kept = (await listCheckpoints(worktree.repo, worktree.job)).at(-1);
    expect(await git(worktree.repo, "show", `${kept?.commit}:since.txt`)).toBe("since");
  });

  it("and leaves the folder where it is no longer safe to remove it", async () => {
    const { worktree, head, trash } = await createCutOff();
    await git(worktree.path, "init", "-q", "own");
    await write(join(worktree.path, "own"), { "work.txt": "work" });
    const result = await finishRemoval({ ...worktree, trash, deleteBranch: head }, noSteps, { signal });
    expect(result).toMatchObject({ removed: false, reason: expect.stringContaining("own has files") });
    expect(await leftOf(worktree)).toEqual(whole);
  });

  it("and leaves a branch that has moved since", async () => {
    const { worktree, head, trash } = await createCutOff();
    await moveToTrash(worktree, trash);
    await deregister(worktree);
    const { repo, branch, base } = worktree;
    await git(repo, "update-ref", `refs/heads/${branch}`, base);
    const result = await finishRemoval({ ...worktree, trash, deleteBranch: head }, noSteps, { signal });
    expect(result).toMatchObject({
      removed: true,
      branchKept: true,
      reason: expect.stringContaining("has moved"),
    });
    expect(await refIn(repo, branch)).toBe(base);
  });

  it.each([
    ["in its place", async () => {}],
    ["in the trash", moveToTrash],
  ])("and leaves a branch that was not to be deleted, with the folder %s", async (_, prepare) => {
    const { worktree, head, trash } = await createCutOff();
    await prepare(worktree, trash);
    const result = await finishRemoval({ ...worktree, trash, deleteBranch: null }, noSteps, { signal });
    expect(result).toMatchObject({
      removed: true,
      branchKept: true,
      reason: expect.stringContaining("stays"),
    });
    expect(await refIn(worktree.repo, worktree.branch)).toBe(head);
  });

  it("and leaves a branch that another job has continued", async () => {
    const { worktree, head, trash } = await createCutOff();
    await moveToTrash(worktree, trash);
    await deregister(worktree);
    const { repo, branch, top } = worktree;
    await git(repo, "worktree", "add", "-q", join(top, "worktrees", "next"), branch);
    const result = await finishRemoval({ ...worktree, trash, deleteBranch: head }, noSteps, { signal });
    expect(result).toMatchObject({ branchKept: true, reason: expect.stringContaining("is checked out in") });
    expect(await refIn(repo, branch)).toBe(head);
  });

  it("and leaves a worktree that is somebody else's by now", async () => {
    const { worktree, head, trash } = await createCutOff();
    await moveToTrash(worktree, trash);
    await deregister(worktree);
    await git(worktree.repo, "worktree", "add", "-q", "-b", "mine", worktree.path);
    const result = await finishRemoval({ ...worktree, trash, deleteBranch: head }, noSteps, { signal });
    expect(result).toMatchObject({ removed: false, reason: expect.stringContaining("it has no lock") });
    expect(await leftOf(worktree)).toEqual(whole);
  });
});

/** Removes a worktree in a process of its own, which is killed when it calls git for the n-th time. */
async function removeKilled(
  worktree: JobWorktree,
  moment: { call: number; when: "before" | "after" } | undefined,
): Promise<{ calls: string[]; plan: { trash: string; deleteBranch?: string } | undefined }> {
  const home = join(worktree.top, "shim");
  await mkdir(join(home, "calls"), { recursive: true });
  const real = join(await git(worktree.top, "--exec-path"), "git");
  // Calls may be made at the same time: only one can take a number, and it has its words then.
  const shim = `#!/bin/sh
printf '%s' "$*" > '${home}/words.'$$
n=1
until ln '${home}/words.'$$ '${home}/calls/'$n 2>/dev/null; do n=$((n + 1)); done
[ $n = ${moment?.call ?? 0} ] || exec '${real}' "$@"
[ ${moment?.when} = after ] && '${real}' "$@"
kill -KILL $PPID
`;
  await writeFile(join(home, "git"), shim, { mode: 0o755 });
  const planFile = join(worktree.top, "plan.json");
  const script = `
    const { writeFileSync } = await import("node:fs");
    const { removeWorktree } = await import(${JSON.stringify(parts)});
    await removeWorktree(${JSON.stringify(worktree)}, {
      removing: async (plan) => writeFileSync(${JSON.stringify(planFile)}, JSON.stringify(plan)),
      endProcesses: async () => {},
      leaveIgnored: async () => ["app.log"],
      checkpointed: () => {},
    }, { signal: new AbortController().signal });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { ...process.env, PATH: `${home}${delimiter}${process.env.PATH}` },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await once(child, "exit");
  const numbers = (await readdir(join(home, "calls"))).map(Number).sort((a, b) => a - b);
  const read = numbers.map((number) => readFile(join(home, "calls", String(number)), "utf8"));
  const calls = await Promise.all(read);
  const plan = (await isThere(planFile)) ? JSON.parse(await readFile(planFile, "utf8")) : undefined;
  return { calls, plan };
}

it("a kill at any call of git loses nothing, and the next run comes to the end", async () => {
  const job = "job-2026-01-01-abc123";
  const createDirty = async () => {
    const worktree = await addJobWorktree(await createRepository(), job);
    await write(worktree.repo, { ".git/info/exclude": "*.log\n" });
    await write(worktree.path, { "new.txt": "new\n", "app.log": "started\n" });
    return worktree;
  };
  const steps = { ...noSteps, leaveIgnored: async () => ["app.log"] };
  const { calls } = await removeKilled(await createDirty(), undefined);
  // Until then there is nothing that a kill could cut off.
  const first = calls.findIndex((call) => call.includes("update-ref"));
  expect(first).toBeGreaterThan(0);
  const moments = calls.flatMap((_, index) => {
    const call = index + 1;
    const both = [
      { call, when: "before" as const },
      { call, when: "after" as const },
    ];
    return index < first ? [] : both;
  });
  for (const moment of moments) {
    const at = `${moment.when} ${calls[moment.call - 1]}`;
    const worktree = await createDirty();
    const { plan } = await removeKilled(worktree, moment);
    const result = plan
      ? await finishRemoval({ ...worktree, ...plan, deleteBranch: plan.deleteBranch ?? null }, steps, {
          signal,
        })
      : await removeWorktree(worktree, steps, { signal });
    expect(result, at).toEqual({ removed: true, branchKept: false });
    expect(await leftOf(worktree), at).toEqual(gone);
    const kept = (await listCheckpoints(worktree.repo, job)).at(-1);
    expect(await git(worktree.repo, "show", `${kept?.commit}:new.txt`), at).toBe("new");
    expect(await git(worktree.repo, "show", `${kept?.commit}:app.log`), at).toBe("started");
  }
});
