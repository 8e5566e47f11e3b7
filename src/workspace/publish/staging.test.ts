import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { access, chmod, mkdir, mkdtemp, open, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { commitRest } from "./staging.ts";

const run = promisify(execFile);

beforeEach(() => {
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
});

/** A repository with twelve files and a worktree of it. */
async function createWorktree({ configure = true } = {}) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "baton-test-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [repo, worktree] = [join(folder, "repo"), join(folder, "tree")];
  const gitIn =
    (where: string) =>
    async (...args: string[]) =>
      (await run("git", ["-C", where, ...args])).stdout.trimEnd();
  await run("git", ["init", "-q", "-b", "main", repo]);
  const main = gitIn(repo);
  const someone = ["-c", "user.name=Someone", "-c", "user.email=someone@example.invalid"];
  if (configure) {
    await main("config", "user.name", "Test");
    await main("config", "user.email", "test@example.invalid");
  }
  for (let n = 1; n <= 12; n++) await writeFile(join(repo, `file-${n}.txt`), `${n}\n`);
  await main("add", "-A");
  await main(...someone, "commit", "-qm", "Begin");
  await main("worktree", "add", "-q", "-b", "work", worktree);
  const git = gitIn(worktree);
  const gitDir = await git("rev-parse", "--absolute-git-dir");
  const write = (path: string, text: string) => writeFile(join(worktree, path), text);
  const hook = async (name: string, script: string) => {
    const path = join(repo, ".git", "hooks", name);
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
  };
  const standing = async () => [await git("status", "--porcelain"), await git("rev-parse", "HEAD")];
  return { folder, repo, worktree, main, git, gitDir, write, hook, standing };
}

const atOnce = { sleep: async () => {} };

describe("committing the rest", () => {
  it("takes changed, staged, deleted and new files, and no ignored ones", async () => {
    const { worktree, git, write } = await createWorktree();
    await write("file-1.txt", "changed");
    await write("staged.txt", "1");
    await git("add", "staged.txt");
    await write("staged.txt", "2");
    await write("new file ✓.txt", "new");
    await write("-dash", "dash");
    await rm(join(worktree, "file-2.txt"));
    await write(".gitignore", "*.log\n");
    await write("a.log", "log");
    const message = "# A subject\n\nBody with $(id) and `id`\n  # indented\n\n\nEnd\n";
    const made = await commitRest(worktree, message, []);
    expect(made).toEqual({ commit: await git("rev-parse", "HEAD"), files: 6 });
    expect(await git("status", "--porcelain")).toBe("");
    expect(await git("show", "HEAD:staged.txt")).toBe("2");
    expect(await git("log", "-1", "--format=%B|%an|%s")).toBe(`${message}|Test|# A subject`);
    expect(await git("symbolic-ref", "--short", "HEAD")).toBe("work");
  });

  it("makes no commit where nothing is left, and where only ignored files are", async () => {
    const { worktree, git, gitDir, write } = await createWorktree();
    const head = await git("rev-parse", "HEAD");
    expect(await commitRest(worktree, "x", [])).toBeUndefined();
    await writeFile(join(gitDir, "..", "..", "info", "exclude"), "*.log\n");
    await write("a.log", "log");
    expect(await commitRest(worktree, "x", [])).toBeUndefined();
    expect(await git("rev-parse", "HEAD")).toBe(head);
  });

  it("signs as Baton where git knows nobody", async () => {
    const { worktree, git, write } = await createWorktree({ configure: false });
    await write("new.txt", "new");
    expect(await commitRest(worktree, "x", [])).toMatchObject({ files: 1 });
    expect(await git("log", "-1", "--format=%an <%ae> %cn <%ce>")).toBe(
      "Baton <baton@localhost> Baton <baton@localhost>",
    );
  });

  it("works on no branch, before the first commit, and in a folder with a strange name", async () => {
    const { worktree, git, write } = await createWorktree();
    await git("checkout", "-q", "--detach");
    await write("new.txt", "new");
    expect(await commitRest(worktree, "x", [])).toMatchObject({ files: 1 });

    const folder = await mkdtemp(join(tmpdir(), "baton-test- $(id) ; 'é-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await run("git", ["init", "-q", folder]);
    expect(await commitRest(folder, "x", [])).toBeUndefined();
    await writeFile(join(folder, "a"), "a");
    expect(await commitRest(folder, "x", [])).toMatchObject({ files: 1 });
  });

  it("leaves a branch alone that no commit may go onto", async () => {
    const { worktree, git, main, write } = await createWorktree();
    const before = await git("rev-parse", "work");
    await write("new.txt", "new");
    expect(await commitRest(worktree, "x", [], { neverOnto: "work" })).toMatchObject({ files: 1 });
    expect(await git("rev-parse", "work")).toBe(before);
    expect(await git("rev-parse", "HEAD~")).toBe(before);
    await git("checkout", "-q", "work");
    await write("new.txt", "new");
    await main("config", "commit.gpgSign", "true");
    await main("config", "gpg.program", "false");
    expect(await commitRest(worktree, "x", [], { neverOnto: "work" })).toHaveProperty("refused");
    expect(await git("symbolic-ref", "--short", "HEAD")).toBe("work");
  });
});

describe("hooks of the repository", () => {
  it.each(["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction"])(
    "do not run where the user has not allowed it: %s, in .git or in the tree",
    async (name) => {
      const { folder, worktree, git, write, hook } = await createWorktree();
      const ran = join(folder, "ran");
      await hook(name, `touch '${ran}'; exit 1`);
      await mkdir(join(worktree, ".husky"));
      await write(`.husky/${name}`, `#!/bin/sh\ntouch '${ran}'\n`);
      await chmod(join(worktree, ".husky", name), 0o755);
      await write("new.txt", "new");
      expect(await commitRest(worktree, "x", [])).toMatchObject({ files: 2 });
      await git("config", "core.hooksPath", ".husky");
      await write("new.txt", "newer");
      expect(await commitRest(worktree, "x", [])).toMatchObject({ files: 1 });
      expect(existsSync(ran)).toBe(false);
    },
  );

  it("can refuse: the user reads what they said, and the index is as it was", async () => {
    const { worktree, git, write, hook, standing } = await createWorktree();
    await hook("pre-commit", "echo 'no tabs, please' >&2; exit 1");
    await write("file-1.txt", "changed");
    await write("staged.txt", "1");
    await git("add", "staged.txt");
    await write("new.txt", "new");
    const before = await standing();
    expect(await commitRest(worktree, "x", [], { hooks: true })).toEqual({
      refused: expect.stringContaining("no tabs, please"),
    });
    expect(await standing()).toEqual(before);
    expect(before[0]).toContain("A  staged.txt");
    await hook("pre-commit", "exit 3");
    expect(await commitRest(worktree, "x", [], { hooks: true })).toEqual({
      refused: expect.stringContaining("exit code 1"),
    });
  });

  it("can change files and stage them", async () => {
    const { worktree, git, write, hook } = await createWorktree();
    await hook("pre-commit", "echo tidy > new.txt; git add new.txt");
    await write("new.txt", "untidy");
    expect(await commitRest(worktree, "x", [], { hooks: true })).toMatchObject({ files: 1 });
    expect(await git("show", "HEAD:new.txt")).toBe("tidy");
  });

  it("can change files and refuse until those are staged", async () => {
    const { worktree, git, write, hook } = await createWorktree();
    await hook("pre-commit", "grep -q tidy new.txt || { echo tidy > new.txt; exit 1; }");
    await write("new.txt", "un");
    expect(await commitRest(worktree, "x", [], { hooks: true })).toMatchObject({ files: 1 });
    expect(await git("show", "HEAD:new.txt")).toBe("tidy");
    expect(await git("status", "--porcelain")).toBe("");
  });

  it("can change files and leave them: they go into the same commit", async () => {
    const { worktree, git, write, hook } = await createWorktree();
    await hook("pre-commit", "echo tidy > new.txt");
    await write("new.txt", "untidy");
    expect(await commitRest(worktree, "x", [], { hooks: true })).toMatchObject({ files: 1 });
    expect(await git("show", "HEAD:new.txt")).toBe("tidy");
    expect(await git("rev-list", "--count", "main..HEAD")).toBe("1");
    expect(await git("status", "--porcelain")).toBe("");
  });

  it("can change files for ever without keeping the commit back", async () => {
    const { worktree, write, hook } = await createWorktree();
    await hook("pre-commit", "date +%N >> new.txt");
    await write("new.txt", "x");
    expect(await commitRest(worktree, "x", [], { hooks: true })).toMatchObject({ files: 1 });
  });
});

describe("a signature", () => {
  it("that cannot be made is a refusal", async () => {
    const { worktree, main, write, standing } = await createWorktree();
    await main("config", "commit.gpgSign", "true");
    await main("config", "gpg.program", "false");
    await write("new.txt", "new");
    const before = await standing();
    expect(await commitRest(worktree, "x", [])).toEqual({
      refused: expect.stringContaining("gpg failed to sign"),
    });
    expect(await standing()).toEqual(before);
  });

  it("with a passphrase is not waited for", async () => {
    const { folder, worktree, main, write } = await createWorktree();
    const key = join(folder, "key");
    await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "secret phrase", "-f", key]);
    await main("config", "commit.gpgSign", "true");
    await main("config", "gpg.format", "ssh");
    await main("config", "user.signingKey", `${key}.pub`);
    await write("new.txt", "new");
    expect(await commitRest(worktree, "x", [])).toHaveProperty("refused");
  });
});

describe("files that are missing", () => {
  const removeMany = (worktree: string) =>
    Promise.all(Array.from({ length: 10 }, (_, n) => rm(join(worktree, `file-${n + 1}.txt`))));

  it("are not committed as deleted where the agent removed none", async () => {
    const { worktree, standing } = await createWorktree();
    await removeMany(worktree);
    const before = await standing();
    const made = await commitRest(worktree, "x", ["npm test", "docker run --rm x"]);
    expect(made).toEqual({ refused: expect.stringContaining("10 of 12 tracked files are missing") });
    expect(await standing()).toEqual(before);
  });

  it("are, where it did", async () => {
    const { worktree } = await createWorktree();
    await removeMany(worktree);
    expect(await commitRest(worktree, "x", ["npm test", "cd . && rm file-*.txt"])).toMatchObject({
      files: 10,
    });
  });

  it("are, where they are few, or less than half", async () => {
    const { worktree, git, write } = await createWorktree();
    for (let n = 1; n <= 9; n++) await rm(join(worktree, `file-${n}.txt`));
    expect(await commitRest(worktree, "x", [])).toMatchObject({ files: 9 });
    for (let n = 1; n <= 20; n++) await write(`more-${n}.txt`, "x");
    await git("add", "-A");
    await git("commit", "-qm", "more");
    for (let n = 1; n <= 11; n++) await rm(join(worktree, `more-${n}.txt`));
    expect(await commitRest(worktree, "x", [])).toMatchObject({ files: 11 });
  });

  it("are not missing where only the index lacks them", async () => {
    const { worktree, git } = await createWorktree();
    await git("rm", "-rq", "--cached", ".");
    expect(await commitRest(worktree, "x", [])).toBeUndefined();
    expect(await git("status", "--porcelain")).toContain("D  file-1.txt");
  });

  it("are not missing in a sparse checkout", async () => {
    const { worktree, git, write } = await createWorktree();
    await git("sparse-checkout", "set", "--no-cone", "file-12.txt", "new.txt");
    await write("new.txt", "new");
    expect(await commitRest(worktree, "x", [])).toMatchObject({ files: 1 });
    expect((await git("ls-tree", "--name-only", "HEAD")).split("\n")).toHaveLength(13);
  });
});

describe("a tree that is not whole", () => {
  it("is refused where its checkout never began", async () => {
    const { folder, main } = await createWorktree();
    const half = join(folder, "half");
    await main("worktree", "add", "-q", "--no-checkout", "-b", "half", half);
    await writeFile(join(half, "new.txt"), "new");
    expect(await commitRest(half, "x", [])).toEqual({
      refused: expect.stringContaining("was never checked out to the end"),
    });
  });

  it("is refused where its checkout was killed", async () => {
    const { folder, repo, main } = await createWorktree();
    await writeFile(join(repo, ".gitattributes"), "file-9.txt filter=stop\n");
    await main("add", ".gitattributes");
    await main("commit", "-qm", "Filter");
    await main("config", "filter.stop.smudge", "echo stopped >&2; exec sleep 1000");
    const half = join(folder, "half");
    const add = ["-C", repo, "worktree", "add", "-q", "-b", "half", half];
    const adding = spawn("git", add, { detached: true, stdio: ["ignore", "ignore", "pipe"] });
    await once(adding.stderr, "data");
    process.kill(-(adding.pid ?? 0), "SIGKILL");
    await once(adding, "exit");
    const gitDir = join(repo, ".git", "worktrees", "half");
    await access(join(gitDir, "index.lock"));
    expect(await commitRest(half, "x", [], atOnce)).toEqual({
      refused: expect.stringContaining("was never checked out to the end"),
    });
  });

  it("is refused where git says that it is not done yet", async () => {
    const { worktree, gitDir, write } = await createWorktree();
    await writeFile(join(gitDir, "locked"), "initializing\n");
    await write("new.txt", "new");
    expect(await commitRest(worktree, "x", [])).toHaveProperty("refused");
    await writeFile(join(gitDir, "locked"), "baton job:job-1 pid:1 start:1\n");
    expect(await commitRest(worktree, "x", [])).toMatchObject({ files: 1 });
  });

  it("is refused where the folder is no worktree any more, and the repository around it is left alone", async () => {
    const { repo, main } = await createWorktree();
    const inner = join(repo, "inner");
    await main("worktree", "add", "-q", "-b", "inner", inner);
    await writeFile(join(inner, "new.txt"), "new");
    await rm(join(inner, ".git"));
    const head = await main("rev-parse", "HEAD");
    const refused = { refused: expect.stringContaining("no longer a worktree of its own") };
    expect(await commitRest(inner, "x", [])).toEqual(refused);
    await rm(inner, { recursive: true });
    expect(await commitRest(inner, "x", [])).toEqual(refused);
    expect(await main("rev-parse", "HEAD")).toBe(head);
    expect(await main("diff", "--cached", "--name-only")).toBe("");
  });
});

describe("something that is under way", () => {
  it.each(["merge", "rebase", "cherry-pick"])(
    "a %s is refused, with conflicts and without",
    async (operation) => {
      const { worktree, git, write } = await createWorktree();
      await git("checkout", "-q", "-b", "other");
      await write("file-1.txt", "other");
      await git("commit", "-qam", "Other");
      await git("checkout", "-q", "work");
      await write("file-1.txt", "work");
      await git("commit", "-qam", "Work");
      await git(operation, "other").catch(() => {});
      const refused = { refused: expect.stringContaining(`A ${operation} is under way in ${worktree}`) };
      expect(await commitRest(worktree, "x", [])).toEqual(refused);
      await git("add", "-A");
      expect(await commitRest(worktree, "x", [])).toEqual(refused);
    },
  );

  it("a bisection is refused", async () => {
    const { worktree, git, write } = await createWorktree();
    await git("bisect", "start");
    await write("new.txt", "new");
    expect(await commitRest(worktree, "x", [])).toEqual({
      refused: expect.stringContaining("git bisect reset"),
    });
  });

  it("conflicts of a stash are refused", async () => {
    const { worktree, git, write } = await createWorktree();
    await write("file-1.txt", "stashed");
    await git("stash");
    await write("file-1.txt", "committed");
    await git("commit", "-qam", "Work");
    await git("stash", "pop").catch(() => {});
    expect(await commitRest(worktree, "x", [])).toEqual({
      refused: expect.stringContaining("file-1.txt in"),
    });
  });

  it("a git command gets time to end", async () => {
    const { worktree, git, write } = await createWorktree();
    await write("file-1.txt", "theirs");
    const editor = `sh -c 'echo editing >&2; read line; echo Theirs > "$1"' sh`;
    const theirs = spawn("git", ["-C", worktree, "commit", "-qa"], {
      env: { ...process.env, GIT_EDITOR: editor },
    });
    await once(theirs.stderr, "data");
    await write("new.txt", "ours");
    const polls: number[] = [];
    const made = await commitRest(worktree, "Ours", [], {
      sleep: async (ms) => {
        polls.push(ms);
        theirs.stdin.end("\n");
        await once(theirs, "exit");
      },
    });
    expect(polls).toHaveLength(1);
    expect(made).toMatchObject({ files: 1 });
    expect(await git("log", "--format=%s", "-2")).toBe("Ours\nTheirs");
  });

  it("a lock whose git was killed is moved aside once nothing has happened to it for a second", async () => {
    const { worktree, gitDir, git, write } = await createWorktree();
    const lock = join(gitDir, "index.lock");
    await writeFile(lock, "half an index");
    await write("new.txt", "new");
    let waited = 0;
    const sleep = async (ms: number) => {
      waited += ms;
    };
    expect(await commitRest(worktree, "Ours", [], { sleep })).toMatchObject({ files: 1 });
    expect(waited).toBe(1_000);
    expect(await readFile(`${lock}.abandoned`, "utf8")).toBe("half an index");
    expect(await git("status", "--porcelain")).toBe("");
  });

  it("a lock that changes while it is waited for is somebody's", async () => {
    const { worktree, gitDir, write } = await createWorktree();
    const lock = join(gitDir, "index.lock");
    await writeFile(lock, "");
    await write("new.txt", "new");
    let change = 0;
    const sleep = () => writeFile(lock, `${change++}`);
    expect(await commitRest(worktree, "x", [], { sleep })).toEqual({
      refused: expect.stringContaining(lock),
    });
    expect(await readFile(lock, "utf8")).toBe(`${change - 1}`);
  });

  it("a git that waits in the worktree, with its lock closed, keeps it", async () => {
    const { worktree, gitDir, write } = await createWorktree();
    await write("file-1.txt", "theirs");
    const theirs = spawn("git", ["-C", worktree, "commit", "-qa"], {
      env: { ...process.env, GIT_EDITOR: "sh -c 'echo editing >&2; read line; exit 1' sh" },
    });
    onTestFinished(async () => {
      theirs.stdin.end();
      await once(theirs, "exit");
    });
    await once(theirs.stderr, "data");
    await access(join(gitDir, "index.lock"));
    await write("new.txt", "new");
    expect(await commitRest(worktree, "x", [], atOnce)).toEqual({
      refused: expect.stringContaining("A git command is under way"),
    });
    await access(join(gitDir, "index.lock"));
  });

  it("a lock that nobody gives back, but somebody has open, is a refusal that names it", async () => {
    const { worktree, gitDir, write } = await createWorktree();
    const lock = join(gitDir, "index.lock");
    await using _held = await open(lock, "wx");
    await write("new.txt", "new");
    let waited = 0;
    const sleep = async (ms: number) => {
      waited += ms;
    };
    expect(await commitRest(worktree, "x", [], { sleep })).toEqual({
      refused: expect.stringContaining(lock),
    });
    expect(waited).toBe(10_000);
    expect(await readFile(lock, "utf8")).toBe("");
  });
});

describe("a repository inside the worktree", () => {
  it("is not committed as a link to nowhere", async () => {
    const { worktree, git, standing } = await createWorktree();
    const inner = join(worktree, "deep", "inner repo");
    await mkdir(inner, { recursive: true });
    await run("git", ["init", "-q", inner]);
    await writeFile(join(inner, "a"), "a");
    const refused = { refused: expect.stringContaining("deep/inner repo in") };
    expect(await commitRest(worktree, "x", [])).toEqual(refused);
    const someone = ["-c", "user.name=a", "-c", "user.email=b"];
    await run("git", ["-C", inner, "add", "a"]);
    await run("git", ["-C", inner, ...someone, "commit", "-qm", "Inner"]);
    const before = await standing();
    expect(await commitRest(worktree, "x", [])).toEqual(refused);
    expect(await standing()).toEqual(before);
    await git("add", "-A");
    expect(await commitRest(worktree, "x", [])).toEqual(refused);
  });

  it("is fine as a submodule, and where it is ignored", async () => {
    const { folder, worktree, git, write } = await createWorktree();
    const library = join(folder, "library");
    await run("git", ["init", "-q", library]);
    await run("git", [
      "-C",
      library,
      "-c",
      "user.name=a",
      "-c",
      "user.email=b",
      "commit",
      "-qm",
      "x",
      "--allow-empty",
    ]);
    await git("-c", "protocol.file.allow=always", "submodule", "add", "-q", library, "library");
    expect(await commitRest(worktree, "x", [])).toMatchObject({ files: 2 });
    await run("git", ["init", "-q", join(worktree, "ignored")]);
    await write(".gitignore", "ignored\n");
    expect(await commitRest(worktree, "x", [])).toMatchObject({ files: 1 });
  });
});

it("says why where a file cannot be staged, and puts the index back", async () => {
  const { worktree, main, write, standing } = await createWorktree();
  await main("config", "filter.broken.clean", "false");
  await main("config", "filter.broken.required", "true");
  await write(".gitattributes", "*.big filter=broken\n");
  await write("a.big", "big");
  const before = await standing();
  expect(await commitRest(worktree, "x", [])).toEqual({ refused: expect.stringContaining("a.big") });
  expect(await standing()).toEqual(before);
});
