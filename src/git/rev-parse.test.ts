import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { git } from "./git.ts";
import { revParse } from "./rev-parse.ts";

async function repository(name: string): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "baton-rev-parse-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, name);
  await mkdir(folder);
  await git(folder, ["init", "-q", "-b", "main"]);
  return folder;
}

it("answers several questions at once, also where a path has line ends", async () => {
  const folder = await repository("two\nlines\n");
  const { run, answers } = await revParse(folder, [["--show-toplevel"], ["--is-bare-repository"]]);
  expect(run.ok).toBe(true);
  expect(answers).toEqual([folder, "false"]);
});

it("gives the answers before the first that git has none for", async () => {
  const folder = await repository("new");
  const { run, answers } = await revParse(folder, [["--is-inside-work-tree"], ["HEAD"], ["--show-toplevel"]]);
  expect(run).toMatchObject({ ok: false, said: expect.stringContaining("HEAD") });
  expect(answers).toEqual(["true"]);
});

it("gives none outside of a repository", async () => {
  const folder = await mkdtemp(join(tmpdir(), "baton-rev-parse-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  expect((await revParse(folder, [["--show-toplevel"], ["HEAD"]])).answers).toEqual([]);
});
