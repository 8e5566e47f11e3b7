import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { handedOffJob } from "./handed-off-job.ts";
import { baton, testProject } from "./harness.ts";

const scenario = { name: "silent", summary: "is never asked" };
const OLDER = "job-2026-01-01-aaaaaa";
const NEWER = "job-2026-01-02-bbbbbb";

/** Two jobs that have handed off: the newer one twice. */
async function withHistory() {
  const project = await testProject({ scenario });
  const [first = ""] = await handedOffJob(project.folder, {
    id: OLDER,
    at: new Date(2026, 0, 1, 12, 30),
    outcome: "written",
  });
  const [second = "", third = ""] = await handedOffJob(project.folder, {
    id: NEWER,
    at: new Date(2026, 0, 2, 9, 5),
    handoffs: 2,
  });
  return { project, first, second, third };
}

describe("baton handoffs", () => {
  it("lists the chain of a job, with the checks that it fell short of", async () => {
    const { project, second, third } = await withHistory();
    const { code, stdout } = await baton(project, ["handoffs", NEWER]);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split("\n")).toEqual([
      "#  WHEN               AT  TRIGGER    OUTCOME                          DOCUMENT",
      `1  2026-01-02 09:05  90%  threshold  completed from facts (complete)  ${relative(project.folder, second ?? "")}`,
      `2  2026-01-02 09:05  90%  threshold  written                          ${relative(project.folder, third ?? "")}`,
    ]);
  });

  it("lists those of the newest jobs where none is named", async () => {
    const { project } = await withHistory();
    const { stdout } = await baton(project, ["handoffs"]);
    const jobs = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/\s+/)[0]);
    expect(jobs).toEqual(["OF", NEWER, NEWER, OLDER].map((of) => of.slice(of.lastIndexOf("-") + 1)));
  });

  it("lists those of a person's own sessions as well", async () => {
    const { project } = await withHistory();
    const path = join(project.folder, ".baton", "handoffs", "handoff-2026-01-03-090500.md");
    const head = { job: "null", number: 3, session: "4f2a9c11-aaaa", created: "2026-01-03T09:05:00.000Z" };
    const lines = Object.entries({ ...head, reason: "manual", outcome: "written", percent: 40 });
    const front = lines.map(([key, value]) => `${key}: ${value}`).join("\n");
    await writeFile(path, `---\n${front}\n---\n\n## Goal\n\nPaint the shed.\n`);
    const rows = (await baton(project, ["handoffs"])).stdout.trimEnd().split("\n");
    expect(rows.at(-1)).toMatch(/^session 4f2a9c11 +3 +2026-01-03 \d\d:05 +40% +manual +written +\.baton\//);
    const listed = JSON.parse((await baton(project, ["handoffs", "--json"])).stdout);
    expect(listed.at(-1)).toMatchObject({ job: null, fromSession: head.session, documentPath: path });
  });

  it("prints outcomes and checks as JSON", async () => {
    const { project, second } = await withHistory();
    const { stdout } = await baton(project, ["handoffs", NEWER, "--json"]);
    expect(JSON.parse(stdout)[0]).toMatchObject({
      job: NEWER,
      number: 1,
      outcome: "mended",
      checks: [{ name: "complete", ok: false }],
      documentPath: second,
    });
  });

  it("says so where there are none", async () => {
    const project = await testProject({ scenario });
    expect((await baton(project, ["handoffs"])).stdout).toBe("There are no handoffs here yet.\n");
    expect((await baton(project, ["handoffs", "--json"])).stdout).toBe("[]\n");
  });
});

describe("baton handoff show", () => {
  it("shows a handoff of the newest job by its number, as Markdown where there is no terminal", async () => {
    const { project } = await withHistory();
    const { code, stdout } = await baton(project, ["handoff", "show", "2"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`## Goal\n\nGoal of ${NEWER}\n`);
    expect(stdout).toContain("## Next steps\n\n- Step 2 with `npm test`\n");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours must not be there
    expect(stdout).not.toMatch(/\u001b/);
  });

  it("colours headings, lists and code", async () => {
    const { project } = await withHistory();
    const { stdout } = await baton({ ...project, env: { ...project.env, FORCE_COLOR: "1" } }, [
      "handoff",
      "show",
      "2",
    ]);
    expect(stdout).toContain("\u001b[35m## Goal");
    expect(stdout).toContain("\u001b[33m- \u001b[39m");
    expect(stdout).toContain("\u001b[36m`npm test`\u001b[39m");
  });

  it("shows one of another job, and one by its path, as JSON", async () => {
    const { project, first } = await withHistory();
    const named = JSON.parse(
      (await baton(project, ["handoff", "show", "1", "--job", "aaa", "--json"])).stdout,
    );
    expect(named).toMatchObject({ head: { job: OLDER, number: 1 }, account: { goal: `Goal of ${OLDER}` } });
    expect(named).toHaveProperty("facts");
    const found = JSON.parse((await baton(project, ["handoff", "show", first, "--json"])).stdout);
    expect(found).toEqual(named);
  });

  it("refuses a number and a path that are not there", async () => {
    const { project } = await withHistory();
    const number = await baton(project, ["handoff", "show", "7"]);
    expect(number).toMatchObject({ code: 2, stderr: expect.stringContaining(`${NEWER} has no handoff 7`) });
    const path = await baton(project, ["handoff", "show", join(project.folder, "no.md")]);
    expect(path).toMatchObject({ code: 2, stderr: expect.stringContaining("There is no handoff document") });
  });
});
