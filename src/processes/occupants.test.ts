import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/job-worktree.ts";
import { occupantsOf } from "./occupants.ts";

async function shellIn(cwd: string) {
  const shell = spawn("sh", ["-c", "echo there; read _ secret"], { cwd });
  onTestFinished(() => void shell.kill("SIGKILL"));
  await once(shell.stdout, "data");
  return shell;
}

it("names who works in a folder or below it, and nobody else", async () => {
  const top = await temporaryFolder();
  for (const name of ["in/deep", "in-other"]) await mkdir(join(top, name), { recursive: true });
  const [here, below] = [await shellIn(join(top, "in")), await shellIn(join(top, "in/deep"))];
  await shellIn(join(top, "in-other"));
  await shellIn(top);
  const expected = [here, below].map(({ pid }) => ({ pid, command: "sh" }));
  const found = await occupantsOf(join(top, "in"));
  expect(found).toHaveLength(2);
  expect(found).toEqual(expect.arrayContaining(expected));
  await symlink(join(top, "in"), join(top, "link"));
  expect(await occupantsOf(join(top, "link"))).toHaveLength(2);
});

it("forgets who has ended, and leaves out this process", async () => {
  const folder = await temporaryFolder();
  const shell = await shellIn(folder);
  shell.kill("SIGKILL");
  await once(shell, "exit");
  expect(await occupantsOf(folder)).toEqual([]);
  expect((await occupantsOf(process.cwd())).map(({ pid }) => pid)).not.toContain(process.pid);
  expect(await occupantsOf(join(folder, "not", "there"))).toEqual([]);
});
