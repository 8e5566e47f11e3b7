import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Scenario } from "../src/simulator/scenario.ts";
import { bash, careful, RUN } from "./careful.ts";
import { comesTo, fleetProject, jobsIn, queued } from "./fleet-jobs.ts";
import {
  Baton,
  baton,
  git,
  ofType,
  smallWindows,
  stepsDone,
  type TestProject,
  testProject,
} from "./harness.ts";
import { eventually } from "./panes.ts";

/** Writes a file, waits for another, and is done. Once it is told of the shed, it says so. */
const writesAndWaits: Scenario = {
  name: "writes-and-waits",
  summary: "Writes a file and waits for another",
  rules: [],
  otherwise({ text, results }) {
    const done = (word: string) => results.some((result) => result.text.includes(word));
    if (!done("wrote")) return { call: bash("echo one >> work.txt; echo wrote", "Write") };
    if (!done("went")) return { call: bash("until [ -e go ]; do sleep 0.02; done; echo went", "Wait") };
    return { say: text.includes("shed") ? "The shed it is." : "Done." };
  },
};

const go = (folder: string) => writeFile(join(folder, "go"), "");

/** `baton run`, in the middle of its second command. */
async function running(project: TestProject, ...flags: string[]): Promise<Baton> {
  const job = new Baton(project, ["run", "Build it.", "--json", ...flags]);
  await job.event((event) => event.type === "tool:start" && event.summary.includes("until"));
  return job;
}

const idOf = ({ events }: Baton) => events[0]?.job ?? "";
const shown = async (project: TestProject, id: string) =>
  JSON.parse((await baton(project, ["show", id, "--json"])).stdout);

describe("a job that somebody pauses", () => {
  it("rests at its next boundary, with its tool finished, and continues in the same session", async () => {
    const project = await testProject({ scenario: writesAndWaits });
    const job = await running(project);
    const { stdout } = await baton(project, ["pause"]);
    expect(stdout).toContain(`${idOf(job)} pauses at its next boundary`);
    expect(stdout).toMatch(/\n {2}Bash, for \d+ s: /);
    const why = (await baton(project, ["show", "--why"])).stdout;
    expect(why).toContain("It pauses at its next boundary, when what runs has ended: Bash.");
    expect((await baton(project, ["jobs"])).stdout).toContain("running, pausing");
    expect((await shown(project, idOf(job))).pauseRequested).toBe(true);
    await go(project.folder);
    expect(await job.exit).toMatchObject({ code: 3 });
    expect(ofType(job.events, "tool:end").at(-1)).toMatchObject({
      ok: true,
      output: expect.stringContaining("went"),
    });
    expect(ofType(job.events, "job:paused")).toMatchObject([
      { code: "requested", message: "By `baton pause`." },
    ]);
    expect((await baton(project, ["pause", idOf(job)])).stdout).toContain("is paused. Continue it with");
    const { code, events } = await baton(project, ["resume", "--json"]);
    expect(code).toBe(0);
    expect(ofType(events, "session:starting")).toMatchObject([{ mode: "resumed" }]);
    expect((await baton(project, ["pause", idOf(job)])).stderr).toContain(
      "is completed, so there is nothing to pause",
    );
  });

  it("leaves the queue where it waits there, and comes back with resume", async () => {
    const project = await fleetProject();
    const { job: id } = await queued(project, "Go on.");
    expect((await baton(project, ["pause", id])).stdout).toContain(`${id} is paused`);
    await comesTo(project, { paused: 1 });
    await baton(project, ["resume", id, "--queue"]);
    await comesTo(project, { queued: 1 });
  });
});

describe("what was sent to a job", () => {
  it("can be said differently until the agent has it, and is on record as delivered then", async () => {
    const project = await testProject({ scenario: writesAndWaits });
    const job = await running(project);
    await baton(project, ["send", "The house is to be red.", "--at", "end"]);
    const edited = await baton(project, ["send", "--edit", "1", "The shed is to be blue.", "--at", "turn"]);
    expect(edited.stdout).toBe("Changed message 1, when its turn is over: The shed is to be blue.\n");
    await go(project.folder);
    await job.exit;
    expect(ofType(job.events, "job:completed")).toMatchObject([{ result: "The shed it is." }]);
    expect(ofType(job.events, "message:delivered")).toMatchObject([{ queued: [1] }]);
    const listed = JSON.parse((await baton(project, ["messages", idOf(job), "--json"])).stdout);
    expect(listed).toMatchObject({
      told: [{ id: 1, text: "The shed is to be blue.", deliveredAt: expect.any(String) }],
      waiting: [],
    });
    expect((await baton(project, ["messages", idOf(job)])).stdout).toMatch(/^1, got it at .*: The shed/);
    expect((await baton(project, ["send", "--edit", "1", "Too late."])).stderr).toContain(
      "No message 1 is waiting",
    );
  });
});

describe("a retry", () => {
  it("has the same prompt on a new branch from the base, and both jobs name the other", async () => {
    const project = await testProject({ scenario: writesAndWaits });
    const first = await running(project, "--worktree");
    const worktree = ofType(first.events, "workspace:ready")[0]?.path ?? "";
    await go(worktree);
    await first.exit;
    const again = new Baton(project, ["retry", idOf(first), "--json"]);
    const ready = await again.event(({ type }) => type === "workspace:ready");
    const { path = "", branch, base } = ready.type === "workspace:ready" ? ready : {};
    expect(existsSync(join(path, "work.txt"))).toBe(false);
    expect(base).toBe(ofType(first.events, "workspace:ready")[0]?.base);
    expect(branch).not.toBe(ofType(first.events, "workspace:ready")[0]?.branch);
    await go(path);
    await again.exit;
    expect(again.events[0]).toMatchObject({ prompt: "Build it.", parent: { job: idOf(first), by: "retry" } });
    expect((await shown(project, idOf(first))).children).toMatchObject([
      { job: idOf(again), by: "retry", status: "completed" },
    ]);
    expect((await baton(project, ["show", idOf(again)])).stdout).toContain(`${idOf(first)}, tried again`);
  });
});

describe("a fork", () => {
  it("begins with the files of a job that works on, in a worktree of its own, and changes nothing of it", async () => {
    const project = await testProject({ scenario: writesAndWaits });
    const parent = await running(project);
    const fork = new Baton(project, ["fork", idOf(parent), "Mind the shed.", "--json"]);
    const ready = await fork.event(({ type }) => type === "workspace:ready");
    const path = ready.type === "workspace:ready" ? ready.path : "";
    expect(path).not.toBe(project.folder);
    expect(await readFile(join(path, "work.txt"), "utf8")).toBe("one\n");
    await go(path);
    expect(await fork.exit).toMatchObject({ code: 0 });
    expect(fork.events[0]).toMatchObject({
      prompt: "Build it.\n\nMind the shed.",
      parent: { job: idOf(parent), by: "fork", folder: project.folder },
    });
    expect(ofType(fork.events, "job:completed")).toMatchObject([{ result: "The shed it is." }]);
    expect((await shown(project, idOf(parent))).status).toBe("running");
    expect(await readFile(join(project.folder, "work.txt"), "utf8")).toBe("one\n");
    expect(await git(project.folder, "for-each-ref", `refs/baton/${idOf(parent)}/`)).toBe("");
    expect((await shown(project, idOf(parent))).children).toMatchObject([{ job: idOf(fork), by: "fork" }]);
    await go(project.folder);
    expect(await parent.exit).toMatchObject({ code: 0 });
  });

  it("begins with the document and the files of a handoff, and finishes what was left then", async () => {
    const project = await testProject({ scenario: careful(9), agent: `session: { ${smallWindows} }` });
    const { events } = await baton(project, RUN);
    const parent = events[0]?.job ?? "";
    expect(ofType(events, "handoff:stored")).toHaveLength(1);
    const fork = new Baton(project, ["fork", parent, "--from", "handoff", "1", "--json"]);
    const ready = await fork.event(({ type }) => type === "workspace:ready");
    const folder = ready.type === "workspace:ready" ? ready.path : "";
    const begun = (await stepsDone({ folder })).length;
    expect(begun).toBeGreaterThan(0);
    expect(begun).toBeLessThan(9);
    expect(await fork.exit).toMatchObject({ code: 0 });
    expect(fork.events[0]).toMatchObject({
      parent: { job: parent, by: "fork", handoff: 1, checkpoint: 1 },
      continues: { recorded: true, document: ofType(events, "handoff:stored")[0]?.documentPath },
    });
    const { branch = "" } = ready.type === "workspace:ready" ? ready : {};
    const files = await git(project.folder, "ls-tree", "--name-only", branch);
    expect(files.split("\n").filter((name) => name.startsWith("step-"))).toHaveLength(9);
    expect((await baton(project, ["show", idOf(fork)])).stdout).toContain(
      `${parent}, forked at checkpoint 1, with the document of handoff 1`,
    );
  });

  it("goes into the queue of the fleet where one runs", async () => {
    const project = await fleetProject();
    const fleet = new Baton(project, ["start"]);
    const { job: id } = await queued(project, "Go on.");
    await comesTo(project, { running: 1 });
    // What has no folder yet cannot be forked.
    await eventually("it has begun", async () => (await jobsIn(project))[0]?.workspace?.state === "ready");
    const { stdout } = await baton(project, ["fork", id]);
    expect(stdout).toMatch(/^job-\S+ is queued/);
    expect((await baton(project, ["retry", id])).stdout).toMatch(/^job-\S+ is queued/);
    await baton(project, ["stop", "--now"]);
    await fleet.exit;
  });

  it("says what it can be forked from", async () => {
    const project = await testProject({ scenario: writesAndWaits });
    const job = await running(project);
    await go(project.folder);
    await job.exit;
    const refused = async (...words: string[]) =>
      (await baton(project, ["fork", idOf(job), ...words])).stderr;
    expect(await refused("--from", "handoff", "2")).toContain("has no handoff 2. It has: none.");
    expect(await refused("--from", "checkpoint", "7")).toContain("has no checkpoint 7");
    expect(await refused("--from", "monday")).toContain("handoff <n> or checkpoint <n>");
    expect(await refused("--from", "handoff", "1", "Hurry.")).toContain("comes before --from");
  });
});
