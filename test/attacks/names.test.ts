import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentInside } from "../../src/app/handoffs/inside.ts";
import { openFolderInside, readInside } from "../../src/files/inside.ts";
import { storeIn } from "../../src/handoff/library.ts";
import { newJobId } from "../../src/jobs/new-id.ts";
import { Registry } from "../../src/sessions/record/registry.ts";
import { branchName } from "../../src/workspace/branches/branch.ts";
import { notOurPlace } from "../../src/workspace/removal/own-place.ts";
import { cloneUrl } from "../../src/workspace/worktrees/clone-url.ts";
import { counted } from "./count.ts";

/** A seed of its own, so that a run that fails can be repeated. */
const SEED = 13;
const COUNT = 2_000;
let top: string;
let root: string;
const count = counted(5 * COUNT);

beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), "baton-names-"));
  root = join(top, "project");
  mkdirSync(join(root, ".baton", "handoffs"), { recursive: true });
  writeFileSync(join(top, "outside.md"), "## Goal\n\noutside\n");
});

afterAll(() => {
  rmSync(top, { recursive: true, force: true });
});

const PARTS = [
  "..",
  ".",
  "/",
  "\\",
  "~",
  "-",
  "--upload-pack=touch x",
  "-c",
  "HEAD",
  "@",
  "@{u}",
  ".git",
  ".lock",
  "refs/heads/",
  "%2e%2e%2f",
  "\0",
  "\n",
  "\r",
  "\u001b[2J",
  "\u202e",
  "\u200b",
  "\ufeff",
  "ext::sh -c id",
  "file://",
  "ssh://-oProxyCommand=id/",
  "git@host:",
  "$(id)",
  "`id`",
  ";id",
  "|id",
  "{agent}",
  ":(top)",
  "*",
  "?",
  "[",
  "^",
  "~1",
  "outside.md",
  "/proc/self/environ",
  "CON",
  "é",
  "e\u0301",
  "😀",
  "\ud800",
  " ",
  "a",
  "job-2026-01-01-abc123",
  "x".repeat(300),
];

const hostile = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...PARTS) },
      fc.string({ maxLength: 8, unit: "binary" }),
    ),
    {
      minLength: 1,
      maxLength: 7,
    },
  )
  .map((parts) => parts.join(""));

const names = fc.sample(hostile, { numRuns: COUNT, seed: SEED });

function attempt(kind: string, name: string, gotThrough: boolean): void {
  count(`${kind}: ${JSON.stringify(name)}`, gotThrough);
}

describe("2,000 generated names", () => {
  it("become branches that git takes for branches, one path deep in a folder of refs", () => {
    const of = { jobId: "job-2026-01-01-abc123", date: new Date(0) };
    const branches = names.map((name, n) => {
      const where = [{ agent: name }, { workItem: name }, { schedule: name }, { jobId: name }][n % 4];
      return branchName("agent/{agent}/{workItem}", { agent: "a", ...of, ...where });
    });
    for (const [n, branch] of branches.entries()) {
      const place = resolve("/refs/heads", branch);
      const isPlain =
        place.startsWith("/refs/heads/agent/") &&
        !/[\p{Cc} ~^:?*[\\]|\.\.|^-|\/-|\.lock(?:\/|$)/u.test(branch);
      attempt("branch", names[n] ?? "", !isPlain || Buffer.byteLength(branch) > 240);
    }
    // Git's own word on all of them, in one process.
    const repo = join(top, "repo");
    execFileSync("git", ["init", "-q", repo]);
    const empty = execFileSync("git", ["-C", repo, "hash-object", "-w", "-t", "tree", "/dev/null"], {
      encoding: "utf8",
    });
    const asked = [...new Set(branches)].map((branch) => `create refs/heads/${branch} ${empty.trim()}`);
    const args = ["-C", repo, "update-ref", "--stdin"];
    const input = ["start", ...asked, "abort", ""].join("\n");
    // A branch must be a commit: with a tree git complains of that alone, and of no name.
    const said = (() => {
      try {
        execFileSync("git", args, { input, stdio: ["pipe", "pipe", "pipe"] });
        return "";
      } catch (error) {
        return String(Reflect.get(Object(error), "stderr"));
      }
    })();
    expect(said).not.toMatch(/invalid ref format|bad name/);
  });

  it("become no folder of a worktree but one below its own, and none is removed for them", async () => {
    const folder = join(root, ".worktrees");
    for (const name of names) {
      const path = join(folder, name);
      const isRemoved =
        (await notOurPlace({ path, job: name, trash: join(folder, ".trash", name) })) === undefined;
      attempt("worktree", name, isRemoved);
    }
    const id = newJobId();
    expect(dirname(join(folder, id))).toBe(folder);
  });

  it("name no document outside, for a server or a command", async () => {
    const folders = { root, handoffDir: join(root, ".baton", "handoffs") };
    for (const name of names) {
      const found = await documentInside(folders, name).catch(() => ({ refused: "error" }));
      attempt("MCP path", name, "text" in found);
    }
  });

  it("are no path that leads out of a project, to read or to write", async () => {
    await using folder = await openFolderInside(root, "documents", { make: { mode: 0o700 } });
    if (!folder) throw new Error("no folder");
    for (const [n, name] of names.entries()) {
      const text = await readInside(root, name).catch(() => undefined);
      attempt("document", name, text !== undefined);
      if (n % 20 !== 0) continue;
      // A name of ours is made of the time, whatever else comes from elsewhere.
      await storeIn(folder, `handoff-2026-01-01-000000`, name);
    }
    expect(
      readdirSync(join(root, "documents")).every((name) =>
        /^handoff-2026-01-01-000000(-\d+)?\.md$/.test(name),
      ),
    ).toBe(true);
    expect(readdirSync(top).sort()).toEqual(["outside.md", "project", "repo"]);
  });

  it("are no address that git takes for an option or a program", async () => {
    for (const name of names) {
      const url = await cloneUrl(name, false).catch(() => undefined);
      attempt("clone address", name, url !== undefined && (url.startsWith("-") || /^[\w+.-]+::/.test(url)));
    }
  });

  it("are no id of a session that leads out of its folder", () => {
    const registry = new Registry(join(root, "state", "sessions"));
    for (const name of names) {
      let path: string | undefined;
      try {
        path = registry.beside("facts", name);
      } catch {
        // Refused.
      }
      const way = path === undefined ? "" : relative(join(root, "state", "facts"), path);
      attempt("session id", name, way.startsWith("..") || way !== (path === undefined ? "" : basename(path)));
    }
  });
});

it("leaves ordinary names as they are", async () => {
  const of = { jobId: "job-2026-01-01-abc123", date: new Date(0) };
  for (const workItem of ["PROJ-12", "fix_the.thing", "größe", "変更"]) {
    expect(branchName("agent/{agent}/{workItem}", { ...of, agent: "coder", workItem })).toBe(
      `agent/coder/${workItem}`,
    );
  }
  for (const url of ["https://github.com/you/project.git", "git@host:path.git", "ssh://git@host/x"]) {
    expect(await cloneUrl(url, false)).toBe(url);
  }
});
