import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { permissionSettings } from "./settings.ts";

it("reads the files that the program reads in a folder, and none of the user's rules", async () => {
  const top = await realpath(await mkdtemp(join(tmpdir(), "baton-settings-")));
  onTestFinished(() => rm(top, { recursive: true, force: true }));
  const folder = join(top, "sub");
  const write = async (path: string, value: object) => {
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, JSON.stringify(value));
  };
  await mkdir(join(top, ".git"));
  const own = join(top, "home", "settings.json");
  await write(own, { model: "opus", permissions: { allow: ["Bash"], defaultMode: "plan" } });
  await write(join(top, ".claude", "settings.json"), { permissions: { allow: ["Bash(of the top)"] } });
  await write(join(top, ".claude", "settings.local.json"), {
    permissions: { allow: ["Bash(npm *)", "Read(/docs/**)"] },
  });
  await write(join(folder, ".claude", "settings.json"), {
    model: "sonnet",
    permissions: {
      allow: ["Edit(/src/**)", "Read(//etc/**)", 7],
      deny: ["Read(./.env)"],
      ask: ["Bash(git push *)"],
      additionalDirectories: ["../lib"],
    },
    sandbox: { enabled: true },
  });
  expect(await permissionSettings(folder, { own, given: '{"permissions":{"deny":["WebFetch"]}}' })).toEqual({
    allow: [`Edit(/${folder}/src/**)`, "Read(//etc/**)", "Bash(npm *)", `Read(/${top}/docs/**)`],
    deny: ["Read(./.env)", "Bash(git push *)", "WebFetch"],
    folders: [join(top, "lib")],
    mode: "plan",
    model: "sonnet",
    sandboxIn: join(folder, ".claude", "settings.json"),
  });
  await write(join(folder, "more.json"), { permissions: { defaultMode: "acceptEdits" } });
  expect(await permissionSettings(folder, { own: "/none", given: "more.json" })).toMatchObject({
    mode: "acceptEdits",
  });
});
