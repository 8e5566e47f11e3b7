import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { documentInside } from "../../src/app/handoffs/inside.ts";
import { checkAllPaths } from "../../src/config/check-paths.ts";
import type { LivingDocumentConfig } from "../../src/config/config.ts";
import { userConfigPath } from "../../src/config/find.ts";
import { loadConfigOf } from "../../src/config/load.ts";
import { openFolderInside, readInside } from "../../src/files/inside.ts";
import { emptyAccount } from "../../src/handoff/account.ts";
import type { HandoffDocument } from "../../src/handoff/document.ts";
import { openHandoffDir, storeDocument } from "../../src/handoff/library.ts";
import { archiveLivingDocument, updateLivingDocument } from "../../src/handoff/living/living.ts";
import { readTemplate } from "../../src/handoff/template.ts";
import { redactor } from "../../src/secrets/redact.ts";
import { readPending, writePending } from "../../src/sessions/handoff/pending.ts";
import { openStore } from "../../src/store/store.ts";
import { bringAlong } from "../../src/workspace/worktrees/bring-along.ts";
import { configAt } from "../agree.ts";
import { git } from "../repository.ts";
import { counted } from "./count.ts";

const SECRET = "correct-horse-battery-staple";
const now = new Date(2026, 0, 2, 3, 4);
let top: string;
let root: string;
let secret: string;
const count = counted(45);

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), "baton-escapes-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  root = join(top, "project");
  secret = join(top, "outside", "secret.txt");
  mkdirSync(join(root, "docs"), { recursive: true });
  mkdirSync(dirname(secret));
  writeFileSync(secret, `# ${SECRET}\n\n## Goal\n\n${SECRET}\n`);
  vi.stubEnv("XDG_STATE_HOME", join(top, "state"));
  vi.stubEnv("API_TOKEN", SECRET);
  execFileSync("git", ["init", "-q", "-b", "main", root]);
  await git(root, "config", "user.name", "T");
  await git(root, "config", "user.email", "t@t.invalid");
});

function attempt(name: string, gotThrough: boolean): void {
  count(name, gotThrough);
  expect(gotThrough, name).toBe(false);
}

/** What a test plants at a path below the project, and whether reading it gave anything of what lies outside. */
async function reads(path: string): Promise<boolean> {
  const text = await readInside(root, path).catch(() => undefined);
  return text?.includes(SECRET) ?? false;
}

describe("a file that a project names", () => {
  it("is not reached by words that lead out", async () => {
    const words = [
      "../outside/secret.txt",
      "docs/../../outside/secret.txt",
      "./../outside/secret.txt",
      secret,
      `docs/${"../".repeat(40)}${secret.slice(1)}`,
      "..",
      "",
      ".",
      "/",
      "docs/\0/../../outside/secret.txt",
      "/proc/self/environ",
      "//proc/self/environ",
      "docs//../..//outside/secret.txt",
      `/proc/self/root${"x"}/../..${"y"}`,
    ];
    for (const path of words) attempt(`read ${JSON.stringify(path)}`, await reads(path));
  });

  it("is not reached through a link at any part of its path", async () => {
    mkdirSync(join(root, "a", "b"), { recursive: true });
    symlinkSync(secret, join(root, "a", "b", "file"));
    attempt("the last part is a link", await reads("a/b/file"));
    symlinkSync(dirname(secret), join(root, "a", "folder"));
    attempt("a folder is a link", await reads("a/folder/secret.txt"));
    symlinkSync(top, join(root, "first"));
    attempt("the first part is a link", await reads("first/outside/secret.txt"));
    symlinkSync("../outside", join(root, "relative"));
    attempt("a relative link", await reads("relative/secret.txt"));
    symlinkSync("first", join(root, "chain"));
    attempt("a chain of links", await reads("chain/outside/secret.txt"));
    symlinkSync("/proc/self/environ", join(root, "environ"));
    attempt("a link to /proc/self/environ", await reads("environ"));
    symlinkSync("/proc/self/root", join(root, "proc-root"));
    attempt("a link to /proc/self/root", await reads(`proc-root${secret}`));
    symlinkSync("loop", join(root, "loop"));
    attempt("a link to itself", await reads("loop/x"));
  });

  it("is a regular file with one name and of a size that fits, and nobody waits for it", async () => {
    linkSync(secret, join(root, "hard"));
    attempt("a hard link to a file outside", await reads("hard"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    attempt("a pipe", (await readInside(root, "pipe").catch(() => undefined)) !== undefined);
    attempt("a folder", (await readInside(root, "docs").catch(() => undefined)) !== undefined);
    symlinkSync("/dev/zero", join(root, "device"));
    attempt("a device", (await readInside(root, "device").catch(() => undefined)) !== undefined);
    writeFileSync(join(root, "huge"), "");
    truncateSync(join(root, "huge"), 2 ** 40);
    attempt("a file of a terabyte", (await readInside(root, "huge").catch(() => undefined)) !== undefined);
    writeFileSync(join(root, "large"), "x".repeat(1024 * 1024 + 1));
    attempt("a byte too many", (await readInside(root, "large").catch(() => undefined)) !== undefined);
    writeFileSync(join(root, "fits"), "x".repeat(1024 * 1024));
    expect(await readInside(root, "fits")).toHaveLength(1024 * 1024);
  });

  it("stays the one that was looked at, whatever takes its place in between", async () => {
    mkdirSync(join(root, "swap"));
    writeFileSync(join(root, "swap", "secret.txt"), "harmless");
    await using folder = await openFolderInside(root, "swap");
    renameSync(join(root, "swap"), join(root, "was"));
    symlinkSync(dirname(secret), join(root, "swap"));
    const text = readFileSync(join(folder?.path ?? "", "secret.txt"), "utf8");
    attempt("a folder swapped for a link between look and open", text.includes(SECRET));
    let through = 0;
    const swaps = swapping(join(root, "race"), dirname(secret));
    for (let n = 0; n < 200; n++) {
      swaps();
      if (await reads("race/secret.txt")) through++;
    }
    attempt("a folder that is a link every other moment", through > 0);
  });
});

/** Turns a path from a folder into a link and back, at each call. */
function swapping(path: string, target: string): () => void {
  mkdirSync(path);
  writeFileSync(join(path, "secret.txt"), "harmless");
  let isLink = false;
  return () => {
    if (isLink) {
      rmSync(path);
      renameSync(`${path}-aside`, path);
    } else {
      renameSync(path, `${path}-aside`);
      symlinkSync(target, path);
    }
    isLink = !isLink;
  };
}

const handoff: HandoffDocument = {
  head: {
    number: 1,
    created: "2026-01-02T03:04:00.000Z",
    reason: "threshold",
    session: "s",
    tokens: 1,
    window: 2,
    percent: 50,
  } as HandoffDocument["head"],
  account: { ...emptyAccount(), goal: "Go on." },
  facts: "None.",
};

const usual: LivingDocumentConfig = {
  path: "docs/HANDOFF.md",
  templatePath: "docs/HANDOFF-template.md",
  archiveDir: "docs/HANDOFF-archive/",
  sizeThreshold: 500,
  autoCommit: true,
  commitHooks: false,
};

/** Everything that git has in any commit, and every file of the project and outside that was not there. */
async function update(config: Partial<LivingDocumentConfig> = {}): Promise<string> {
  const redact = redactor({});
  await updateLivingDocument(root, { ...usual, ...config }, handoff, { now, redact });
  return (await git(root, "log", "--all", "-p", "--format=%s").catch(() => "")) ?? "";
}

describe("a living document", () => {
  it("`docs/HANDOFF.md` as a link to /proc/self/environ committed the user's keys: it does not", async () => {
    vi.stubEnv("SOME_SETTING", "value-of-the-environment");
    symlinkSync("/proc/self/environ", join(root, "docs", "HANDOFF.md"));
    const committed = await update();
    attempt(
      "docs/HANDOFF.md as a link to /proc/self/environ",
      /PATH=|value-of-the-environment/.test(committed),
    );
    rmSync(join(root, "docs", "HANDOFF.md"));
    symlinkSync(secret, join(root, "docs", "HANDOFF.md"));
    attempt("docs/HANDOFF.md as a link to a file", (await update()).includes(SECRET));
    attempt("a link to a file: written through it", !readFileSync(secret, "utf8").startsWith(`# ${SECRET}`));
    rmSync(join(root, "docs", "HANDOFF.md"));
    linkSync(secret, join(root, "docs", "HANDOFF.md"));
    attempt("docs/HANDOFF.md as a hard link", (await update()).includes(SECRET));
    attempt("a hard link: written through it", !readFileSync(secret, "utf8").startsWith(`# ${SECRET}`));
  });

  it("leads nowhere by its folder, its template or its archive", async () => {
    rmSync(join(root, "docs"), { recursive: true });
    symlinkSync(dirname(secret), join(root, "docs"));
    await update();
    attempt("docs as a link", readdirSync(dirname(secret)).join() !== "secret.txt");
    attempt("path outside", (await update({ path: "../outside/secret.txt" })).includes(SECRET));
    attempt("absolute path", (await update({ path: secret })).includes(SECRET));
    rmSync(join(root, "docs"));
    mkdirSync(join(root, "docs"));
    symlinkSync(secret, join(root, "docs", "HANDOFF-template.md"));
    attempt("template as a link", (await update()).includes(SECRET));
    attempt("template outside", (await update({ templatePath: "../outside/secret.txt" })).includes(SECRET));
    attempt("template absolute", (await update({ templatePath: secret })).includes(SECRET));
    rmSync(join(root, "docs", "HANDOFF-template.md"));
    writeFileSync(join(root, "docs", "HANDOFF.md"), "x\n".repeat(100));
    const small = { sizeThreshold: 20 };
    await update({ ...small, archiveDir: "../outside" });
    attempt("archive_dir outside", readdirSync(dirname(secret)).join() !== "secret.txt");
    symlinkSync(dirname(secret), join(root, "docs", "HANDOFF-archive"));
    await update(small);
    attempt("archive_dir as a link", readdirSync(dirname(secret)).join() !== "secret.txt");
    await update({ ...small, archiveDir: join(dirname(secret), "new") });
    attempt("archive_dir absolute", existsSync(join(dirname(secret), "new")));
  });

  it("is redacted as a whole, whatever stood in it before", async () => {
    writeFileSync(join(root, "docs", "HANDOFF.md"), `# X\n\n## Notes\n\ntoken ${SECRET}\n`);
    writeFileSync(join(root, "docs", "HANDOFF-template.md"), `# ${SECRET}\n\n## Notes\n`);
    const redact = redactor({ API_TOKEN: SECRET });
    const config = { ...usual, sizeThreshold: 20 };
    await updateLivingDocument(root, config, handoff, { now, redact });
    await archiveLivingDocument(root, config, { now, redact });
    const committed = await git(root, "log", "--all", "-p");
    attempt("a secret in the document, its template or its archive", committed.includes(SECRET));
    expect(committed).toContain("[redacted: API_TOKEN]");
  });

  it("commits by its name alone, and runs no hook", async () => {
    writeFileSync(join(root, "other.txt"), SECRET);
    const ran = join(top, "ran");
    mkdirSync(join(root, ".git", "hooks"), { recursive: true });
    writeFileSync(join(root, ".git", "hooks", "pre-commit"), `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
    attempt("a path that is a pattern of git's", (await update({ path: ":(top,glob)**" })).includes(SECRET));
    await update({ path: "docs/OTHER.md" });
    attempt("a commit hook at the living document", existsSync(ran));
  });
});

describe("handoff.dir, its pending file, templates and configured paths", () => {
  it("do not leave the project that names them", async () => {
    const outside = dirname(secret);
    const dir = join(root, ".baton", "handoffs");
    mkdirSync(join(root, ".baton"));
    symlinkSync(outside, dir);
    const store = (place: { dir: string; within?: string }) =>
      storeDocument(place, now, "text").catch(() => undefined);
    attempt("handoffs as a link", (await store({ dir, within: root })) !== undefined);
    const pending = { document: "/d", number: 1, session: "s", created: "c", reason: "r" };
    attempt(
      "pending file through a link",
      await writePending({ dir, within: root }, pending).then(
        () => true,
        () => false,
      ),
    );
    rmSync(join(root, ".baton"), { recursive: true });
    symlinkSync(outside, join(root, ".baton"));
    attempt(".baton as a link, for documents", (await store({ dir, within: root })) !== undefined);
    attempt(
      "a store behind a link",
      await openStore(join(root, ".baton", "baton.db")).then(
        () => true,
        () => false,
      ),
    );
    attempt("handoff.dir outside", (await store({ dir: join(outside, "x"), within: root })) !== undefined);
    expect(readdirSync(outside)).toEqual(["secret.txt"]);
    symlinkSync(secret, join(root, "HANDOFF_PENDING.md"));
    attempt("pending file as a link", (await readPending(root)).length > 0);
  });

  it.each([
    ["handoff.dir outside", "handoff: { dir: ../outside }"],
    ["handoff.dir absolute", "handoff: { dir: /tmp/x }"],
    ["handoff.dir in the home folder", "handoff: { dir: ~/x }"],
    ["handoff.dir through a link", "handoff: { dir: link/x }"],
    ["template_path outside", "handoff: { template_path: ../outside/secret.txt }"],
    ["template_path as a link", "handoff: { template_path: template.md }"],
    ["template_path of the system", "handoff: { template_path: /proc/self/environ }"],
  ])("are refused before anything starts: %s", (name, line) => {
    symlinkSync(dirname(secret), join(root, "link"));
    symlinkSync(secret, join(root, "template.md"));
    const configPath = join(root, "baton.yaml");
    writeFileSync(configPath, `agents:\n  - name: a\n    ${line}\n`);
    let refused = "";
    try {
      checkAllPaths(configAt(configPath));
    } catch (error) {
      refused = String(error);
    }
    attempt(`configured: ${name}`, !/outside of the project|is a link/.test(refused));
  });

  it("are not read as a template through a link, at whatever moment it is put there", async () => {
    const templatePath = join(root, "template.md");
    symlinkSync(secret, templatePath);
    const read = await readTemplate({ templatePath, templateWithin: root }).catch(() => ({ order: [] }));
    attempt("template_path as a link when it is read", read.order.length > 0);
  });

  it("are the user's to put anywhere in their own file", async () => {
    vi.stubEnv("XDG_CONFIG_HOME", join(top, "config"));
    mkdirSync(dirname(userConfigPath()), { recursive: true });
    const elsewhere = join(top, "elsewhere");
    writeFileSync(
      userConfigPath(),
      `defaults:\n  handoff: { dir: ${elsewhere}, template_path: ${secret} }\n`,
    );
    writeFileSync(join(root, "baton.yaml"), "agents:\n  - name: a\n");
    const config = loadConfigOf({ root, configPath: join(root, "baton.yaml") });
    checkAllPaths(config);
    const [agent] = config.agents;
    if (!agent) throw new Error("no agent");
    expect((await readTemplate(agent.handoff)).order).toEqual(["Goal"]);
    const path = await storeDocument(agent.handoff, now, "text");
    expect(dirname(path)).toBe(elsewhere);
  });
});

describe("documents that a server or a command reads", () => {
  it("are inside, and no links, pipes or devices", async () => {
    const folders = { root, handoffDir: join(root, ".baton", "handoffs") };
    mkdirSync(folders.handoffDir, { recursive: true });
    symlinkSync(secret, join(folders.handoffDir, "handoff-2026-01-01-000000.md"));
    symlinkSync(dirname(secret), join(root, "link"));
    execFileSync("mkfifo", [join(root, "pipe.md")]);
    for (const named of [
      "handoff-2026-01-01-000000.md",
      "link/secret.txt",
      "../outside/secret.txt",
      secret,
      "/proc/self/environ",
      "pipe.md",
      "docs",
    ]) {
      const found = await documentInside(folders, named);
      attempt(`documentInside ${named}`, "text" in found);
    }
  });
});

describe("what is brought along into a worktree", () => {
  it("is not copied through a link, out of the tree or from outside of it", async () => {
    writeFileSync(join(root, ".gitignore"), "*.env\nlinked/\n");
    writeFileSync(join(root, ".worktreeinclude"), "*.env\nlinked/\n../outside/*\n/proc/self/environ\n");
    symlinkSync(secret, join(root, "a.env"));
    mkdirSync(join(root, "sub"));
    writeFileSync(join(root, "sub", "b.env"), "mine");
    await git(root, "add", ".gitignore", ".worktreeinclude");
    await git(root, "commit", "-qm", "First");
    const tree = join(top, "tree");
    await git(root, "worktree", "add", "-q", "--detach", tree);
    symlinkSync(dirname(secret), join(tree, "sub"));
    const taken = await bringAlong(root, tree, []);
    attempt("into a folder of the worktree that is a link", existsSync(join(dirname(secret), "b.env")));
    attempt(
      "a file outside that the list names",
      taken.some((path) => path.includes("secret") || path.includes("environ")),
    );
    const copied = lstatSync(join(tree, "a.env"), { throwIfNoEntry: false })?.isFile() ?? false;
    attempt("a link copied as the file that it leads to", copied);
  });
});

describe("the honest twin", () => {
  it("keeps a living document with its template and archive, in folders that are made for it", async () => {
    const config = {
      path: "notes/deep/HANDOFF.md",
      templatePath: "notes/template.md",
      archiveDir: "./notes/old/",
    };
    mkdirSync(join(root, "notes"));
    writeFileSync(join(root, "notes", "template.md"), "# Ours\n\n## Goal\n\n## Notes\n");
    expect(await update(config)).toContain("docs: handoff checkpoint");
    expect(readFileSync(join(root, "notes/deep/HANDOFF.md"), "utf8")).toContain("Go on.");
    writeFileSync(join(root, "notes/deep/HANDOFF.md"), `# Ours\n\n## Notes\n\n${"kept\n".repeat(600)}`);
    await update(config);
    expect(readdirSync(join(root, "notes/old"))).toEqual(["HANDOFF-2026-01-02-0304.md"]);
    expect(await git(root, "status", "--porcelain", "--", "notes/deep", "notes/old")).toBe("");
  });

  it("works in a project that is itself reached through a link", async () => {
    const linked = join(top, "linked");
    symlinkSync(root, linked);
    await using folder = await openHandoffDir({ dir: join(linked, ".baton", "handoffs"), within: linked });
    expect(readdirSync(folder.path)).toEqual([]);
    writeFileSync(join(root, "docs", "x.md"), "text");
    expect(await readInside(linked, "docs/x.md")).toBe("text");
    expect(await readInside(linked, "docs/none.md")).toBeUndefined();
  });
});
