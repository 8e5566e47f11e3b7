import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { adoptState } from "../../src/app/adopt-state.ts";
import { ForeignStateError, foreignState } from "../../src/app/foreign-state.ts";
import { findProject, lookIntoStore, openProjectStore, storePath } from "../../src/app/project.ts";
import { agentNamed } from "../../src/config/agent-named.ts";
import { findConfig } from "../../src/config/find.ts";
import { recordWorktreeFolder } from "../../src/files/made-here.ts";
import { tryGit } from "../../src/git/git.ts";
import { deleteExpired } from "../../src/handoff/history.ts";
import { storeDocument } from "../../src/handoff/library.ts";
import { Journal } from "../../src/jobs/journal.ts";
import { newJob } from "../../src/jobs/new-job.ts";
import { thisProcess } from "../../src/processes/owner.ts";
import { readPending, removePending, writePending } from "../../src/sessions/handoff/pending.ts";
import { steady } from "../../src/simulator/scenarios/steady.ts";
import { claimJob } from "../../src/store/claims.ts";
import { listJobs } from "../../src/store/job-list.ts";
import { openStore } from "../../src/store/store.ts";
import { notOurPlace } from "../../src/workspace/removal/own-place.ts";
import { configAt } from "../agree.ts";
import { EARLIER, restoreStore } from "../earlier-store.ts";
import { baton, testProject } from "../harness.ts";
import { git } from "../repository.ts";
import { counted } from "./count.ts";

let top: string;
let root: string;
const count = counted(40);

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), "baton-foreign-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  root = join(top, "project");
  mkdirSync(root);
  vi.stubEnv("XDG_STATE_HOME", join(top, "state"));
  vi.stubEnv("HOME", top);
});

function attempt(name: string, gotThrough: boolean): void {
  count(name, gotThrough);
  expect(gotThrough, name).toBe(false);
}

/** What a repository, an archive or a package brings: a store that Baton wrote elsewhere. */
function shippedStore(path = storePath(root)): string {
  restoreStore(path, root, top);
  return path;
}

async function isOpened(): Promise<boolean> {
  try {
    await using _store = await openProjectStore({ root });
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ForeignStateError);
    return false;
  }
}

async function isShown(): Promise<boolean> {
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  try {
    await using store = await lookIntoStore({ root });
    const jobs = await listJobs(store, 10);
    expect(said.mock.calls.flat().join("\n").split("\n")).toHaveLength(1);
    return jobs.length > 0;
  } catch (error) {
    expect(error).toBeInstanceOf(ForeignStateError);
    return false;
  } finally {
    said.mockRestore();
  }
}

/** A store of this machine's own, as a first job leaves it. */
async function ownStore(): Promise<string> {
  await using _store = await openProjectStore({ root });
  return storePath(root);
}

describe("a store that came with a project", () => {
  it("is not opened for work, is shown, and says exactly what to type", async () => {
    const path = shippedStore();
    const before = readFileSync(path);
    attempt("unpacked from an archive", await isOpened());
    expect(await isShown()).toBe(true);
    expect(readFileSync(path).equals(before)).toBe(true);
    await expect(openProjectStore({ root })).rejects.toThrow(/make it so with: baton trust\n.*mv .*\.baton/);
  });

  it("is not opened where git tracks it, also after the user trusted the project", async () => {
    const path = await ownStore();
    execFileSync("git", ["init", "-q", root]);
    execFileSync("git", ["-C", root, "add", "-f", path]);
    attempt("tracked by git, and this machine's own by its record", await isOpened());
    attempt("tracked: taken over by adoptState", await adopted());
    await expect(openProjectStore({ root })).rejects.toThrow(/git tracks baton\.db.*\n.*git rm -r --cached/s);
  });

  it("is not opened through a link, whichever part is one", async () => {
    const elsewhere = join(top, "elsewhere", "baton.db");
    shippedStore(elsewhere);
    symlinkSync(dirname(elsewhere), join(root, ".baton"));
    attempt(".baton as a link", await isOpened());
    attempt(".baton as a link: adopted", await adopted());
    expect(await isShown()).toBe(false);
    rmSync(join(root, ".baton"));
    mkdirSync(join(root, ".baton"));
    symlinkSync(elsewhere, storePath(root));
    attempt("baton.db as a link", await isOpened());
    rmSync(storePath(root));
    symlinkSync(join(top, "not-yet-there.db"), storePath(root));
    attempt("baton.db as a link to nothing", await isOpened());
    expect(existsSync(join(top, "not-yet-there.db"))).toBe(false);
  });

  it("is not opened with logs beside it that are links", async () => {
    const path = await ownStore();
    for (const end of ["-wal", "-shm", "-journal"]) {
      symlinkSync(join(top, "victim"), `${path}${end}`);
      attempt(`baton.db${end} as a link`, await isOpened());
      rmSync(`${path}${end}`);
    }
    expect(await isOpened()).toBe(true);
  });

  it("is not opened where it is no file", async () => {
    mkdirSync(storePath(root), { recursive: true });
    attempt("baton.db as a folder", await isOpened());
    rmSync(storePath(root), { recursive: true });
    execFileSync("mkfifo", [storePath(root)]);
    attempt("baton.db as a pipe", await isOpened());
    rmSync(join(root, ".baton"), { recursive: true });
    writeFileSync(join(root, ".baton"), "");
    attempt(".baton as a file", await isOpened());
  });

  it.runIf(process.getuid?.() === 0)("is not opened where it belongs to another user", async () => {
    const path = await ownStore();
    chownSync(path, 65_534, 65_534);
    attempt("baton.db of another user", await isOpened());
    expect(await isShown(), "it is shown, and holds no job").toBe(false);
    chownSync(path, 0, 0);
    chownSync(dirname(path), 65_534, 65_534);
    attempt(".baton of another user", await isOpened());
  });

  it("is not taken for the one that was there: copied over it, put in its place, in a clone of the folder", async () => {
    const path = await ownStore();
    const theirs = shippedStore(join(top, "theirs", "baton.db"));
    cpSync(theirs, path);
    attempt("copied over our own, into the same file", await isOpened());
    rmSync(dirname(path), { recursive: true });
    const again = await ownStore();
    rmSync(again);
    linkSync(theirs, again);
    attempt("put in its place, perhaps with the same inode", await isOpened());
    rmSync(join(root, ".baton"), { recursive: true });
    await ownStore();
    const ours = root;
    root = join(top, "clone");
    cpSync(ours, root, { recursive: true });
    attempt("a copy of our own in another folder", await isOpened());
    rmSync(ours, { recursive: true });
    renameSync(root, ours);
    root = ours;
    attempt("a copy of our own in the same folder", await isOpened());
  });

  it("cannot bring the record of itself", async () => {
    shippedStore();
    for (const place of [".baton/made", ".local/state/baton/made", "state/baton/made/store"]) {
      mkdirSync(join(root, place), { recursive: true });
      writeFileSync(join(root, place, "store.json"), JSON.stringify({ path: storePath(root), identity: 0 }));
    }
    attempt("brings records of its own", await isOpened());
  });
});

async function adopted(): Promise<boolean> {
  return adoptState({ root }).then(
    () => true,
    () => false,
  );
}

/** Made on the attacker's machine: a job whose removal was cut off, with the folder to delete where its trash should be. */
async function shippedRemoval(folder: string, victim: string): Promise<string> {
  const state = process.env.XDG_STATE_HOME ?? "";
  vi.stubEnv("XDG_STATE_HOME", join(top, "attacker"));
  const store = await openStore(storePath(folder));
  const id = await newJob(store, {}, agentNamed(configAt(join(folder, "baton.yaml"))), "Do it.");
  const now = () => new Date();
  const journal = new Journal(store, await claimJob(store, id, thisProcess(), now()), now);
  const planned = {
    repo: folder,
    path: join(folder, ".worktrees", id),
    branch: "x",
    base: "b",
    baseBranch: "main",
  };
  await journal.record({ type: "job:started", pid: 1, marker: "m" });
  await journal.record({ type: "workspace:creating", ...planned, takenUp: false });
  await journal.record({ type: "workspace:removing", trash: victim });
  await journal.record({ type: "job:failed", error: "x" });
  await journal.close();
  await store.close();
  vi.stubEnv("XDG_STATE_HOME", state);
  return id;
}

describe("a shipped `.baton/baton.db`", () => {
  it("made `baton run` delete a folder of the attacker's choice: it does not", async () => {
    const project = await testProject({ scenario: steady({ steps: 1 }) });
    const victim = join(project.env.HOME ?? "", "victim");
    mkdirSync(victim);
    writeFileSync(join(victim, "precious.txt"), "mine");
    const job = await shippedRemoval(project.folder, victim);
    const { code, stderr } = await baton(project, ["run", "Do it."]);
    attempt("baton run beside a shipped store", existsSync(join(victim, "precious.txt")) === false);
    expect(code).toBe(2);
    expect(stderr).toContain("baton trust");
    for (const command of [["maintain"], ["resume", job], ["cancel", job]]) {
      const ended = await baton(project, command);
      attempt(`baton ${command[0]} on a shipped store`, ended.code === 0);
    }
    const { stdout } = await baton(project, ["jobs", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ id: job }]);
    // Even the user's own word for the store is none for what it says about removal.
    expect((await baton(project, ["trust", "--yes"])).stdout).toContain("Trusted as it is now");
    const kept = await baton(project, ["maintain", "--json"]);
    expect(JSON.parse(kept.stdout).worktrees).toMatchObject([{ job, done: { ok: false } }]);
    attempt("baton maintain on a shipped store that was trusted", !existsSync(join(victim, "precious.txt")));
  });

  it("decides nothing about removal, even once it is the user's: paths are worked out anew", async () => {
    const job = "job-2026-01-01-abc123";
    const worktrees = join(root, ".worktrees");
    const victim = join(top, "victim");
    for (const folder of [worktrees, victim, join(worktrees, ".trash")])
      mkdirSync(folder, { recursive: true });
    await recordWorktreeFolder(worktrees);
    const path = join(worktrees, job);
    const trash = join(worktrees, ".trash", `${job}-0123456789ab`);
    symlinkSync(victim, join(worktrees, "job-2026-01-01-link"));
    const places: Record<string, Parameters<typeof notOurPlace>[0]> = {
      "trash elsewhere": { path, job, trash: victim },
      "trash above": { path, job, trash: `${worktrees}/.trash/../../../victim` },
      "trash is the bin": { path, job, trash: join(worktrees, ".trash") },
      "trash is the folder of worktrees": { path, job, trash: worktrees },
      "trash of another job": {
        path,
        job,
        trash: join(worktrees, ".trash", "job-2026-01-01-other-0123456789ab"),
      },
      "trash with no number": { path, job, trash: join(worktrees, ".trash", job) },
      "trash is a worktree": { path, job, trash: path },
      "empty trash": { path, job, trash: "" },
      "root as trash": { path, job, trash: "/" },
      "worktree elsewhere": { path: victim, job },
      "worktree elsewhere, named like a job": { path: join(top, job), job },
      "the folder of worktrees itself": { path: worktrees, job },
      "the project": { path: root, job },
      "above, by dots": { path: `${worktrees}/../../${job}`, job },
      "no id": { path: join(worktrees, "../victim"), job: "../victim" },
      "an id that is a pattern": { path, job: ".*", trash: join(worktrees, ".trash", "x-0123456789ab") },
      home: { path: top, job },
    };
    for (const [name, place] of Object.entries(places)) {
      attempt(`removal: ${name}`, (await notOurPlace(place)) === undefined);
    }
    expect(await notOurPlace({ path, job })).toBeUndefined();
    expect(await notOurPlace({ path, job, trash })).toBeUndefined();
    rmSync(join(worktrees, ".trash"), { recursive: true });
    symlinkSync(victim, join(worktrees, ".trash"));
    attempt("removal: the bin is a link", (await notOurPlace({ path, job, trash })) === undefined);
  });
});

describe("documents and pending files that came with a project", () => {
  const pending = {
    document: "/p/one.md",
    number: 1,
    session: "s",
    created: "2026-01-01",
    reason: "of that",
  };

  it("are not believed, nor removed", async () => {
    const dir = join(root, ".baton", "handoffs");
    const path = await writePending({ dir }, pending);
    const ours = readFileSync(path, "utf8");
    expect(await readPending(dir)).toEqual([pending]);
    writeFileSync(path, ours.replaceAll("/p/one.md", "/p/evil.md"));
    attempt("pending file with another document", (await readPending(dir)).length > 0);
    attempt("pending file of theirs removed", await removePending({ dir }, { document: "/p/evil.md" }));
    const other = join(root, "other");
    mkdirSync(other);
    writeFileSync(join(other, "HANDOFF_PENDING.md"), ours);
    attempt("pending file copied elsewhere", (await readPending(other)).length > 0);
    rmSync(path);
    writeFileSync(join(top, "kept.md"), ours);
    symlinkSync(join(top, "kept.md"), path);
    attempt("pending file as a link", (await readPending(dir)).length > 0);
    rmSync(path);
    writeFileSync(path, ours);
    expect(await removePending({ dir }, pending)).toBe(true);
    writeFileSync(path, ours);
    attempt("pending file brought back after it was used", (await readPending(dir)).length > 0);
  });

  it("are not deleted for their age; our own are", async () => {
    const dir = join(root, "docs");
    const text =
      "---\njob: job-1\nsession: s\ncreated: 2020-01-01T00:00:00.000Z\nnumber: 1\n---\n## Goal\n\nx\n";
    const made = await storeDocument({ dir }, new Date(2020, 0, 1), text);
    const archive = join(dir, "archive");
    mkdirSync(archive);
    const mine = join(archive, "handoff-2020-01-01-000000.md");
    renameSync(made, mine);
    const theirs = join(archive, "handoff-2020-01-02-000000.md");
    writeFileSync(theirs, text.replace("x\n", "theirs\n"));
    const linked = join(archive, "handoff-2020-01-03-000000.md");
    symlinkSync(mine, linked);
    for (const archived of [mine, theirs]) utimesSync(archived, new Date(2020, 0, 3), new Date(2020, 0, 3));
    expect(await deleteExpired(dir, 1, new Date())).toEqual([mine]);
    attempt("a shipped document deleted for its age", !existsSync(theirs));
    attempt(
      "a link among the documents deleted",
      !statSync(linked, { throwIfNoEntry: false }) && existsSync(mine),
    );
  });
});

describe("where a project is looked for", () => {
  it("never beyond the repository or the home folder, nor in a folder that others can write", async () => {
    const shared = join(top, "shared");
    const inside = join(shared, "mine", "deep");
    mkdirSync(inside, { recursive: true });
    chmodSync(shared, 0o1777);
    shippedStore(storePath(shared));
    writeFileSync(join(shared, "baton.yaml"), "");
    attempt("a store in a shared folder above", findProject({}, inside).root === shared);
    attempt("a configuration in a shared folder above", findConfig(inside, top) !== undefined);
    attempt("a configuration in a shared folder itself", findConfig(shared, top) !== undefined);
    chmodSync(shared, 0o755);
    expect(findProject({}, inside).root).toBe(shared);
    mkdirSync(join(shared, "mine", ".git"));
    attempt("a store above the repository", findProject({}, inside).root === shared);
    attempt("a configuration above the repository", findConfig(inside, top) !== undefined);
    rmSync(join(shared, "mine", ".git"), { recursive: true });
    attempt("above the home folder", findConfig(inside, join(shared, "mine")) !== undefined);
    attempt(
      "a store outside of home and repositories",
      findProject({}, inside).root === shared && findConfig(inside, "/nowhere") !== undefined,
    );
  });
});

describe("git in a repository of others", () => {
  it("an embedded bare repository ran code in `baton config check`: it does not", async () => {
    const project = await testProject({ scenario: steady({ steps: 1 }) });
    const ran = join(project.env.HOME ?? "", "ran");
    const evil = join(project.folder, "docs");
    execFileSync("git", ["init", "-q", "--bare", evil]);
    const config = join(evil, "config");
    writeFileSync(
      config,
      `${readFileSync(config, "utf8")}\tworktree = .\n\tfsmonitor = "touch '${ran}'; false"\n`.replace(
        "bare = true",
        "bare = false",
      ),
    );
    writeFileSync(
      join(evil, "baton.yaml"),
      "agents:\n  - name: a\n    hooks: { after_run: [{ type: shell, command: 'true' }] }\n",
    );
    execFileSync("git", ["-C", project.folder, "add", "-A"]);
    const there = { ...project, folder: evil };
    for (const command of [["config", "check"], ["jobs"], ["trust"]]) {
      await baton(there, command);
      attempt(`embedded bare repository: baton ${command.join(" ")}`, existsSync(ran));
    }
    for (const args of [["status"], ["ls-files"], ["rev-parse", "HEAD"], ["add", "--all"]]) {
      await tryGit(evil, args);
      attempt(`embedded bare repository: git ${args[0]}`, existsSync(ran));
    }
  });

  it("runs none of the programs that its configuration names and nobody needs", async () => {
    execFileSync("git", ["init", "-q", "-b", "main", root]);
    const ran = join(top, "ran");
    const program = join(top, "evil");
    writeFileSync(program, `#!/bin/sh\necho "$0" "$@" >> '${ran}'\n`, { mode: 0o755 });
    const hooks = join(root, ".husky");
    mkdirSync(hooks);
    for (const hook of [
      "pre-commit",
      "post-checkout",
      "reference-transaction",
      "post-index-change",
      "pre-push",
    ]) {
      cpSync(program, join(hooks, hook));
    }
    const settings = {
      "core.fsmonitor": program,
      "core.hooksPath": ".husky",
      "core.sshCommand": program,
      "core.pager": program,
      "core.editor": program,
      "sequence.editor": program,
      "diff.external": program,
      "log.showSignature": "true",
      "protocol.ext.allow": "always",
      "core.alternateRefsCommand": program,
      "alias.status": `!${program}`,
    };
    writeFileSync(join(root, "file.txt"), "text\n");
    await git(root, "-c", "core.hooksPath=/dev/null", "add", "file.txt");
    await git(root, "-c", "user.name=T", "-c", "user.email=t@t", "commit", "-qm", "First");
    rmSync(ran, { force: true });
    for (const [key, value] of Object.entries(settings)) await git(root, "config", key, value);
    await git(root, "config", "remote.ext.url", `ext::${program} %S`);
    await git(root, "config", "remote.ssh.url", "ssh://127.0.0.1:1/x");
    writeFileSync(join(root, "file.txt"), "other\n");
    const commands = [
      ["status", "--porcelain"],
      ["diff", "--no-ext-diff", "--no-textconv", "--raw", "HEAD"],
      ["log", "--oneline"],
      ["add", "--all"],
      ["-c", "user.name=T", "-c", "user.email=t@t", "commit", "-qm", "Second"],
      ["update-ref", "refs/baton/x", "HEAD"],
      ["worktree", "add", "-q", "-b", "x", join(top, "tree")],
      ["checkout", "-q", "--force"],
      ["fetch", "-q", "ext"],
      ["fetch", "-q", "ssh"],
      ["push", "-q", "ext", "HEAD:refs/heads/x"],
      ["branch", "--force", "y", "HEAD"],
    ];
    for (const args of commands) {
      await tryGit(root, args, { timeoutMs: 10_000 });
      attempt(
        `git ${args
          .filter((arg) => !arg.startsWith("-"))
          .slice(0, 2)
          .join(" ")}`,
        existsSync(ran),
      );
    }
  });
});

describe("the honest twin", () => {
  it("makes a store, works in it, and finds it again; nothing is asked", async () => {
    expect(await isOpened()).toBe(true);
    expect(await foreignState(storePath(root))).toEqual([]);
    expect(await isOpened()).toBe(true);
    execFileSync("git", ["init", "-q", root]);
    expect(await isOpened()).toBe(true);
    const linked = join(top, "linked");
    symlinkSync(root, linked);
    root = linked;
    expect(await isOpened(), "a project that is reached through a link").toBe(true);
  });

  it("a store and a paused job made by commit db6689e, or a project that was moved, are one `baton trust` away", async () => {
    shippedStore();
    expect(await isOpened()).toBe(false);
    expect(await adoptState({ root })).toMatchObject({ store: storePath(root) });
    await using store = await openProjectStore({ root });
    expect((await listJobs(store, 10)).map(({ id }) => id)).toContain(EARLIER.paused);
    await store.close();
    const moved = join(top, "moved");
    renameSync(root, moved);
    root = moved;
    expect(await isOpened()).toBe(false);
    await adoptState({ root });
    expect(await isOpened()).toBe(true);
  });

  it("a kill while the store is being made leaves one that is known, or one to be made anew", async () => {
    const { madeStore, recordStore } = await import("../../src/files/made-here.ts");
    mkdirSync(join(root, ".baton"));
    writeFileSync(join(root, ".baton", ".making-baton.db-7"), "half");
    expect(await isOpened(), "killed before it was on record").toBe(true);
    expect(readdirSync(join(root, ".baton")).filter((name) => name.startsWith(".making"))).toEqual([]);
    rmSync(join(root, ".baton"), { recursive: true });
    mkdirSync(join(root, ".baton"));
    await recordStore(storePath(root), { identity: 7, inode: 7 });
    expect(await isOpened(), "killed before it got its name").toBe(true);
    expect(madeStore(storePath(root))?.inode).toBe(statSync(storePath(root)).ino);
    const moment = storePath(root);
    linkSync(moment, join(root, ".baton", ".making-baton.db-8"));
    expect(await isOpened(), "killed before its first name was gone").toBe(true);
  });

  it("is made once by many at the same moment, and whoever has it open keeps its locks", async () => {
    expect(await Promise.all(Array.from({ length: 8 }, isOpened))).toEqual(Array(8).fill(true));
    const { default: Database } = await import("better-sqlite3");
    const holder = new Database(storePath(root));
    onTestFinished(() => void holder.close());
    holder.exec("BEGIN EXCLUSIVE");
    expect(await foreignState(storePath(root))).toEqual([]);
    const other = `const D=require("better-sqlite3");const d=new D(process.argv[1],{timeout:0});try{d.exec("BEGIN IMMEDIATE");console.log("taken")}catch(e){console.log(e.code)}`;
    const cwd = join(import.meta.dirname, "..", "..");
    expect(
      execFileSync(process.execPath, ["-e", other, storePath(root)], { cwd, encoding: "utf8" }).trim(),
    ).toBe("SQLITE_BUSY");
  });

  it("is for this user alone, whatever the umask, and what was wide is narrowed", async () => {
    const before = process.umask(0);
    try {
      await ownStore();
      await storeDocument({ dir: join(root, ".baton", "handoffs"), within: root }, new Date(), "text");
      await writePending(
        { dir: join(root, ".baton", "handoffs"), within: root },
        { document: "/d", number: 1, session: "s", created: "c", reason: "r" },
      );
      const wide = () =>
        execFileSync("find", [join(root, ".baton"), join(top, "state", "baton"), "-perm", "/077"], {
          encoding: "utf8",
        });
      expect(wide()).toBe("");
      chmodSync(join(root, ".baton"), 0o777);
      chmodSync(storePath(root), 0o666);
      chmodSync(join(top, "state", "baton"), 0o755);
      await using _store = await openStore(storePath(root));
      await storeDocument({ dir: join(root, ".baton", "handoffs"), within: root }, new Date(), "more");
      expect(wide()).toBe("");
    } finally {
      process.umask(before);
    }
  });
});
