import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LivingDocumentConfig } from "../../config/config.ts";
import { redactor } from "../../secrets/redact.ts";
import { archiveLivingDocument, LivingDocumentConflict } from "./living.ts";

const run = promisify(execFile);
const config: LivingDocumentConfig = {
  path: "docs/HANDOFF.md",
  templatePath: "docs/HANDOFF-template.md",
  archiveDir: "docs/HANDOFF-archive/",
  sizeThreshold: 500,
  autoCommit: true,
  commitHooks: false,
};
const now = new Date(2026, 10, 15, 20, 5);
const redact = redactor({});

async function createRepository(document: string) {
  const folder = await mkdtemp(join(tmpdir(), "baton-living-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const git = async (...args: string[]) => (await run("git", ["-C", folder, ...args])).stdout.trim();
  const write = async (text: string) => writeFile(join(folder, config.path), text);
  await mkdir(join(folder, "docs"));
  await git("init", "-q", "-b", "main");
  await git("config", "user.name", "Test");
  await git("config", "user.email", "test@example.invalid");
  await write(document);
  await git("add", "-A");
  await git("commit", "-qm", "Begin");
  return { folder, git, write, read: (name: string) => readFile(join(folder, name), "utf8") };
}

describe("a living document that is archived by hand", () => {
  it("lies in the archive as it was, and begins again from the template, in one commit", async () => {
    const { folder, git, read } = await createRepository("# Old\n");
    await writeFile(join(folder, "staged.txt"), "");
    await git("add", "staged.txt");
    const { archived, warning } = await archiveLivingDocument(folder, config, { now, redact });
    expect(warning).toBeUndefined();
    expect(archived).toBe("docs/HANDOFF-archive/HANDOFF-2026-11-15-2005.md");
    expect(await read(archived)).toBe("# Old\n");
    expect(await read(config.path)).toMatch(/^# Orchestration Handoff\n/);
    expect(await read(config.templatePath)).toBe(await read(config.path));
    expect(await git("show", "--name-only", "--format=")).toBe(
      `${archived}\n${config.templatePath}\n${config.path}`,
    );
    expect(await git("status", "--porcelain")).toBe("A  staged.txt");
  });

  it("twice in a minute is there twice", async () => {
    const { folder, write, read } = await createRepository("# One\n");
    const first = await archiveLivingDocument(folder, config, { now, redact });
    await write("# Two\n");
    const second = await archiveLivingDocument(folder, config, { now, redact });
    expect(await Promise.all([read(first.archived), read(second.archived)])).toEqual(["# One\n", "# Two\n"]);
  });

  it("is left alone while it has a merge conflict", async () => {
    const { folder, git, write, read } = await createRepository("# One\n");
    await git("checkout", "-qb", "other");
    await write("# Theirs\n");
    await git("commit", "-qam", "Theirs");
    await git("checkout", "-q", "main");
    await write("# Ours\n");
    await git("commit", "-qam", "Ours");
    await git("merge", "-q", "other").catch(() => {});
    const conflict = await read(config.path);
    await expect(archiveLivingDocument(folder, config, { now, redact })).rejects.toThrow(
      LivingDocumentConflict,
    );
    expect(await read(config.path)).toBe(conflict);
    expect(conflict).toContain("<<<<<<<");
    expect(await readdir(join(folder, "docs"))).toEqual(["HANDOFF.md"]);
  });
});
