import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfigOf } from "./load.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-config-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("loading a file", () => {
  it("reads it, with a byte order mark or without", () => {
    const path = join(folder, "baton.yaml");
    writeFileSync(path, "\ufeffagents: [{ name: coder }]\n");
    expect(loadConfigOf({ root: folder, configPath: path })).toMatchObject({
      path,
      root: folder,
      agents: [{ name: "coder" }],
    });
  });

  it("says so when it is missing", () => {
    const path = join(folder, "baton.yaml");
    expect(() => loadConfigOf({ root: folder, configPath: path })).toThrow(
      `${path}  there is no such file\n  check the path, or write a file with: baton init`,
    );
  });

  it("says so when it is a folder", () => {
    expect(() => loadConfigOf({ root: folder, configPath: folder })).toThrow(
      `${folder}  this is a folder, not a file`,
    );
  });

  it("says so when it is not text", () => {
    const path = join(folder, "baton.yaml");
    writeFileSync(path, Buffer.from("agents:\n", "utf16le").fill(0xff, 0, 2));
    expect(() => loadConfigOf({ root: folder, configPath: path })).toThrow(
      `${path}  the file is not UTF-8 text\n  save it as UTF-8`,
    );
  });
});
