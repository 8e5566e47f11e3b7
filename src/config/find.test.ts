import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findConfig, userConfigPath } from "./find.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "baton-home-"));
  mkdirSync(join(home, "work/repository/.git"), { recursive: true });
  mkdirSync(join(home, "work/repository/src/deep"), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true }));

function write(path: string): string {
  writeFileSync(join(home, path), "");
  return join(home, path);
}

describe("finding the configuration", () => {
  it("takes the nearest file on the way up to the root of the repository", () => {
    const start = join(home, "work/repository/src/deep");
    const atRoot = write("work/repository/baton.yaml");
    expect(findConfig(start, home)).toBe(atRoot);
    const nearer = write("work/repository/src/baton.yml");
    expect(findConfig(start, home)).toBe(nearer);
  });

  it("does not look outside of the repository", () => {
    write("work/baton.yaml");
    expect(findConfig(join(home, "work/repository/src"), home)).toBeUndefined();
  });

  it("outside of a repository looks up to the home folder and no further", () => {
    const inHome = write("baton.yaml");
    expect(findConfig(join(home, "work"), home)).toBe(inHome);
    expect(findConfig(join(home, "work"), join(home, "work"))).toBeUndefined();
  });

  it("outside of the home folder looks in the folder itself only", () => {
    write("baton.yaml");
    expect(findConfig(join(home, "work"), "/home/someone")).toBeUndefined();
    const own = write("work/baton.yaml");
    expect(findConfig(join(home, "work"), "/home/someone")).toBe(own);
  });

  it("prefers baton.yaml to baton.yml", () => {
    write("baton.yml");
    const preferred = write("baton.yaml");
    expect(findConfig(home, home)).toBe(preferred);
  });
});

describe("the file for all projects", () => {
  it("is in the home folder, or where the environment says", () => {
    expect(userConfigPath({}, "/home/someone")).toBe("/home/someone/.config/baton/config.yaml");
    expect(userConfigPath({ XDG_CONFIG_HOME: "/etc/mine" }, "/home/someone")).toBe(
      "/etc/mine/baton/config.yaml",
    );
    const relative = userConfigPath({ XDG_CONFIG_HOME: "mine" }, "/home/someone");
    expect(relative).toBe("/home/someone/.config/baton/config.yaml");
  });
});
