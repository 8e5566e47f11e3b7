import { mkdtemp, readdir, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { takeLaunch, writeLaunch } from "./launch.ts";

it("passes it on by a file that only the user can read, and that is gone once it was read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "baton-launch-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const launch = { program: "/bin/true", args: ["a"], cwd: "/", env: { SECRET: "hush" } };
  const path = await writeLaunch(folder, launch);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await takeLaunch(path)).toEqual(launch);
  expect(await readdir(folder)).toEqual([]);

  const unread = await writeLaunch(folder, launch);
  const yesterday = new Date(Date.now() - 24 * 60 * 60_000);
  await utimes(unread, yesterday, yesterday);
  const path2 = await writeLaunch(folder, launch);
  expect(await readdir(folder)).toEqual([basename(path2)]);
});
