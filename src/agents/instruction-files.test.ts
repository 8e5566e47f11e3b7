import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRepository, temporaryFolder } from "../../test/job-worktree.ts";
import { instructionsBeside } from "./instruction-files.ts";

async function projectWith(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const besides = async (folder: string, ...reads: string[]) =>
  (await instructionsBeside(folder, reads)).map(({ path, text }) => `${path}: ${text}`);

describe("instructions that a program does not read by itself", () => {
  it("are those in all files but the first of its own that is there", async () => {
    const folder = await projectWith({ "CLAUDE.md": "tabs", "AGENTS.md": "pnpm", "GEMINI.md": "brief" });
    expect(await besides(folder, "CLAUDE.md", "AGENTS.md")).toEqual(["AGENTS.md: pnpm", "GEMINI.md: brief"]);
    expect(await besides(folder, "AGENTS.md")).toEqual(["CLAUDE.md: tabs", "GEMINI.md: brief"]);
    expect(await besides(folder)).toEqual(["CLAUDE.md: tabs", "AGENTS.md: pnpm", "GEMINI.md: brief"]);
    const other = await projectWith({ "AGENTS.md": "pnpm" });
    expect(await besides(other, "CLAUDE.md", "AGENTS.md")).toEqual([]);
    expect(await besides(other, "GEMINI.md")).toEqual(["AGENTS.md: pnpm"]);
  });

  it("are not said twice: the same words, a link, an import", async () => {
    const same = await projectWith({ "CLAUDE.md": "tabs\n", "AGENTS.md": "tabs", "GEMINI.md": " tabs" });
    expect(await besides(same, "AGENTS.md")).toEqual([]);
    expect(await besides(same)).toEqual(["CLAUDE.md: tabs\n"]);
    const linked = await projectWith({ "AGENTS.md": "pnpm" });
    await symlink("AGENTS.md", join(linked, "CLAUDE.md"));
    expect(await besides(linked, "CLAUDE.md")).toEqual([]);
    expect(await besides(linked, "GEMINI.md")).toEqual(["CLAUDE.md: pnpm"]);
    const imported = await projectWith({ "CLAUDE.md": "Read @./AGENTS.md first.", "AGENTS.md": "pnpm" });
    expect(await besides(imported, "CLAUDE.md")).toEqual([]);
    expect(await besides(imported, "AGENTS.md")).toEqual(["CLAUDE.md: Read @./AGENTS.md first."]);
  });

  it("are looked for from the top of the repository down to the folder, and nowhere else", async () => {
    const { repo: top } = await createRepository();
    const folder = join(top, "packages", "api");
    await mkdir(folder, { recursive: true });
    await writeFile(join(top, "CLAUDE.md"), "tabs");
    await writeFile(join(folder, "CLAUDE.md"), "no tabs here");
    expect(await besides(folder, "AGENTS.md")).toEqual(["../../CLAUDE.md: tabs", "CLAUDE.md: no tabs here"]);
    await symlink("/etc/hostname", join(folder, "GEMINI.md"));
    expect(await besides(folder, "CLAUDE.md")).toEqual([]);
  });
});
