import { link, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  commit,
  createJobWorktree,
  git,
  type JobWorktree,
  remove,
  write,
} from "../../../test/job-worktree.ts";
import { redactor } from "../../secrets/redact.ts";
import { listCheckpoints } from "../checkpoint.ts";
import type { WorkspaceEvent, WorkspaceJob } from "../workspace.ts";
import { leaveIgnored } from "./leave.ts";

const IGNORED = { ".gitignore": "*.log\n*.db\n*.html\nreports/\nnode_modules/\n.env\n" };

/** A worktree of a repository in which these are ignored, with files that a job has made. */
async function worktreeWith(files: Record<string, string>, keep: string[] = []) {
  const worktree = await createJobWorktree();
  await write(worktree.repo, IGNORED);
  await commit(worktree.path, IGNORED);
  await git(worktree.path, "push", "-q", "origin", "HEAD");
  await write(worktree.path, files);
  const events: WorkspaceEvent[] = [];
  const warnings: string[] = [];
  const { signal } = new AbortController();
  const job: WorkspaceJob = {
    ...{ id: worktree.job, agent: "coder", prompt: "", before: null, env: {}, named: [], keep },
    ...{ note: () => {}, record: async (event) => void events.push(event) },
    ...{ warn: (message) => warnings.push(message), endProcesses: async () => {}, checkpointed: () => {} },
    ...{
      redact: redactor({ APP_TOKEN: "correct-horse-battery" }),
      signal,
      lost: signal,
      now: () => new Date(),
    },
  };
  const leave = () => leaveIgnored(job, { worktree: worktree.path, root: worktree.repo });
  return { ...worktree, events, warnings, leave };
}

const inProject = ({ repo }: JobWorktree, path: string) =>
  readFile(join(repo, path), "utf8").catch(() => null);

describe("ignored files of a worktree that goes", () => {
  it("are in the checkpoint where they are small and free of secrets, and are named with their size", async () => {
    const made = await worktreeWith({
      "app.log": "started\n",
      "reports/a.html": "<p>",
      "token.log": "sent correct-horse-battery\n",
      ".env": "A=1\n",
      "big.db": "x".repeat(2 * 1024 * 1024),
      "node_modules/x/index.js": "x",
    });
    expect(await remove(made, { leaveIgnored: made.leave })).toMatchObject({ removed: true });
    const [checkpoint] = await listCheckpoints(made.repo, made.job);
    const held = await git(made.repo, "ls-tree", "-r", "--name-only", checkpoint?.ref ?? "");
    expect(held.split("\n")).toEqual([".gitignore", "a.txt", "app.log", "b/c.txt", "reports/a.html"]);
    expect(made.events).toEqual([
      {
        type: "workspace:ignored",
        more: false,
        files: [
          { path: ".env", files: 1, bytes: 4, to: "nowhere", why: "holds secrets" },
          { path: "app.log", files: 1, bytes: 8, to: "checkpoint" },
          {
            ...{ path: "big.db", files: 1, bytes: 2 * 1024 * 1024 },
            ...{ to: "nowhere", why: "is too large for a checkpoint" },
          },
          { path: "reports/", files: 1, bytes: 3, to: "checkpoint" },
          { path: "token.log", files: 1, bytes: 27, to: "nowhere", why: "holds secrets" },
        ],
      },
    ]);
  });

  it("are not counted where .worktreeinclude brought them along; what was made beside them is", async () => {
    const made = await worktreeWith({ "one.db": "changed", "two.db": "new" });
    await write(made.repo, { ".worktreeinclude": "*.db\n", "one.db": "brought" });
    expect(await made.leave()).toEqual(["two.db"]);
  });

  it("say nothing where there are none", async () => {
    const made = await worktreeWith({ "node_modules/x/index.js": "x" });
    expect(await made.leave()).toEqual([]);
    expect(made.events).toEqual([]);
  });
});

describe("what workspace.keep names", () => {
  it("goes back to the project, and what differs there is kept under another name", async () => {
    const files = { "reports/a.html": "new", "reports/same.html": "same", "app.db": "new", "app.log": "x" };
    const made = await worktreeWith(files, ["reports/", "*.db"]);
    await write(made.repo, { "app.db": "mine", "reports/same.html": "same" });
    expect(await made.leave()).toEqual(["app.log"]);
    expect(await inProject(made, "reports/a.html")).toBe("new");
    expect(await inProject(made, "app.db")).toBe("new");
    const aside = `app.db.before-${made.job}`;
    expect(await inProject(made, aside)).toBe("mine");
    expect((await readdir(join(made.repo, "reports"))).sort()).toEqual(["a.html", "same.html"]);
    expect(made.events.map(({ type }) => type)).toEqual(["workspace:keeping", "workspace:ignored"]);
    expect(made.events[1]).toMatchObject({
      files: expect.arrayContaining([
        { path: "reports/", files: 2, bytes: 7, to: "project" },
        { path: "app.db", files: 1, bytes: 3, to: "project", instead: join(made.repo, aside) },
      ]),
    });
  });

  it("can be brought back again after a kill at any point, and nothing is lost", async () => {
    const made = await worktreeWith({ "app.db": "new" }, ["*.db"]);
    const [target, aside] = [join(made.repo, "app.db"), join(made.repo, `app.db.before-${made.job}`)];
    await writeFile(target, "mine");
    await link(target, aside);
    await write(made.repo, { [`.app.db.${made.job}.half`]: "ne" });
    await made.leave();
    await made.leave();
    expect(await readFile(target, "utf8")).toBe("new");
    expect(await readFile(aside, "utf8")).toBe("mine");
    expect((await readdir(made.repo)).filter((name) => name.includes("app.db"))).toEqual([
      "app.db",
      `app.db.before-${made.job}`,
    ]);
  });

  it("never leaves the project, follows no links, and touches nothing that git tracks there", async () => {
    const made = await worktreeWith({ "reports/a.html": "x", "tracked.html": "x", "out.tmp": "x" }, ["*"]);
    const outside = join(made.top, "outside");
    await mkdir(outside);
    await symlink(outside, join(made.repo, "reports"));
    await symlink("/etc/hostname", join(made.path, "link.html"));
    await write(made.repo, { "tracked.html": "mine" });
    await git(made.repo, "add", "--force", "tracked.html");
    await made.leave();
    expect(await readdir(outside)).toEqual([]);
    expect(await inProject(made, "tracked.html")).toBe("mine");
    expect(await inProject(made, "link.html")).toBe(null);
    expect(await inProject(made, "out.tmp")).toBe(null);
    expect(made.warnings.sort()).toEqual([
      "link.html is not brought back: it is not a plain file.",
      "reports/a.html is not brought back: it is behind a link, or a file is in its way.",
      "tracked.html is not brought back: it is tracked in the project.",
    ]);
  });

  it("keeps the worktree where it cannot be brought back", async () => {
    const made = await worktreeWith({ "app.db": "x" }, ["*.db"]);
    await mkdir(join(made.repo, `.app.db.${made.job}.half`));
    expect(await remove(made, { leaveIgnored: made.leave })).toEqual({
      removed: false,
      reason: expect.stringContaining(`app.db could not be brought back to ${made.repo}: `),
    });
    expect(await readFile(join(made.path, "app.db"), "utf8")).toBe("x");
  });
});
