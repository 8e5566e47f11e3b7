import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { git, ofType, type TestProject } from "./harness.ts";
import { handedOver, handsIn, oneHandoff, writesNotes } from "./one-handoff.ts";

const TEMPLATE = "# Our handoff\n\n## Pending tasks\n\n## House rules\n\nNone yet.\n\n## Next actions\n";
const PRESENT =
  "# Our handoff\n\n## Pending tasks\n\n- [ ] an old task\n\n## House rules\n\nBe kind.\n\n## Wishes\n\nMore tests.\n";
const agent = "handoff: { living_document: { path: docs/HANDOFF.md, size_threshold: 20 } }";

const living = ({ folder }: TestProject) => readFile(join(folder, "docs", "HANDOFF.md"), "utf8");
const lastCommit = ({ folder }: TestProject) => git(folder, "show", "--name-only", "--format=%s", "HEAD");
const warnings = (events: Parameters<typeof ofType>[0]) =>
  ofType(events, "warning").map(({ message }) => message);

async function commitFiles({ folder }: TestProject, files: Record<string, string>): Promise<void> {
  await mkdir(join(folder, "docs"), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await git(folder, "add", "--", ...Object.keys(files));
  await git(folder, "commit", "-qm", "Add files");
}

async function addHook({ folder }: TestProject, script: string): Promise<void> {
  const path = join(folder, ".git", "hooks", "pre-commit");
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

function handOver(prepare: (project: TestProject) => Promise<unknown>) {
  return handedOver(oneHandoff([writesNotes], handsIn({})), { agent, prepare });
}

it("is brought up to date in place, and committed alone before the old session ends", async () => {
  const { project, events, stored } = await handOver(async (project) => {
    const { folder } = project;
    const files = { "docs/HANDOFF-template.md": TEMPLATE, "docs/HANDOFF.md": PRESENT, "dirty.txt": "a\n" };
    await commitFiles(project, files);
    await writeFile(join(folder, "staged.txt"), "b\n");
    await git(folder, "add", "staged.txt");
    await writeFile(join(folder, "dirty.txt"), "changed\n");
    await addHook(project, "ps -eo args > .git/running");
  });
  expect(await living(project)).toBe(
    "# Our handoff\n\n## Pending tasks\n\n- [ ] The second line\n\n## House rules\n\nBe kind.\n\n" +
      "## Next actions\n\n- Write the second line.\n\n## Wishes\n\nMore tests.\n",
  );
  expect(await lastCommit(project)).toBe("docs: handoff checkpoint\n\ndocs/HANDOFF.md");
  expect(await git(project.folder, "status", "--porcelain")).toBe("M dirty.txt\nA  staged.txt\n?? notes.txt");
  expect(await readFile(join(project.folder, ".git", "running"), "utf8")).toContain(stored.session);
  expect(warnings(events)).toEqual([]);
});

it("is begun from the standard template where the project has none, which gets it as a file", async () => {
  const { project } = await handOver(async () => {});
  const text = await living(project);
  expect(text).toMatch(/^# Orchestration Handoff\n\n## Session Info\n\n- \*\*Timestamp\*\*: \d{4}-/);
  expect(text).toContain("## Next Actions\n\n- Write the second line.");
  const template = await readFile(join(project.folder, "docs", "HANDOFF-template.md"), "utf8");
  expect(template).toMatch(/^# Orchestration Handoff\n\n## Session Info\n\n## Active Workers\n/);
  expect(await lastCommit(project)).toBe(
    "docs: handoff checkpoint\n\ndocs/HANDOFF-template.md\ndocs/HANDOFF.md",
  );
});

it("goes to the archive under its time when it has outgrown its size, and begins afresh", async () => {
  const long = `${PRESENT}${"- one more\n".repeat(30)}`;
  const { project } = await handOver((project) =>
    commitFiles(project, { "docs/HANDOFF-template.md": TEMPLATE, "docs/HANDOFF.md": long }),
  );
  const [name = "", ...others] = await readdir(join(project.folder, "docs", "HANDOFF-archive"));
  expect(others).toEqual([]);
  expect(name).toMatch(/^HANDOFF-\d{4}-\d\d-\d\d-\d{4}\.md$/);
  expect(await readFile(join(project.folder, "docs", "HANDOFF-archive", name), "utf8")).toBe(long);
  expect(await living(project)).toBe(
    "# Our handoff\n\n## Pending tasks\n\n- [ ] The second line\n\n## House rules\n\nNone yet.\n\n" +
      "## Next actions\n\n- Write the second line.\n",
  );
  expect(await lastCommit(project)).toBe(
    `docs: handoff checkpoint\n\ndocs/HANDOFF-archive/${name}\ndocs/HANDOFF.md`,
  );
});

it("is left alone while it has a merge conflict: the handoff lies beside it", async () => {
  let conflict = "";
  const { project, events } = await handOver(async (project) => {
    const { folder } = project;
    await commitFiles(project, { "docs/HANDOFF.md": PRESENT });
    await git(folder, "checkout", "-qb", "other");
    await commitFiles(project, { "docs/HANDOFF.md": PRESENT.replace("an old task", "their task") });
    await git(folder, "checkout", "-q", "main");
    await commitFiles(project, { "docs/HANDOFF.md": PRESENT.replace("an old task", "our task") });
    await git(folder, "merge", "-q", "other").catch(() => {});
    conflict = await living(project);
  });
  expect(conflict).toContain("<<<<<<<");
  expect(await living(project)).toBe(conflict);
  expect(await git(project.folder, "ls-files", "--unmerged")).toContain("docs/HANDOFF.md");
  const [warning = ""] = warnings(events);
  expect(warning).toContain("docs/HANDOFF.md has a merge conflict");
  const aside = (await readdir(join(project.folder, "docs"))).filter((name) => name !== "HANDOFF.md");
  expect(aside).toHaveLength(1);
  expect(warning).toContain(aside[0]);
  const text = await readFile(join(project.folder, "docs", aside[0] ?? ""), "utf8");
  expect(text).toContain("- Write the second line.");
});

it("stays uncommitted, with both versions there, when a hook rejects the commit", async () => {
  const { project, events } = await handOver(async (project) => {
    await commitFiles(project, { "docs/HANDOFF.md": PRESENT });
    await addHook(project, "echo 'No commits on Sundays' >&2; exit 1");
  });
  expect(await git(project.folder, "show", "HEAD:docs/HANDOFF.md")).toBe(PRESENT.trim());
  expect(await living(project)).toContain("- [ ] The second line");
  expect(warnings(events)).toEqual([expect.stringMatching(/docs\/HANDOFF\.md.*No commits on Sundays/)]);
});

it("is written without a commit where there is no repository", async () => {
  const { project, events } = await handOver(({ folder }) =>
    rm(join(folder, ".git"), { recursive: true, force: true }),
  );
  expect(await living(project)).toContain("- [ ] The second line");
  expect(warnings(events)).toEqual([expect.stringMatching(/not a git repository/)]);
});

it("does not stop the work when it cannot be written", async () => {
  const { project, events } = await handOver(({ folder }) =>
    mkdir(join(folder, "docs", "HANDOFF.md"), { recursive: true }),
  );
  expect(await readdir(join(project.folder, "docs", "HANDOFF.md"))).toEqual([]);
  expect(warnings(events)).toEqual([
    expect.stringMatching(/docs\/HANDOFF\.md could not be brought up to date/),
  ]);
});
