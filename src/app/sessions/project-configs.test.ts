import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { ProjectConfigs } from "./project-configs.ts";

it("says once for each file what is wrong with it, and again only once it was in order in between", async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), "baton-configs-")));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  vi.stubEnv("XDG_CONFIG_HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const [one, two, users] = [join(home, "one"), join(home, "two"), join(home, "baton", "config.yaml")];
  for (const folder of [one, two, join(home, "baton")]) await mkdir(folder);
  const heard: string[] = [];
  const configs = new ProjectConfigs((project, what) =>
    heard.push(`${project.slice(home.length + 1)}: ${what}`),
  );
  const look = async () => {
    for (const project of [one, two, one]) expect((await configs.inUse(project)).agents).toHaveLength(1);
    return heard.splice(0).map((line) => line.replace(/(?:\.\.\/|\/)\S*\/(?=config\.yaml)/, ""));
  };
  expect(await look()).toEqual([]);
  await writeFile(join(one, "baton.yaml"), "agents: 7\nlimit: 1\n");
  expect(await look()).toEqual([
    expect.stringMatching(
      /^one: the defaults apply, .*baton\.yaml:1:1 agents must be a list.*, and 1 more\./,
    ),
  ]);
  expect(await configs.readable(one)).toBeUndefined();
  expect(await look()).toEqual([]);
  await rm(join(one, "baton.yaml"));
  expect(await look()).toEqual(["one: its configuration can be read again"]);
  await writeFile(users, "agents: [\n");
  expect(await look()).toEqual([expect.stringContaining("config.yaml:1:9 ")]);
});
