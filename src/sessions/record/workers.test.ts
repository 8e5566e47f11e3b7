import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { aHandoff } from "../../../test/a-handoff.ts";
import { git } from "../../git/git.ts";
import { emptyJob, type Job } from "../../job/job.ts";
import { type LookUpJobs, type SeenJob, taskOf } from "./job-worker.ts";
import { note, tell } from "./mail.ts";
import { Registry } from "./registry.ts";
import { newSession, type OwnSession } from "./session.ts";
import { workersOf, workerTable } from "./workers.ts";

async function registryWith(...sessions: Partial<OwnSession>[]): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), "baton-workers-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const registry = new Registry(folder);
  for (const session of sessions) await registry.update(session.id ?? "", () => own(session));
  return registry;
}

function own(more: Partial<OwnSession>): OwnSession {
  const at = "2026-01-21T10:00:00.000Z";
  return newSession({
    id: "one",
    cwd: "/project",
    project: "/project",
    startedAt: at,
    ...more,
  });
}

const report = (task: string, more: Partial<NonNullable<OwnSession["report"]>> = {}) => ({
  orchestrator: "boss-1",
  task,
  status: "working",
  branch: null,
  at: "2026-01-21T10:05:00.000Z",
  ...more,
});

const noJobs: LookUpJobs = async () => [];

const takenUp = (successor: string) => aHandoff("taken-up", { successor });

it("shows an orchestrator the workers of all its sessions, the newest report first", async () => {
  const registry = await registryWith(
    { id: "boss-1", role: "orchestrator", handoff: takenUp("boss-2") },
    { id: "boss-2", role: "orchestrator", parent: "boss-1" },
    { id: "fence", report: report("Paint the fence", { branch: "fence" }) },
    {
      id: "gate",
      report: report("Mend | the\ngate", {
        orchestrator: "boss-2",
        status: "done",
        at: "2026-01-21T11:00:00.000Z",
      }),
    },
    { id: "here", report: report("Rake", { orchestrator: null, at: "2026-01-21T09:00:00.000Z" }) },
    { id: "elsewhere", project: "/other", report: report("Sing", { orchestrator: null }) },
    { id: "anothers", report: report("Cook", { orchestrator: "boss-9" }) },
  );
  const boss = (await registry.find("boss-2")) ?? own({});
  expect(await workerTable(registry, boss, noJobs)).toBe(
    [
      "| Session | Task | Status | Branch | Last Update |",
      "| --- | --- | --- | --- | --- |",
      "| gate | Mend \\| the gate | done |  | 2026-01-21 11:00 UTC |",
      "| fence | Paint the fence | working | fence | 2026-01-21 10:05 UTC |",
      "| here | Rake | working |  | 2026-01-21 09:00 UTC |",
    ].join("\n"),
  );
});

it("shows a worker that handed off as the session that has its task now", async () => {
  const registry = await registryWith(
    { id: "boss-1" },
    { id: "fence-1", report: report("Paint the fence"), handoff: takenUp("fence-2") },
    { id: "fence-2", parent: "fence-1", ended: { at: "2026-01-21T12:00:00.000Z", reason: "exit" } },
  );
  const workers = await workersOf(registry, own({ id: "boss-1" }), noJobs);
  expect(workers.map((worker) => worker.kind === "session" && worker.session.id)).toEqual(["fence-2"]);
  expect(await workerTable(registry, own({ id: "boss-1" }), noJobs)).toContain(
    "working (its session has ended)",
  );
});

const ended = (at: string, reason = "clear") => ({ at: `2026-01-21T${at}:00.000Z`, reason });

const tasksOf = async (registry: Registry, id: string, jobs: LookUpJobs = noJobs) =>
  (await workersOf(registry, (await registry.find(id)) ?? own({ id }), jobs))
    .map((worker) => (worker.kind === "session" ? worker.report.task : taskOf(worker.seen)))
    .sort();

it("shows an orchestrator the workers that one before it left behind, not those it saw the end of", async () => {
  const gone = { pid: 2 ** 22 + 1, startTime: "1" };
  const registry = await registryWith(
    { id: "cleared", role: "orchestrator", ended: ended("11:00") },
    { id: "crashed", role: "orchestrator", process: gone, seenAt: "2026-01-21T11:00:00.000Z" },
    {
      id: "handing",
      role: "orchestrator",
      ended: ended("11:00"),
      handoff: aHandoff("stored"),
    },
    { id: "works", role: "orchestrator" },
    { id: "foreign", role: "orchestrator", project: "/other", ended: ended("11:00") },
    { id: "boss-2", role: "orchestrator" },
    { id: "w1", report: report("Fence", { orchestrator: "cleared" }) },
    { id: "w2", report: report("Gate", { orchestrator: "crashed" }) },
    { id: "w3", report: report("Roof", { orchestrator: "cleared" }), ended: ended("12:00") },
    { id: "w4", report: report("Door", { orchestrator: "cleared" }), ended: ended("10:30") },
    { id: "w5", report: report("Path", { orchestrator: "handing" }) },
    { id: "w6", report: report("Well", { orchestrator: "works" }) },
    { id: "w7", report: report("Barn", { orchestrator: "foreign" }) },
  );
  expect(await tasksOf(registry, "boss-2")).toEqual(["Fence", "Gate", "Roof"]);
});

const job = (id: string, more: Partial<Job> = {}): SeenJob => ({
  id,
  job: {
    ...emptyJob(id),
    prompt: `Do ${id}`,
    status: "running",
    updatedAt: "2026-01-21T10:00:00.000Z",
    ...more,
  },
});

it("shows the jobs that an orchestrator and those before it started, and those that a lost one left behind", async () => {
  const started = (...ids: string[]) => ids.map((id) => ({ id, root: "/project", task: `Do ${id}` }));
  const registry = await registryWith(
    { id: "boss-1", role: "orchestrator", handoff: takenUp("boss-2"), jobs: started("one", "gone") },
    { id: "boss-2", role: "orchestrator", parent: "boss-1", jobs: started("two", "hidden") },
    { id: "lost", role: "orchestrator", ended: ended("11:00"), jobs: started("left", "seen") },
    { id: "person", ended: ended("11:00"), jobs: started("theirs") },
    { id: "works", role: "orchestrator", jobs: started("others") },
  );
  const all: SeenJob[] = [
    job("one", { report: { status: "half done", at: "2026-01-21T10:00:00.000Z" } }),
    job("two", { status: "failed", error: "No key\nfound", finishedAt: "2026-01-21T09:00:00.000Z" }),
    { id: "hidden", task: "Do hidden", problem: "It is locked." },
    job("left", { status: "completed", finishedAt: "2026-01-21T12:00:00.000Z" }),
    job("seen", { status: "completed", finishedAt: "2026-01-21T10:30:00.000Z" }),
    job("theirs"),
    job("others"),
  ];
  const lookUp: LookUpJobs = async (jobs) => all.filter(({ id }) => jobs.some((found) => found.id === id));
  const boss = (await registry.find("boss-2")) ?? own({});
  const rows = (await workerTable(registry, boss, lookUp)).split("\n").slice(2).sort();
  expect(rows).toEqual([
    "| hidden | Do hidden | unknown: It is locked. |  |  |",
    "| left | Do left | completed |  | 2026-01-21 10:00 UTC |",
    "| one | Do one | running; it reported: half done |  | 2026-01-21 10:00 UTC |",
    "| two | Do two | failed: No key found |  | 2026-01-21 10:00 UTC |",
  ]);
});

it("names of many jobs that are over the newest, and counts the others", async () => {
  const ids = Array.from({ length: 25 }, (_, index) => `job-${index + 10}`);
  const jobs = ids.map((id) => ({ id, root: "/project", task: id }));
  const registry = await registryWith({ id: "boss", role: "orchestrator", jobs });
  const lookUp: LookUpJobs = async () =>
    ids.map((id, index) => {
      const at = `2026-01-21T10:${index + 10}:00.000Z`;
      return job(id, index === 0 ? {} : { status: "completed", finishedAt: at, updatedAt: at });
    });
  const table = await workerTable(registry, own({ id: "boss", role: "orchestrator", jobs }), lookUp);
  expect(table).toContain("| job-10 | Do job-10 | running |");
  expect(table).toContain("| job-34 |");
  expect(table).not.toContain("| job-14 |");
  expect(table).toMatch(/\| … \| 4 jobs that ended earlier: list_workers \| +\|/);
});

it("takes the worktrees and folders of a repository for one, and no other repository", async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), "baton-worktrees-")));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const [main, tree, other] = ["main", "tree", "other"].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  const inside = join(main, "packages", "door");
  await mkdir(inside, { recursive: true });
  await mkdir(other);
  for (const folder of [main, other]) await git(folder, ["init", "-q"]);
  const asSomebody = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
  await git(main, [...asSomebody, "commit", "-q", "--allow-empty", "-m", "Begin"]);
  await git(main, ["worktree", "add", "-q", tree]);
  const at = (folder: string) => ({ cwd: folder, project: folder });
  const toNobody = (task: string) => report(task, { orchestrator: null });
  const registry = await registryWith(
    { id: "boss", role: "orchestrator", ...at(main) },
    { id: "w1", ...at(tree), report: toNobody("In a worktree") },
    { id: "w2", ...at(inside), report: toNobody("In a folder") },
    { id: "w3", cwd: join(tree, "gone"), project: tree, report: toNobody("In a folder that has gone") },
    { id: "w4", ...at(other), report: toNobody("Elsewhere") },
    { id: "w5", ...at(home), report: toNobody("Outside") },
  );
  const here = ["In a folder", "In a folder that has gone", "In a worktree"];
  expect(await tasksOf(registry, "boss")).toEqual(here);
});

it("keeps a message for whoever has the work when it comes", async () => {
  const registry = await registryWith(
    { id: "boss-1", handoff: takenUp("boss-2") },
    { id: "boss-2", parent: "boss-1", handoff: aHandoff("clearing") },
  );
  const mail = { from: "fence", text: "done", at: "2026-01-21T10:11:00.000Z" };
  expect(await tell(registry, "boss-1", mail)).toBe("boss-2");
  expect((await registry.find("boss-2"))?.mail).toEqual([mail]);
  expect(await tell(registry, "nobody", mail)).toBeUndefined();
  await note(registry, "boss-1", "It goes on elsewhere.");
  expect((await registry.find("boss-1"))?.mail).toMatchObject([{ from: "baton" }]);
});
