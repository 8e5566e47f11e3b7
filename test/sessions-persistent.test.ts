import { appendFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { baton, git, ofType, shown, type TestProject, testProject } from "./harness.ts";
import { obedient, told } from "./obedient.ts";
import { listedWorktrees, worktreeProject, worktreesIn } from "./worktree.ts";

const persistent = (keys = "") => `session: { mode: persistent${keys && `, ${keys}`} }`;

/** Runs a job and says how its session began, and what was said about an earlier one. */
async function ran(project: TestProject, command: string, ...args: string[]) {
  const { code, events } = await baton(project, ["run", "coder", told(command), ...args, "--json"]);
  expect(code).toBe(0);
  const [starting] = ofType(events, "session:starting");
  const heard = project.simulator.requests.filter(({ request }) => request.kind === "main").at(-1);
  return {
    session: starting?.session,
    mode: starting?.mode,
    warnings: ofType(events, "warning").map(({ message }) => message),
    conversation: heard?.request.text ?? "",
  };
}

describe("session.mode: persistent", () => {
  it("the next job goes on in the session of the last one, which knows what was said", {
    tags: ["claude"],
  }, async () => {
    const project = await testProject({ scenario: obedient(), agent: persistent() });
    const first = await ran(project, "echo the first one");
    const second = await ran(project, "echo the second one");
    expect(first.mode).toBe("fresh");
    expect(second).toMatchObject({ mode: "resumed", session: first.session, warnings: [] });
    expect(second.conversation).toContain("echo the first one");
    const third = await ran(project, "echo the third one");
    expect(third).toMatchObject({ mode: "resumed", session: first.session });
    expect(third.conversation).toContain("echo the second one");
  });

  it("fresh is what an agent does without it", async () => {
    const project = await testProject({ scenario: obedient() });
    const first = await ran(project, "echo the first one");
    const second = await ran(project, "echo the second one");
    expect(second.session).not.toBe(first.session);
    expect(second).toMatchObject({ mode: "fresh", warnings: [] });
    expect(second.conversation).not.toContain("the first one");
  });

  it("with worktrees a work item has its own line of sessions, in a worktree that is kept for it", async () => {
    const project = await worktreeProject({ scenario: obedient(), agent: persistent() });
    const first = await ran(project, "echo 1 > one", "--work-item", "LIN-1");
    const { id, workspace } = await shown(project);
    expect(await worktreesIn(project)).toEqual([id]);
    expect(await git(project.remote, "show", "agent/coder/LIN-1:one")).toBe("1");
    expect(await listedWorktrees(project)).toMatchObject([
      { job: id, action: "keep", reason: "for the next job on LIN-1, which continues in its session" },
    ]);

    const other = await ran(project, "echo 1 > other", "--work-item", "LIN-2");
    expect(other).toMatchObject({ mode: "fresh", warnings: [] });

    const second = await ran(project, "cat one > two", "--work-item", "LIN-1");
    expect(second).toMatchObject({ mode: "resumed", session: first.session, warnings: [] });
    expect(second.conversation).toContain("echo 1 > one");
    const again = await shown(project);
    expect(again.workspace.path).toBe(workspace.path);
    expect(await git(project.remote, "show", "agent/coder/LIN-1:two")).toBe("1");
    expect((await listedWorktrees(project)).map(({ job }) => job)).not.toContain(id);
    expect((await listedWorktrees(project)).map(({ path }) => path)).toContain(workspace.path);
  });
});

describe("a session that does not fit is not continued, and the journal says why", () => {
  it("when it is too old", async () => {
    const project = await testProject({ scenario: obedient(), agent: persistent("timeout: 1ms") });
    // Maintenance beside the job would forget it first, or not, as it comes.
    const keepsAll = "maintenance: { worktree_cleanup: { cleanup_on_startup: false } }\n";
    await appendFile(join(project.folder, "baton.yaml"), keepsAll);
    const first = await ran(project, "echo the first one");
    const second = await ran(project, "echo the second one");
    expect(second.mode).toBe("fresh");
    expect(second.session).not.toBe(first.session);
    expect(second.warnings).toEqual([expect.stringContaining("older than session.timeout allows")]);
  });

  it("when it worked in another folder", async () => {
    const project = await testProject({ scenario: obedient(), agent: persistent() });
    await ran(project, "echo the first one");
    await mkdir(join(project.folder, "elsewhere"));
    await writeFile(join(project.folder, "elsewhere", "file"), "");
    const config = join(project.folder, "baton.yaml");
    const text = await readFile(config, "utf8");
    await writeFile(config, `${text}    working_directory: ./elsewhere\n`);
    const second = await ran(project, "echo the second one");
    expect(second.mode).toBe("fresh");
    expect(second.warnings).toEqual([
      expect.stringContaining(
        `it worked in ${project.folder}, and this job works in ${project.folder}/elsewhere`,
      ),
    ]);
  });

  it("when its transcript is gone", async () => {
    const project = await testProject({ scenario: obedient(), agent: persistent() });
    await ran(project, "echo the first one");
    await rm(join(project.env.CLAUDE_CONFIG_DIR ?? "", "projects"), { recursive: true });
    const second = await ran(project, "echo the second one");
    expect(second.mode).toBe("fresh");
    expect(second.warnings).toEqual([expect.stringContaining("its transcript is gone")]);
  });
});

it("baton maintain forgets expired sessions, and clears the worktree that was kept for the next job", async () => {
  const project = await worktreeProject({ scenario: obedient(), agent: persistent("timeout: 1ms") });
  await appendFile(
    join(project.folder, "baton.yaml"),
    "maintenance: { worktree_cleanup: { cleanup_on_startup: false } }\n",
  );
  await ran(project, "echo 1 > one", "--work-item", "LIN-1");
  expect(await worktreesIn(project)).toHaveLength(1);
  const dry = await baton(project, ["maintain", "--dry-run"]);
  expect(dry.stdout).toContain("1 session record would be removed: expired");
  expect(await worktreesIn(project)).toHaveLength(1);
  const maintained = await baton(project, ["maintain"]);
  expect(maintained.stdout).toContain("1 session record removed: expired");
  expect(await worktreesIn(project)).toEqual([]);
  expect((await baton(project, ["maintain"])).stdout).toBe("There is nothing to remove.\n");
  expect(await ran(project, "echo 2 > two", "--work-item", "LIN-1")).toMatchObject({
    mode: "fresh",
    warnings: [],
  });
});
