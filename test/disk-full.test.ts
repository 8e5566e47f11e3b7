import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Baton, baton, git, ofType, shown, type TestProject, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { obedient, told } from "./obedient.ts";
import { handoffRequests, handsIn, oneHandoff, RUN_REQUEST, writesNotes } from "./one-handoff.ts";
import { agentProcesses } from "./processes.ts";
import { smallDisk } from "./small-disk.ts";

const PAUSED = 3;
const PAPERS = "handoff: { dir: ./papers }";

async function resumed(project: TestProject) {
  return baton(project, ["resume", (await shown(project)).id, "--json"]);
}

describe("a handoff that cannot be written", () => {
  it.each([
    ["full", "its disk is full"],
    ["read-only", "it is read-only"],
  ] as const)(
    "because its folder is %s pauses the job, which continues with the same account",
    async (how, why) => {
      needs("mount");
      const project = await testProject({ scenario: oneHandoff([writesNotes], handsIn({})), agent: PAPERS });
      const papers = join(project.folder, "papers");
      const disk = smallDisk(papers, "64k");
      if (how === "full") disk.fill();
      else disk.readOnly(true);
      const run = await baton(project, RUN_REQUEST);
      expect(run.code).toBe(PAUSED);
      const paused = await shown(project);
      expect(paused).toMatchObject({ status: "paused", handoffs: [], sessions: [{ endReason: "paused" }] });
      expect(paused.error).toContain(`${papers} cannot be written: ${why}`);
      expect(paused.error).toContain(`baton resume ${paused.id}`);

      const early = await resumed(project);
      expect(early.code).toBe(PAUSED);
      expect((await shown(project)).error).toContain(why);

      if (how === "full") disk.free();
      else disk.readOnly(false);
      const again = await resumed(project);
      expect(again.code).toBe(0);
      expect(ofType(again.events, "handoff:stored")).toMatchObject([
        { outcome: "written", handoffNumber: 1 },
      ]);
      expect(handoffRequests(project)).toHaveLength(1);
      expect(await readdir(papers)).toEqual([expect.stringMatching(/^handoff-.*\.md$/)]);
      expect(await shown(project)).toMatchObject({ status: "completed", result: "All is done." });
    },
  );
});

describe("a repository that takes no checkpoint", () => {
  it("because its disk is full pauses the job after the handoff is stored, and continues from it", async () => {
    needs("mount");
    const project = await testProject({ scenario: oneHandoff([writesNotes], handsIn({})) });
    const disk = smallDisk(join(project.folder, ".git"));
    disk.fill();
    const run = await baton(project, RUN_REQUEST);
    expect(run.code).toBe(PAUSED);
    const paused = await shown(project);
    expect(paused.error).toContain(`${join(project.folder, ".git")} cannot be written: its disk is full`);
    expect(paused.handoffs).toHaveLength(1);

    disk.free();
    const again = await resumed(project);
    expect(again.code).toBe(0);
    expect(handoffRequests(project)).toHaveLength(1);
    const refs = await git(project.folder, "for-each-ref", "--format=%(refname)", "refs/baton");
    expect(refs).not.toBe("");
  });
});

describe("a store on a disk of its own", () => {
  it("that fills up in the middle of a job ends the agent, keeps the files, and a resume continues", async () => {
    needs("mount");
    const project = await testProject({ scenario: obedient() });
    const disk = smallDisk(join(project.folder, ".baton"), "2m");
    const command = "echo 1 > one; cat /dev/zero > .baton/ballast";
    const running = new Baton(project, ["run", "coder", told(command), "--json"]);
    expect(await running.exit).toMatchObject({ code: 1 });
    expect(running.stdout).toMatch(/the disk is full/);
    expect(running.stdout).toMatch(/refs\/baton\/job-[^/]+\/1/);
    expect(await agentProcesses(running)).toEqual([]);
    const refs = await git(project.folder, "for-each-ref", "--format=%(refname)", "refs/baton");
    expect(await git(project.folder, "show", `${refs.split("\n").at(-1)}:one`)).toBe("1");

    disk.free();
    expect((await resumed(project)).code).toBe(0);
    expect(await shown(project)).toMatchObject({ status: "completed" });
  });

  it("that is read-only is refused, with what to do", async () => {
    needs("mount");
    const project = await testProject({ scenario: obedient() });
    smallDisk(join(project.folder, ".baton"), "2m").readOnly(true);
    const refused = await baton(project, ["run", "coder", "Anything", "--json"]);
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringMatching(/\.baton.*read-only/) });
    expect(project.simulator.requests).toEqual([]);
  });
});
