import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  access,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { git } from "../../../test/job-worktree.ts";
import { WorkspaceError } from "../workspace.ts";
import { baseOf, fetchRemote, openRepository } from "./repository.ts";

const signal = new AbortController().signal;

let top: string;

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "baton-repository-")));
  await mkdir(join(top, "tmp"));
  vi.stubEnv("TMPDIR", join(top, "tmp"));
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(top, { recursive: true, force: true, maxRetries: 5 });
  });
});

const open = (workingDirectory: string, repository = {}) =>
  openRepository({ workingDirectory, repository }, signal);

async function createCheckout(name: string, branch = "main") {
  const folder = join(top, name);
  await git(top, "init", "-q", "-b", branch, folder);
  return { folder, commit: await commitIn(folder) };
}

async function commitIn(folder: string) {
  await git(folder, "commit", "-q", "--allow-empty", "-m", "Work");
  return git(folder, "rev-parse", "HEAD");
}

/** A bare repository with three commits on `main`. */
async function createRemote(name = "remote.git") {
  const { folder } = await createCheckout(`${name}-source`);
  await writeFile(join(folder, "file.txt"), "text");
  await git(folder, "add", "-A");
  await commitIn(folder);
  await commitIn(folder);
  const path = join(top, name);
  await git(top, "clone", "-q", "--bare", folder, path);
  await git(folder, "remote", "add", "origin", path);
  return { path, source: folder };
}

const leftovers = async () => (await readdir(top)).filter((name) => name.includes("-cloning-"));

describe("opening a repository", () => {
  it("finds the top of the checkout from a folder inside it, through symlinks too", async () => {
    const { folder } = await createCheckout("project");
    await mkdir(join(folder, "deep/er"), { recursive: true });
    await symlink(folder, join(top, "link"));
    const expected = { root: folder, commonDir: join(folder, ".git") };
    expect(await open(join(folder, "deep/er"))).toEqual(expected);
    expect(await open(join(top, "link"))).toEqual(expected);
  });

  it("opens a bare repository, and a worktree of one", async () => {
    const { path } = await createRemote();
    await git(path, "remote", "remove", "origin");
    expect(await open(path)).toEqual({ root: path, commonDir: path });
    await git(path, "worktree", "add", "-q", join(top, "tree"), "main");
    expect(await open(join(top, "tree"))).toEqual({ root: join(top, "tree"), commonDir: path });
  });

  it("knows the remote: origin, or the only one", async () => {
    const { folder } = await createCheckout("project");
    await git(folder, "remote", "add", "upstream", "/nowhere");
    expect((await open(folder)).remote).toBe("upstream");
    await git(folder, "remote", "add", "fork", "/nowhere");
    expect((await open(folder)).remote).toBeUndefined();
    await git(folder, "remote", "add", "origin", "/nowhere");
    expect((await open(folder)).remote).toBe("origin");
  });

  it("says what to do where there is no folder, no repository or no commit", async () => {
    await expect(open(join(top, "nowhere"))).rejects.toThrow(/does not exist: .*nowhere\n.*auto_clone: true/);
    await expect(open(top)).rejects.toThrow(/not in a git checkout.*\n.*git init.*strategy: static/);
    await writeFile(join(top, "file"), "");
    await expect(open(join(top, "file"))).rejects.toThrow(WorkspaceError);
    await git(top, "init", "-q", "empty");
    await expect(open(join(top, "empty"))).rejects.toThrow(/no commit in .*empty/);
    await expect(open(join(top, "empty/.git"))).rejects.toThrow(/not in a git checkout/);
  });

  it("accepts commits that are on other branches than the one checked out", async () => {
    const { folder } = await createCheckout("project");
    await git(folder, "checkout", "-q", "--orphan", "fresh");
    expect(await open(folder)).toMatchObject({ root: folder });
  });
});

describe("cloning", () => {
  it("makes the checkout where there is none, with parents, also in an empty folder", async () => {
    const { path } = await createRemote();
    const folder = join(top, "a/b/project");
    expect(await open(folder, { cloneFrom: path })).toEqual({
      root: folder,
      commonDir: join(folder, ".git"),
      remote: "origin",
    });
    expect(await readFile(join(folder, "file.txt"), "utf8")).toBe("text");
    await mkdir(join(top, "empty"));
    expect(await open(join(top, "empty"), { cloneFrom: `file://${path}` })).toMatchObject({
      remote: "origin",
    });
    expect((await stat(folder)).mode).toBe((await stat(join(folder, ".git"))).mode);
    expect(await leftovers()).toEqual([]);
  });

  it("takes the depth and the branch that were asked for, of a path with a space and a per cent sign too", async () => {
    const { path, source } = await createRemote("100% my remote.git");
    await git(source, "checkout", "-q", "-b", "develop");
    await commitIn(source);
    await git(source, "push", "-q", "origin", "develop");
    const folder = join(top, "project");
    await open(folder, { cloneFrom: path, cloneDepth: 1, defaultBranch: "develop" });
    expect(await git(folder, "rev-list", "--count", "HEAD")).toBe("1");
    expect(await git(folder, "branch", "--show-current")).toBe("develop");
  });

  it("leaves a repository that is there as it is", async () => {
    const { folder } = await createCheckout("project");
    expect(await open(folder, { cloneFrom: "/nowhere" })).toEqual({
      root: folder,
      commonDir: join(folder, ".git"),
    });
  });

  it("takes no repository around the folder for the one that was to be cloned", async () => {
    const { folder } = await createCheckout("project");
    await mkdir(join(folder, "vendor/other"), { recursive: true });
    await writeFile(join(folder, "vendor/other/file"), "");
    await expect(open(join(folder, "vendor/other"), { cloneFrom: "/nowhere" })).rejects.toThrow(
      /nothing was cloned into it.*belongs to .*project\./,
    );
  });

  it("puts nothing into a folder that holds something else", async () => {
    await mkdir(join(top, "project"));
    await writeFile(join(top, "project/notes"), "mine");
    await expect(open(join(top, "project"), { cloneFrom: "/nowhere" })).rejects.toThrow(
      /not empty, so nothing/,
    );
  });

  it("says what git said when it fails, without the password, and leaves nothing", async () => {
    const server = createHttpServer((_, response) => response.writeHead(403).end()).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const failed = open(join(top, "project"), { cloneFrom: `http://me:hunter2@127.0.0.1:${port}/x.git` });
    await expect(failed).rejects.toThrow(
      /http:\/\/\*\*\*@127\.0\.0\.1:\d+\/x\.git could not be cloned: .*403/,
    );
    await expect(failed).rejects.not.toThrow("hunter2");
    const { path } = await createRemote();
    await expect(open(join(top, "project"), { cloneFrom: path, defaultBranch: "--nope" })).rejects.toThrow(
      /could not be cloned: .*--nope/,
    );
    await expect(access(join(top, "project"))).rejects.toThrow("ENOENT");
    expect(await leftovers()).toEqual([]);
  });

  it("is done once for all who want it at the same time", async () => {
    const { path } = await createRemote();
    const folder = join(top, "project");
    const opened = await Promise.all(Array.from({ length: 5 }, () => open(folder, { cloneFrom: path })));
    expect(new Set(opened.map(({ root }) => root))).toEqual(new Set([folder]));
    expect(await leftovers()).toEqual([]);
  });
});

/** A process that opens the folder, in a temporary folder of its own: it shares no lock with others. */
async function startProcess(folder: string, cloneFrom: string) {
  const own = await mkdtemp(join(tmpdir(), "baton-repository-"));
  const script = `const { openRepository } = await import(${JSON.stringify(join(import.meta.dirname, "repository.ts"))});
    const config = { workingDirectory: ${JSON.stringify(folder)}, repository: { cloneFrom: ${JSON.stringify(cloneFrom)} } };
    console.log(JSON.stringify(await openRepository(config, new AbortController().signal)));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TMPDIR: own },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

describe("cloning in processes", () => {
  it("lets the slower one use what the quicker one made", async () => {
    const { path } = await createRemote();
    await git(path, "update-server-info");
    // Nobody gets an answer before both have asked: both are in the middle of cloning.
    const both = Promise.withResolvers<void>();
    let asked = 0;
    const server = createHttpServer(async (request, response) => {
      const { pathname } = new URL(request.url ?? "", "http://x");
      if (pathname === "/info/refs" && ++asked === 2) both.resolve();
      await both.promise;
      const file = await readFile(join(path, pathname)).catch(() => undefined);
      response.writeHead(file ? 200 : 404).end(file);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const folder = join(top, "project");
    const children = await Promise.all([startProcess(folder, url), startProcess(folder, url)]);
    const ends = await Promise.all(children.map((child) => once(child, "exit")));
    expect(ends).toEqual([
      [0, null],
      [0, null],
    ]);
    expect(await open(folder)).toMatchObject({ root: folder, remote: "origin" });
    expect(await leftovers()).toEqual([]);
  });

  it("leaves no half clone under the real name when it is killed, and nothing in the way of the next", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const folder = join(top, "project");
    const url = `git://127.0.0.1:${(silent.address() as AddressInfo).port}/x`;
    const [child, [socket]] = await Promise.all([startProcess(folder, url), once(silent, "connection")]);
    onTestFinished(() => socket.destroy());
    child.kill("SIGKILL");
    await once(child, "exit");
    await expect(access(folder)).rejects.toThrow("ENOENT");
    expect(await leftovers()).toHaveLength(1);
    const { path } = await createRemote();
    expect(await open(folder, { cloneFrom: path })).toMatchObject({ root: folder });
  });

  it("stops when the job is stopped", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const controller = new AbortController();
    const cloneFrom = `git://127.0.0.1:${(silent.address() as AddressInfo).port}/x`;
    const config = { workingDirectory: join(top, "project"), repository: { cloneFrom } };
    const opening = openRepository(config, controller.signal);
    const [[socket]] = await Promise.all([once(silent, "connection")]);
    const closed = once(socket.resume(), "close");
    controller.abort(new Error("enough"));
    await expect(opening).rejects.toThrow("enough");
    await closed;
    await expect(access(join(top, "project"))).rejects.toThrow("ENOENT");
  });
});

describe("fetching", () => {
  it("brings what is new, and leaves FETCH_HEAD to the user", async () => {
    const { path, source } = await createRemote();
    const repo = await open(join(top, "project"), { cloneFrom: path });
    const commit = await commitIn(source);
    await git(source, "push", "-q", "origin", "main");
    expect(await fetchRemote(repo, signal)).toBeUndefined();
    expect(await baseOf(repo)).toEqual({ branch: "main", commit });
    await expect(access(join(repo.commonDir, "FETCH_HEAD"))).rejects.toThrow("ENOENT");
  });

  it("is no trouble without a remote, and one sentence where the remote is gone", async () => {
    const { path } = await createRemote();
    const repo = await open(join(top, "project"), { cloneFrom: path });
    expect(await fetchRemote({ root: repo.root, commonDir: repo.commonDir }, signal)).toBeUndefined();
    await rm(path, { recursive: true });
    expect(await fetchRemote(repo, signal)).toMatch(
      /^origin could not be fetched, so the job continues from what is here: /,
    );
    expect(await baseOf(repo)).toMatchObject({ branch: "main" });
  });

  it("gives up on a remote that does not answer", async () => {
    const { folder } = await createCheckout("project");
    const silent = createServer((socket) => void socket.on("error", () => {}).resume()).listen(
      0,
      "127.0.0.1",
    );
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    await git(
      folder,
      "remote",
      "add",
      "origin",
      `git://127.0.0.1:${(silent.address() as AddressInfo).port}/x`,
    );
    expect(await fetchRemote(await open(folder), signal, 200)).toMatch(/: it took longer than 0.2 s$/);
  });

  it("works for everybody when many fetch the same news at once", async () => {
    const { path, source } = await createRemote();
    const repo = await open(join(top, "project"), { cloneFrom: path });
    for (let n = 0; n < 10; n++) await git(source, "branch", `news-${n}`, await commitIn(source));
    await git(source, "push", "-q", "origin", "--all");
    const problems = await Promise.all(Array.from({ length: 8 }, () => fetchRemote(repo, signal)));
    expect(problems.filter(Boolean)).toEqual([]);
  });

  it.each(["--bare", "--mirror"])("of a %s clone leaves the branches in it alone", async (kind) => {
    const { path, source } = await createRemote();
    const folder = join(top, "clone.git");
    await git(top, "clone", "-q", kind, path, folder);
    const before = await git(folder, "rev-parse", "main");
    const commit = await commitIn(source);
    await git(source, "push", "-q", "origin", "main");
    const repo = await open(folder);
    expect(await baseOf(repo)).toEqual({ branch: "main", commit: before });
    expect(await fetchRemote(repo, signal)).toBeUndefined();
    expect(await git(folder, "rev-parse", "refs/heads/main")).toBe(before);
    expect(await baseOf(repo)).toEqual({ branch: "main", commit });
  });
});

describe("the base of new work", () => {
  it("is the remote's branch, however far behind or ahead the local one is", async () => {
    const { path } = await createRemote();
    const repo = await open(join(top, "project"), { cloneFrom: path });
    const commit = await git(path, "rev-parse", "main");
    await commitIn(repo.root);
    expect(await baseOf(repo, "main")).toEqual({ branch: "main", commit });
  });

  it("is what the remote's HEAD names, or else main, master, or what is checked out", async () => {
    const { path, source } = await createRemote();
    for (const branch of ["trunk", "master", "mine"])
      await git(source, "push", "-q", "origin", `main:${branch}`);
    await git(path, "symbolic-ref", "HEAD", "refs/heads/trunk");
    const repo = await open(join(top, "project"), { cloneFrom: path });
    const branch = async () => (await baseOf(repo)).branch;
    expect(await branch()).toBe("trunk");
    await git(repo.root, "update-ref", "-d", "--no-deref", "refs/remotes/origin/trunk");
    expect(await branch()).toBe("main");
    await git(repo.root, "update-ref", "-d", "refs/remotes/origin/main");
    expect(await branch()).toBe("master");
    await git(repo.root, "update-ref", "-d", "refs/remotes/origin/master");
    await git(repo.root, "checkout", "-q", "-b", "mine");
    expect(await branch()).toBe("mine");
    await git(repo.root, "checkout", "-q", "--detach");
    await expect(baseOf(repo)).rejects.toThrow(/neither main nor master.*\n.*one of these: mine, trunk$/);
  });

  it("is a local branch without a remote, or with one that has none like it yet", async () => {
    const { folder, commit } = await createCheckout("project", "trunk");
    expect(await baseOf(await open(folder))).toEqual({ branch: "trunk", commit });
    await git(folder, "branch", "master");
    expect(await baseOf(await open(folder))).toMatchObject({ branch: "master" });
    await git(folder, "remote", "add", "origin", "/nowhere");
    await git(folder, "update-ref", "refs/remotes/origin/agent/coder/LIN-42", await commitIn(folder));
    expect(await baseOf(await open(folder))).toEqual({ branch: "master", commit });
    await git(folder, "update-ref", "refs/remotes/origin/trunk", commit);
    expect(await baseOf(await open(folder), "trunk")).toEqual({ branch: "trunk", commit });
  });

  it("is never a guess where default_branch names none", async () => {
    const { path } = await createRemote();
    const repo = await open(join(top, "project"), { cloneFrom: path });
    for (const wrong of ["mian", "main~1", "HEAD^", "--all", "origin/main", "main^{tree}"]) {
      await expect(baseOf(repo, wrong)).rejects.toThrow(/There is no branch .*\n.*one of these: main$/);
    }
  });
});
