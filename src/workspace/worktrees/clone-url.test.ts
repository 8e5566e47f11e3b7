import { homedir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { WorkspaceError } from "../workspace.ts";
import { cloneUrl } from "./clone-url.ts";

it.each([
  "https://github.com/you/project.git",
  "http://127.0.0.1:8080/x.git",
  "ssh://git@host:22/you/project",
  "git://host/project",
  "file:///srv/project.git",
  "git@github.com:you/project.git",
  "host:project",
  "/srv/my project.git",
])("clones %s as it is written", async (written) => {
  expect(await cloneUrl(written, false)).toBe(written);
});

it("takes owner/name for a repository on GitHub", async () => {
  expect(await cloneUrl("you/my.project_1", false)).toBe("https://github.com/you/my.project_1.git");
  expect(await cloneUrl("you/project.git", true)).toBe("https://github.com/you/project.git");
});

it("finds ~ in the home folder", async () => {
  expect(await cloneUrl("~/project", false)).toBe(join(homedir(), "project"));
});

it("makes a URL of a path, for git takes all of a plain path's history", async () => {
  expect(await cloneUrl("/srv/100% mine", true)).toBe("file:///srv/100%25%20mine");
});

it.each(["./project", "../project", "project", "a/b/c", "you/..", "src/workspace", "~other/x", ""])(
  "does not guess what %j is relative to",
  async (written) => {
    await expect(cloneUrl(written, false)).rejects.toThrow(/is a relative path/);
  },
);

it.each([
  "--upload-pack=touch x",
  "-u",
  "ext::sh -c touch% x",
  "fd::3",
  "ext://sh",
  "ftp://host/x",
  "EXT::sh -c id",
])("runs nothing for %s", async (written) => {
  await expect(cloneUrl(written, false)).rejects.toThrow(WorkspaceError);
});

it("shows no password of what it refuses", async () => {
  await expect(cloneUrl("ftp://me:hunter2@host/x", false)).rejects.toThrow(/: ftp:\/\/\*\*\*@host\/x\n/);
});
