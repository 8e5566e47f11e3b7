import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, symlink, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type HandedOff, handedOffJob } from "./handed-off-job.ts";
import { baton, git, type TestProject, testProject } from "./harness.ts";

const scenario = { name: "done", summary: "is done at once", otherwise: { say: "Done." } };
const ID = "job-2026-01-01-aaaaaa";
const DAY_MS = 24 * 60 * 60 * 1_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
const inArchive = (path: string) => join(dirname(path), "archive", basename(path));

async function listed(project: TestProject, id: string): Promise<string[]> {
  const { stdout } = await baton(project, ["handoffs", id, "--json"]);
  return JSON.parse(stdout).map(({ documentPath }: { documentPath: string }) => documentPath);
}

describe("baton handoff archive <job>", () => {
  it("moves the documents of a completed job, and every view points at the new place", async () => {
    const project = await testProject({ scenario });
    const paths = await handedOffJob(project.folder, { id: ID, at: daysAgo(0), handoffs: 2 });
    const texts = await Promise.all(paths.map((path) => readFile(path, "utf8")));
    const { code, stdout } = await baton(project, ["handoff", "archive", ID, "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ jobs: [ID], archived: paths.map(inArchive) });
    expect(paths.filter((path) => existsSync(path))).toEqual([]);
    expect(await listed(project, ID)).toEqual(paths.map(inArchive));
    expect((await baton(project, ["show", ID])).stdout).toContain(inArchive(paths[1] ?? ""));
    expect((await baton(project, ["handoff", "show", "1"])).stdout).toBe(texts[0]);
    expect((await baton(project, ["handoff", "archive", ID])).stdout).toBe("Archived 0 documents.\n");
  });

  it("never replaces a file that is in the archive", async () => {
    const project = await testProject({ scenario });
    const [path = ""] = await handedOffJob(project.folder, { id: ID, at: daysAgo(0) });
    await mkdir(dirname(inArchive(path)));
    await writeFile(inArchive(path), "somebody's own");
    expect((await baton(project, ["handoff", "archive", ID])).code).toBe(0);
    expect(await readFile(inArchive(path), "utf8")).toBe("somebody's own");
    const [archived = ""] = await listed(project, ID);
    expect(archived).toBe(inArchive(path).replace(/\.md$/, "-2.md"));
    expect(await readFile(archived, "utf8")).toContain(ID);
  });

  it("finds a document whose move was cut off, and finishes the move", async () => {
    const project = await testProject({ scenario });
    const [path = ""] = await handedOffJob(project.folder, { id: ID, at: daysAgo(0) });
    await baton(project, ["handoff", "archive", ID]);
    await rename(inArchive(path), path);
    expect(await listed(project, ID)).toEqual([path]);
    expect((await baton(project, ["handoff", "show", "1"])).code).toBe(0);
    expect((await baton(project, ["handoff", "archive", ID])).stdout).toContain(inArchive(path));
    expect(await listed(project, ID)).toEqual([inArchive(path)]);
  });

  it("is refused for a job that is not over", async () => {
    const project = await testProject({ scenario });
    const [path = ""] = await handedOffJob(project.folder, { id: ID, at: daysAgo(0), end: "open" });
    const { code, stderr } = await baton(project, ["handoff", "archive", ID]);
    expect(code).toBe(2);
    expect(stderr).toContain("archived when it is completed, failed or cancelled");
    expect(existsSync(path)).toBe(true);
  });
});

it("baton handoff archive --epic moves those of all jobs of the epic that are over and no others", async () => {
  const project = await testProject({ scenario });
  const at = daysAgo(0);
  const job = (id: string, more: Partial<HandedOff>) => handedOffJob(project.folder, { id, at, ...more });
  const [one = ""] = await job("job-2026-01-01-aaaaaa", { epic: "login" });
  const [two = ""] = await job("job-2026-01-01-bbbbbb", { epic: "login", end: "failed" });
  const [open = ""] = await job("job-2026-01-01-cccccc", { epic: "login", end: "open" });
  const [other = ""] = await job("job-2026-01-01-dddddd", {});
  const { stdout } = await baton(project, ["handoff", "archive", "--epic", "login", "--json"]);
  const done = JSON.parse(stdout);
  expect(done.archived.sort()).toEqual([one, two].map(inArchive).sort());
  expect(done.open).toEqual(["job-2026-01-01-cccccc"]);
  expect((await baton(project, ["handoff", "archive", "--epic", "login"])).stdout).toContain(
    "1 job of the epic is not finished, so its documents stay: job-2026-01-01-cccccc. Run this again when it is.",
  );
  expect([open, other].every((path) => existsSync(path))).toBe(true);
  const unknown = await baton(project, ["handoff", "archive", "--epic", "logn"]);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('the epic "logn"') });
});

it("baton run --epic puts a job in the epic", async () => {
  const project = await testProject({ scenario });
  const { code, events } = await baton(project, ["run", "coder", "Go", "--epic", "login", "--json"]);
  expect(code).toBe(0);
  expect(events[0]).toMatchObject({ type: "job:created", epic: "login" });
  const { stdout } = await baton(project, ["handoff", "archive", "--epic", "login", "--json"]);
  expect(JSON.parse(stdout)).toEqual({ jobs: [events[0]?.job], archived: [], open: [] });
});

async function archivedAgo(path: string, days: number): Promise<void> {
  await utimes(inArchive(path), daysAgo(days), daysAgo(days));
}

/** An archive with an old document of ours, a young one, and files that Baton has no business with. */
async function withArchive(agent = "") {
  const project = await testProject({ scenario, agent });
  const [old = ""] = await handedOffJob(project.folder, { id: "job-2026-01-01-aaaaaa", at: daysAgo(100) });
  const [young = ""] = await handedOffJob(project.folder, { id: "job-2026-01-01-bbbbbb", at: daysAgo(10) });
  for (const id of ["aaaaaa", "bbbbbb"]) await baton(project, ["handoff", "archive", id]);
  await archivedAgo(old, 95);
  await archivedAgo(young, 10);
  const archive = dirname(inArchive(old));
  await writeFile(join(archive, "handoff-2020-01-01-000000.md"), "# Somebody's own notes\n");
  await writeFile(join(archive, "notes.md"), await readFile(inArchive(old), "utf8"));
  await symlink(inArchive(young), join(archive, "handoff-2020-01-01-000001.md"));
  return { project, archive, old: inArchive(old), young: inArchive(young) };
}

describe("archived documents", () => {
  it("are deleted handoff.retention_days after they were archived, and nothing else is", async () => {
    const { project, archive, old } = await withArchive();
    const before = await readdir(archive);
    const { stdout } = await baton(project, ["handoff", "archive", "--clean", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ deleted: [old] });
    expect(await readdir(archive)).toEqual(before.filter((name) => name !== basename(old)));
    expect(await listed(project, "aaaaaa")).toEqual([]);
    expect((await baton(project, ["handoffs", "aaaaaa"])).stdout).toBe(
      "This job has no handoff documents.\n",
    );
    expect((await baton(project, ["show", "aaaaaa"])).stdout).toContain("(its document is deleted)");
    const shown = await baton(project, ["handoff", "show", "1", "--job", "aaaaaa"]);
    expect(shown).toMatchObject({ code: 2, stderr: expect.stringContaining("is deleted") });
  });

  it("are kept for that long, however old they were when they were archived", async () => {
    const { project, old } = await withArchive();
    await utimes(old, daysAgo(1), daysAgo(1));
    const { stdout } = await baton(project, ["handoff", "archive", "--clean", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ deleted: [] });
  });

  it("are kept for as long as the agent's own setting says", async () => {
    const { project, old, young } = await withArchive("handoff: { retention_days: 5 }");
    const { stdout } = await baton(project, ["handoff", "archive", "--clean"]);
    expect(stdout).toContain("Deleted 2 archived documents, older than 5 days.");
    expect([old, young].some((path) => existsSync(path))).toBe(false);
  });
});

it("a run archives what was over more than a day ago, but for open epics, and deletes what is past its days", async () => {
  const { project, old, young } = await withArchive();
  const job = async (id: string, days: number, more: Partial<HandedOff> = {}) =>
    (await handedOffJob(project.folder, { id: `job-2026-01-01-${id}`, at: daysAgo(days), ...more }))[0] ?? "";
  const over = [
    await job("cccccc", 2),
    await job("dddddd", 3, { end: "failed" }),
    await job("eeeeee", 4, { end: "cancelled" }),
  ];
  const kept = [
    await job("ffffff", 0.5),
    await job("gggggg", 5, { end: "open" }),
    await job("hhhhhh", 6, { epic: "login" }),
    await job("jjjjjj", 7, { epic: "login", end: "failed" }),
  ];
  const { code, events } = await baton(project, ["run", "coder", "Go", "--json"]);
  expect(code).toBe(0);
  expect(events.filter(({ type }) => type === "warning")).toEqual([]);
  expect([old, ...over].filter((path) => existsSync(path))).toEqual([]);
  expect([...over.map(inArchive), young, ...kept].filter((path) => !existsSync(path))).toEqual([]);
});

describe("baton handoff archive", () => {
  it("puts the living document away and begins it afresh", async () => {
    const project = await testProject({
      scenario,
      agent: "handoff: { living_document: { path: HANDOFF.md } }",
    });
    await writeFile(
      join(project.folder, "HANDOFF.md"),
      "# Orchestration Handoff\n\n## Notes\n\nKeep this.\n",
    );
    const { code, stdout } = await baton(project, ["handoff", "archive", "--json"]);
    expect(code).toBe(0);
    const { archived } = JSON.parse(stdout);
    expect(await readFile(join(project.folder, archived), "utf8")).toContain("Keep this.");
    expect(await readFile(join(project.folder, "HANDOFF.md"), "utf8")).not.toContain("Keep this.");
    expect(await git(project.folder, "status", "--porcelain")).toBe("");
  });

  it("is refused where no living document is configured, or there is none yet", async () => {
    const without = await testProject({ scenario });
    const refused = await baton(without, ["handoff", "archive"]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("handoff.living_document") });
    const none = await testProject({ scenario, agent: "handoff: { living_document: { path: HANDOFF.md } }" });
    const missing = await baton(none, ["handoff", "archive"]);
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("There is no living document"),
    });
  });
});
