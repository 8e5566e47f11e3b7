import { execFile } from "node:child_process";
import { once } from "node:events";
import {
  access,
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { WorkspaceError } from "../workspace.ts";
import { bringAlong } from "./bring-along.ts";

const run = promisify(execFile);

/** A checkout with these files, of which only the tracked ones are in the worktree beside it. */
async function createCheckout(files: { tracked: Record<string, string>; others: Record<string, string> }) {
  const top = await realpath(await mkdtemp(join(tmpdir(), "baton-include-")));
  onTestFinished(() => rm(top, { recursive: true, force: true }));
  const [from, to] = [join(top, "main"), join(top, "tree")];
  const git = async (folder: string, ...args: string[]) =>
    (
      await run("git", ["-c", "user.name=T", "-c", "user.email=t@example.invalid", "-C", folder, ...args])
    ).stdout.trim();
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(from, path)), { recursive: true });
    await writeFile(join(from, path), text);
  };
  await git(top, "init", "-q", "-b", "main", from);
  for (const [path, text] of Object.entries(files.tracked)) await write(path, text);
  await git(from, "add", "-A", "--force");
  await git(from, "commit", "-q", "-m", "Begin", "--allow-empty");
  await git(from, "worktree", "add", "-q", "--detach", to);
  for (const [path, text] of Object.entries(files.others)) await write(path, text);
  const list = async () => (await git(to, "ls-files", "--others")).split("\n").filter(Boolean);
  return { top, from, to, git, write, list };
}

describe("what .worktreeinclude names", () => {
  it("is brought along where git ignores it: files, folders, and files within folders", async () => {
    const { from, to, list } = await createCheckout({
      tracked: {
        ".gitignore": ".env*\nnode_modules/\n/cache/\nsettings/local.json\n",
        ".worktreeinclude": "# secrets\n.env\n.env.*\n!.env.old\nnode_modules/\nsettings/\n",
        "app/file.txt": "tracked",
      },
      others: {
        ".env": "A=1",
        ".env.local": "B=2",
        ".env.old": "not wanted",
        "app/.env": "C=3",
        "node_modules/a/index.js": "a",
        "app/node_modules/b/index.js": "b",
        "cache/big": "ignored, and not named",
        "settings/local.json": "ignored",
        "settings/notes.txt": "named, and not ignored",
      },
    });
    const taken = await bringAlong(from, to, []);
    expect(taken.sort()).toEqual([
      ".env",
      ".env.local",
      "app/.env",
      "app/node_modules",
      "node_modules",
      "settings/local.json",
    ]);
    expect((await list()).sort()).toEqual([
      ".env",
      ".env.local",
      "app/.env",
      "app/node_modules/b/index.js",
      "node_modules/a/index.js",
      "settings/local.json",
    ]);
    expect(await readFile(join(to, "app/.env"), "utf8")).toBe("C=3");
  });

  it("is nothing without the list, or where nothing fits it", async () => {
    const { from, to, write } = await createCheckout({
      tracked: { ".gitignore": ".env\n" },
      others: { ".env": "A" },
    });
    expect(await bringAlong(from, to, [])).toEqual([]);
    await write(".worktreeinclude", "nothing-like-this\n");
    expect(await bringAlong(from, to, [])).toEqual([]);
  });

  it("keeps its mode, and symlinks stay what they are", async () => {
    const { from, to } = await createCheckout({
      tracked: { ".gitignore": "/kit/\n/link\n", ".worktreeinclude": "kit/\nlink\n" },
      others: { "kit/run.sh": "#!/bin/sh", "kit/sealed/key": "secret" },
    });
    await chmod(join(from, "kit/run.sh"), 0o755);
    await chmod(join(from, "kit/sealed/key"), 0o400);
    await chmod(join(from, "kit/sealed"), 0o500);
    await symlink("../elsewhere/$HOME", join(from, "kit/dangling"));
    await symlink("/etc", join(from, "link"));
    expect(await bringAlong(from, to, [])).toEqual(["kit", "link"]);
    expect((await stat(join(to, "kit/run.sh"))).mode & 0o777).toBe(0o755);
    expect((await stat(join(to, "kit/sealed/key"))).mode & 0o777).toBe(0o400);
    expect((await stat(join(to, "kit/sealed"))).mode & 0o777).toBe(0o500);
    expect(await readlink(join(to, "kit/dangling"))).toBe("../elsewhere/$HOME");
    expect(await readlink(join(to, "link"))).toBe("/etc");
    for (const folder of [from, to]) await chmod(join(folder, "kit/sealed"), 0o700);
  });

  it("overwrites nothing that is in the new tree", async () => {
    const { from, to } = await createCheckout({
      tracked: { ".gitignore": "*.env\n", "kept.env": "tracked", ".worktreeinclude": "*.env\nbox/\n" },
      others: { "new.env": "new", "there.env": "from the checkout" },
    });
    await writeFile(join(to, "there.env"), "from the hook");
    await writeFile(join(from, "kept.env"), "changed in the checkout");
    expect(await bringAlong(from, to, [])).toEqual(["new.env"]);
    expect(await readFile(join(to, "there.env"), "utf8")).toBe("from the hook");
    expect(await readFile(join(to, "kept.env"), "utf8")).toBe("tracked");
  });

  it("stays behind where the new tree would not ignore it, and so commit it", async () => {
    const { from, to, write } = await createCheckout({
      tracked: { ".gitignore": "", ".worktreeinclude": ".env\nnode_modules/\n" },
      others: { ".env": "SECRET=1", "node_modules/a": "a" },
    });
    await write(".gitignore", ".env\nnode_modules/\n");
    expect(await bringAlong(from, to, [])).toEqual([]);
    await expect(access(join(to, ".env"))).rejects.toThrow("ENOENT");
  });

  it("is copied by its name, whatever that looks like", async () => {
    const names = [":x.env", ":(top)y.env", "-z.env", "a*.env", " b.env", 'c"\n.env', "✓ ü.env", "[d].env"];
    const { from, to } = await createCheckout({
      tracked: { ".gitignore": "*.env\n", ".worktreeinclude": "*.env\n" },
      others: Object.fromEntries(names.map((name) => [name, name])),
    });
    expect((await bringAlong(from, to, [])).sort()).toEqual(names.sort());
    for (const name of names) expect(await readFile(join(to, name), "utf8")).toBe(name);
  });

  it("is no socket", async () => {
    const { from, to } = await createCheckout({
      tracked: { ".gitignore": "/run/\n", ".worktreeinclude": "run/\n" },
      others: { "run/pid": "1" },
    });
    const server = createServer().listen(join(from, "run/socket"));
    await once(server, "listening");
    onTestFinished(() => void server.close());
    expect(await bringAlong(from, to, [])).toEqual(["run"]);
    expect(await readdir(join(to, "run"))).toEqual(["pid"]);
  });
});

describe("nothing is written outside of the new tree", () => {
  it("when a folder is a symlink there", async () => {
    const { top, from, to, git } = await createCheckout({
      tracked: { ".gitignore": "*.env\ndeep/\n", ".worktreeinclude": "*.env\ndeep/\n" },
      others: { "config/secret.env": "1", "config/sub/other.env": "2", "a/deep/file": "3", "fine.env": "4" },
    });
    await mkdir(join(top, "outside"));
    await symlink("../outside", join(to, "config"));
    await symlink(join(top, "outside"), join(to, "a"));
    await git(to, "add", "-A");
    expect(await bringAlong(from, to, [])).toEqual(["fine.env"]);
    expect(await readdir(join(top, "outside"))).toEqual([]);
  });

  it("when the folder itself is one, or a folder within it", async () => {
    const { top, from, to } = await createCheckout({
      tracked: { ".gitignore": "box\n", ".worktreeinclude": "box\n" },
      others: { "box/in/file": "1", "other/box/in/file": "2" },
    });
    await mkdir(join(top, "outside"));
    await symlink("../outside", join(to, "box"));
    await mkdir(join(to, "other/box"), { recursive: true });
    await symlink("../../../outside", join(to, "other/box/in"));
    expect(await bringAlong(from, to, [])).toEqual([]);
    expect(await readdir(join(top, "outside"))).toEqual([]);
    expect((await lstat(join(to, "box"))).isSymbolicLink()).toBe(true);
  });

  it("by patterns that point out of the checkout", async () => {
    const { top, from, to } = await createCheckout({
      tracked: { ".gitignore": "*.env\n", ".worktreeinclude": "../*.env\n/../secret.env\n*.env\n" },
      others: {},
    });
    await writeFile(join(top, "secret.env"), "1");
    expect(await bringAlong(from, to, [])).toEqual([]);
  });
});

describe("what is never taken", () => {
  it("is the new tree itself, and folders that are to be left out, by whatever path they are known", async () => {
    const { top, from, git, write } = await createCheckout({
      tracked: { ".gitignore": "/.cache/\n/.baton/\n", ".worktreeinclude": ".cache/\n.baton/\n" },
      others: { ".cache/warm": "1", ".baton/baton.db": "2", ".cache/trees/notes": "3" },
    });
    const tree = join(from, ".cache/trees/job-1");
    await git(from, "worktree", "add", "-q", "--detach", tree);
    await write(".cache/trees/other/file", "4");
    await symlink(from, join(top, "link"));
    const leaveOut = [join(top, "link/.cache/trees"), join(from, ".baton"), join(top, "not-there")];
    expect(await bringAlong(from, tree, leaveOut)).toEqual([".cache"]);
    expect(await readdir(join(tree, ".cache"))).toEqual(["warm"]);
    await expect(access(join(tree, ".baton"))).rejects.toThrow("ENOENT");
  });

  it("is another worktree, whose branch a copy would work on", async () => {
    const { from, to, git } = await createCheckout({
      tracked: { ".gitignore": "/.tools/\n", ".worktreeinclude": ".tools/\n" },
      others: { ".tools/settings": "1" },
    });
    await git(from, "worktree", "add", "-q", "--detach", join(from, ".tools/trees/x"));
    await git(from, "init", "-q", ".tools/clone");
    expect(await bringAlong(from, to, [])).toEqual([".tools"]);
    expect((await readdir(join(to, ".tools"))).sort()).toEqual(["clone", "settings", "trees"]);
    expect(await readdir(join(to, ".tools/trees"))).toEqual([]);
  });
});

it("is told by its path when it cannot be read", { skip: process.getuid?.() === 0 }, async () => {
  const { from, to } = await createCheckout({
    tracked: { ".gitignore": ".env\n", ".worktreeinclude": ".env\n" },
    others: { ".env": "1" },
  });
  await chmod(join(from, ".env"), 0);
  const failed = bringAlong(from, to, []);
  await expect(failed).rejects.toThrow(WorkspaceError);
  await expect(failed).rejects.toThrow(/main\/\.env could not be brought along: EACCES/);
});
