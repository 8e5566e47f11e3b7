import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { configOf, findProject, openProjectStore, type Project } from "../src/app/project.ts";
import { ApiError, createClient } from "../src/client.ts";
import { stateFolder } from "../src/files/state-folder.ts";
import { OPERATIONS } from "../src/http/operations.ts";
import { Journal } from "../src/jobs/journal.ts";
import { thisProcess } from "../src/processes/owner.ts";
import { Registry } from "../src/sessions/record/registry.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { handOver, isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import { claimJob } from "../src/store/claims.ts";
import { agreeIn } from "./agree.ts";
import { checkedClient as checked, WITH_A_TRACKER } from "./checked-client.ts";
import { go, jobsIn, waits } from "./fleet-jobs.ts";
import { freePort } from "./free-port.ts";
import { Baton, baton, testProject } from "./harness.ts";
import { bash, good, handedOver, handsIn, oneHandoff, REQUEST, writesNotes } from "./one-handoff.ts";
import { registered } from "./own-session.ts";
import { eventually } from "./panes.ts";
import { queuedJob, served, signedIn, tokensFor } from "./web.ts";

const SCHEDULE = 'schedules: { nightly: { cron: "0 3 * * *", prompt: Look. } }';

it("runs every operation by its client, and every answer is what its schema says", async () => {
  const scenario = oneHandoff(
    [writesNotes, bash("git add -A && git commit -qm notes && echo two >> notes.txt")],
    handsIn(good),
  );
  const { project } = await handedOver(scenario, { agent: SCHEDULE });
  // As in the process of a fleet, which looks whether an agent is ready.
  for (const [name, value] of Object.entries(project.env))
    if (!(name in process.env)) vi.stubEnv(name, value);
  const web = await served(project);
  const ran = new Set<string>();
  const admin = checked(
    createClient({ url: web.server.url, token: await web.token(["admin"], { projects: null }) }),
    ran,
  );

  const [done] = (await admin.listJobs({ whole: "true" })).jobs;
  const job = done?.id ?? "";
  expect(done).toMatchObject({ status: "completed", handoffs: [{ number: 1 }] });
  expect(await admin.getJob({ job })).toMatchObject({ project: expect.any(String), sessions: [{}, {}] });
  expect((await admin.getRelay({ job })).lanes).toHaveLength(2);
  expect(await admin.getJobCost({ job })).toMatchObject({
    sessions: [{ ordinal: 1 }, { ordinal: 2 }],
    models: [{ by: "agent" }],
  });
  expect((await admin.getWhy({ job })).events.at(-1)).toMatchObject({ type: "job:completed" });
  const { events } = await admin.listEvents({ job, after: 0, limit: 500 });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  await admin.getEvent({ job, seq: "1" });
  expect((await admin.getHandoff({ job, number: "1" })).document).toContain("Write the second line.");
  expect((await admin.exportJob({ job })).html).toContain(`<!doctype html>`);
  await admin.listCheckpoints({ job });
  const { files } = await admin.getDiff({ job });
  expect(files).toContainEqual({ path: "notes.txt", added: 2, removed: 0 });
  expect((await admin.getDiff({ job, file: "notes.txt" })).patch).toContain("+two");

  expect(await admin.getSession({})).toMatchObject({ kind: "token", scopes: ["admin"] });
  const fleet = await admin.getFleet({});
  expect(fleet.projects).toMatchObject([{ state: "not running", counts: { completed: 1 } }]);
  await admin.getPlan({});
  expect((await admin.listAgents({})).agents).toMatchObject([
    { name: "coder", counts: { completed: 1 }, usual: { jobs: 1 } },
  ]);
  expect((await admin.getAgentConfig({ agent: "coder" })).values).toContainEqual(
    expect.objectContaining({ key: "model", from: expect.objectContaining({ line: expect.any(Number) }) }),
  );

  const started = await admin.startJob(
    {},
    { agent: "coder", prompt: "Another.", priority: 2, epic: "notes" },
  );
  expect(started).toMatchObject({ queued: { position: 1, priority: 2 } });
  const named = { job: started.job };
  const sent = await admin.sendMessage(named, { text: "Use port 8080" });
  expect(
    await admin.changeMessage({ ...named, message: String(sent.id) }, { text: "Use port 9090" }),
  ).toMatchObject({ text: "Use port 9090" });
  expect(await admin.listMessages(named)).toMatchObject({
    waiting: [{ id: sent.id, text: "Use port 9090" }],
    told: [],
  });
  await admin.removeMessage({ ...named, message: String(sent.id) });
  expect(await admin.moveJob(named, { priority: 7 })).toMatchObject({ queued: { priority: 7 } });
  expect(await admin.pauseJob(named)).toMatchObject({ state: "done", status: "paused" });
  const paused = { kind: "paused", jobs: [started.job] };
  expect((await admin.listInbox({})).inbox).toMatchObject([paused]);
  await failedJob(web.project);
  const row = (await admin.listInbox({})).inbox.find(({ kind }) => kind === "failed");
  await admin.leaveInbox({}, { id: row?.id ?? "" });
  expect((await admin.listInbox({})).inbox).toMatchObject([paused]);
  expect(await admin.resumeJob(named, { maxCostUsd: 3 })).toMatchObject({ job: started.job, queued: {} });
  expect(await admin.cancelJob(named)).toMatchObject({ state: "done", status: "cancelled" });
  await admin.retryJob({ job });
  await admin.forkJob({ job }, { says: "Otherwise." });
  await expect(admin.handOffJob({ job }, {})).rejects.toMatchObject({ status: 409 });

  expect((await admin.listSchedules({})).schedules).toMatchObject([
    { name: "nightly", upcoming: [{}, {}, {}] },
  ]);
  const schedule = { agent: "coder", name: "nightly" };
  await admin.pauseSchedule(schedule, {});
  await admin.resumeSchedule(schedule, {});
  expect(await admin.runSchedule(schedule, {})).toMatchObject({ job: expect.any(String) });
  await admin.listFires({});

  expect(await admin.listWork({})).toEqual({ sources: [] });
  for (const of of ["claimWork", "releaseWork", "ignoreWork"] as const) {
    const refused = expect.stringContaining("No agent takes work from a tracker here");
    await expect(admin[of]({ id: "1" }, {})).rejects.toMatchObject({ message: refused });
  }

  for (const by of ["day", "agent", "job", "model"] as const) {
    expect((await admin.getCost({ by })).projects[0]?.rows[0]).toMatchObject({ [by]: expect.any(String) });
  }
  await admin.listBudgets({});
  await admin.getTime({});
  await admin.listAccounts({});
  await admin.listWorkspaces({ sizes: "true" });
  await admin.listOwnSessions({});
  expect(await admin.getServer({})).toMatchObject({ projects: [{ maintenance: {} }] });
  expect((await admin.getDoctor({})).projects[0]?.findings).toContainEqual(
    expect.objectContaining({ name: "Node", state: "ok" }),
  );

  await admin.pauseFleet({}, {});
  await admin.resumeFleet({}, {});
  await admin.pauseAgent({ agent: "coder" }, {});
  await admin.resumeAgent({ agent: "coder" }, {});
  await admin.haltFleet({});
  expect((await admin.getFleet({})).halted).toMatchObject({ since: expect.any(String) });
  await admin.unhaltFleet({});
  for (const call of [admin.drainFleet, admin.reloadFleet])
    await expect(call({}, {})).rejects.toBeInstanceOf(ApiError);
  await expect(admin.answerAsk({ ask: "nobody" }, { answer: "yes" })).rejects.toMatchObject({ status: 404 });
  await expect(admin.getAlways({ ask: "nobody" })).rejects.toMatchObject({ status: 404 });
  await expect(admin.leaveInbox({}, { id: "nobody" })).rejects.toMatchObject({ status: 409 });

  const { entries } = await admin.listAudit({ limit: 5 });
  expect(entries[0]).toMatchObject({
    who: "token:token 1",
    what: "leaveInbox",
    outcome: expect.stringMatching(/^refused/),
  });
  const browser = await signedIn(web);
  ran.add("signIn");
  expect((await admin.listTokens({})).tokens).toHaveLength(2);
  const headers = {
    cookie: browser.cookie,
    "content-type": "application/json",
    "x-baton-csrf": browser.csrf,
  };
  const out = await fetch(`${web.server.url}/api/v1/session`, { method: "DELETE", headers, body: "{}" });
  expect(out.status).toBe(200);
  ran.add("signOut");
  expect((await fetch(`${web.server.url}/api/v1/session`, { headers })).status).toBe(401);
  await admin.revokeToken({ token: "token 1" });
  await expect(admin.getSession({})).rejects.toMatchObject({ status: 401 });
  // Those that need a fleet, an agent that asks, or a tracker.
  const elsewhere = [...WITH_A_FLEET, ...WITH_AN_ASK, ...WITH_A_TRACKER];
  expect([...ran, ...elsewhere].sort()).toEqual(Object.keys(OPERATIONS).sort());
});

async function failedJob(project: Project): Promise<void> {
  const job = await queuedJob(project, "Fail.");
  await using store = await openProjectStore(project);
  const now = () => new Date();
  await using journal = new Journal(store, await claimJob(store, job, thisProcess(), now()), now);
  await journal.record({ type: "job:failed", error: "No luck" });
}

const WITH_A_FLEET = ["handOffJob", "reloadFleet", "drainFleet"];
const WITH_AN_ASK = ["getAlways", "answerAsk"];

/** Waits for a file, and hands over when it is asked to. */
const handsOver: Scenario = {
  ...{ name: "hands over", summary: "" },
  otherwise: (request) => (isHandoffRequest(request) ? handOver(request, good) : waits.otherwise(request)),
};

it("hands a job of a fleet off, reads its configuration again and drains it", async () => {
  const project = await testProject({ scenario: handsOver });
  const port = await freePort();
  const ran = new Set<string>();
  const token = await tokensFor(findProject({}, project.folder))(["admin"]);
  const client = checked(createClient({ url: `http://127.0.0.1:${port}`, token }), ran);
  const fleet = new Baton(project, ["start", "--port", String(port)]);
  await eventually("it is served", () => client.getSession({}).catch(() => undefined));
  const named = await client.startJob({}, { prompt: REQUEST });
  await eventually("its tool runs", async () => {
    const [row] = (await client.listJobs({})).jobs;
    return row && "tool" in row && row.tool;
  });
  expect(await client.handOffJob(named, { focus: "the second line" })).toMatchObject({ job: named.job });
  expect((await client.reloadFleet({}, {})).projects).toMatchObject([{ outcome: "unchanged" }]);
  await client.drainFleet({}, {});
  await go(project);
  expect(await fleet.exit).toMatchObject({ code: 0 });
  expect(await jobsIn(project)).toMatchObject([{ status: "completed", handoffs: [{ number: 1 }] }]);
  expect([...ran]).toEqual(expect.arrayContaining(WITH_A_FLEET));
});

it("tells what the command line tells", async () => {
  const { project } = await handedOver(oneHandoff([writesNotes], handsIn(good)), { agent: SCHEDULE });
  for (const [name, value] of Object.entries(project.env))
    if (!(name in process.env)) vi.stubEnv(name, value);
  const path = join(project.folder, "baton.yaml");
  const budget = "budgets: [{ scope: fleet, per: day, cost_usd: 5 }]";
  await writeFile(path, `${budget}\n${await readFile(path, "utf8")}`);
  agreeIn(project);
  const web = await served(project);
  const waiting = await queuedJob(web.project, "Waits.");
  await baton(project, ["send", waiting, "Hello"]);
  await baton(project, ["schedules", "run", "coder", "nightly"]);
  const client = createClient({ url: web.server.url, token: await web.token(["admin"], { projects: null }) });
  const json = async (...args: string[]) => JSON.parse((await baton(project, [...args, "--json"])).stdout);
  const without = <T extends object>(value: T, ...keys: string[]) =>
    Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
  const OWN = ["project", "seq", "attempt", "updatedAt"];

  const registry = new Registry(join(stateFolder(project.env), "sessions"));
  await registered({ ...project, registry, handoffs: "" }, "an-own-session");
  const { sessions } = await client.listOwnSessions({});
  expect(sessions).toMatchObject([{ id: "an-own-session", context: { tokens: expect.any(Number) } }]);
  expect(sessions).toEqual((await json("status")).sessions);

  const jobs = await json("jobs");
  const { jobs: listed } = await client.listJobs({ whole: "true" });
  expect(listed.map((job) => without(job, ...OWN))).toEqual(
    jobs.map((job: object) => expect.objectContaining(without(job, "handoffs"))),
  );
  for (const { id } of jobs) {
    const shown = await json("show", id);
    expect(without(await client.getJob({ job: id }), ...OWN)).toEqual(
      without(shown, "handoffEstimate", "log"),
    );
    expect(await client.getWhy({ job: id })).toEqual(await json("show", id, "--why"));
    expect(await client.listMessages({ job: id })).toEqual(await json("messages", id));
    expect((await client.listCheckpoints({ job: id })).checkpoints).toEqual(await json("checkpoints", id));
  }
  const { projects } = await client.getFleet({});
  expect(projects[0]).toMatchObject(await json("queue"));
  const { schedules } = await client.listSchedules({});
  expect(schedules.map((each) => without(each, "project", "upcoming", "week", "usual"))).toEqual(
    await json("schedules"),
  );
  expect((await client.getCost({ by: "agent" })).projects.map((each) => without(each, "project"))).toEqual([
    await json("cost", "--by", "agent"),
  ]);
  expect((await client.listWorkspaces({})).workspaces.map((each) => without(each, "project"))).toEqual(
    await json("worktrees"),
  );
  expect((await client.listFires({})).fires.map((each) => without(each, "project", "id"))).toEqual(
    (await json("schedules", "history")).map((each: object) => without(each, "id")),
  );
  const [plan] = (await client.getPlan({})).projects;
  const planned = await json("plan");
  expect(plan?.runs.map(({ agent, job, schedule }) => [agent, job, schedule])).toEqual(
    planned.runs.map((run: Record<string, unknown>) => [run.agent, run.job, run.schedule]),
  );
  expect(plan).toMatchObject({ expectedCost: planned.expectedCost, limitResets: planned.limitResets });
  const spent = await json("cost");
  expect(spent.budgets).toHaveLength(1);
  expect((await client.listBudgets({})).budgets.map((each) => without(each, "project"))).toEqual(
    spent.budgets,
  );
  const lasted = await json("time");
  const [time] = (await client.getTime({ since: lasted.since })).projects;
  expect(time?.agents.map(({ agent, jobs: of }) => [agent, of])).toEqual(
    lasted.agents.map((each: Record<string, unknown>) => [each.agent, each.jobs]),
  );
  const lines = async (...args: string[]) =>
    (await baton(project, [...args, "--json"])).stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  expect((await client.listInbox({})).inbox.map((each) => without(each, "project"))).toEqual(
    await lines("inbox"),
  );
  expect((await client.listAudit({})).entries.filter(({ who }) => who === "person")).toEqual(
    await lines("audit", "--all", "--who", "person"),
  );
  const [deed] = (await client.listAudit({})).entries;
  const did = { what: `${deed?.what},nothing` };
  expect((await client.listAudit(did)).entries).toEqual(await lines("audit", "--all", "--what", did.what));
  const seen = (each: object) => without(each, "usedAt");
  expect((await client.listTokens({})).tokens.map(seen)).toEqual((await json("token", "list")).map(seen));
  const configured = await json("config", "show", "coder");
  expect(await client.getAgentConfig({ agent: "coder" })).toMatchObject({
    files: configured.files,
    values: configured.agents.coder,
  });
  expect((await client.getDoctor({})).projects[0]?.findings).toEqual(await json("doctor"));
  const done = jobs.find(({ status }: { status: string }) => status === "completed").id;
  const { document } = await client.getHandoff({ job: done, number: "1" });
  const [handoff] = await json("handoffs", done);
  expect(document).toBe(await readFile(handoff.documentPath, "utf8"));
  const { events } = await client.listEvents({ job: waiting, after: 0 });
  const logged = (await baton(project, ["logs", waiting, "--json"])).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(
    await Promise.all(events.map(({ seq }) => client.getEvent({ job: waiting, seq: String(seq) }))),
  ).toEqual(logged);
  expect(await client.getDiff({ job: done })).toEqual(await json("diff", done));
});

it("answers an agent that waits, once", async () => {
  const scenario = { name: "asks", summary: "", steps: [{ call: bash("touch made") }] };
  const project = await testProject({ scenario, agent: "permission_mode: default\npermission_prompts: ask" });
  const running = new Baton(project, ["run", "coder", "Write the files.", "--json"]);
  await running.event(({ type }) => type === "ask:made");
  const web = await served(project);
  const ran = new Set<string>();
  const client = checked(await web.client("answer"), ran);
  const [row] = (await client.listInbox({})).inbox;
  expect(row).toMatchObject({ kind: "approval", ask: { tool: "Bash" } });
  const always = await client.getAlways({ ask: row?.id ?? "" });
  expect(always).toMatchObject({ agent: "coder", at: { line: expect.stringContaining(always.rule) } });
  const answers = await Promise.allSettled(
    [1, 2, 3].map(() => client.answerAsk({ ask: row?.id ?? "" }, { answer: "yes" })),
  );
  expect(answers.filter(({ status }) => status === "fulfilled")).toMatchObject([
    { value: { state: "delivered" } },
  ]);
  expect(await running.exit).toMatchObject({ code: 0 });
  expect([...ran]).toEqual(expect.arrayContaining(WITH_AN_ASK));
  const { entries } = await (await web.client("admin")).listAudit({});
  expect(entries.map(({ what, outcome }) => [what, outcome.slice(0, 7)])).toEqual(
    expect.arrayContaining([
      ["answerAsk", "done"],
      ["answerAsk", "refused"],
    ]),
  );
});

it("does a change that is sent again only once", async () => {
  const scenario = { name: "none", summary: "", steps: [] };
  const project = await testProject({ scenario });
  const web = await served(project);
  await configOf(web.project);
  const client = await web.client("start");
  const key = { idempotencyKey: "a-1" };
  const first = await client.startJob({}, { prompt: "Once." }, key);
  expect(await client.startJob({}, { prompt: "Once." }, key)).toEqual(first);
  await expect(client.startJob({}, { prompt: "Twice." }, key)).rejects.toMatchObject({ status: 422 });
  const message = { idempotencyKey: "a-2" };
  const sent = await client.sendMessage(first, { text: "Hello" }, message);
  expect(await client.sendMessage(first, { text: "Hello" }, message)).toEqual(sent);
  expect((await client.listMessages(first)).waiting).toHaveLength(1);
  expect((await client.listJobs({})).jobs).toHaveLength(1);

  // Whoever gives up waiting, and sends it again, may be quicker than the first.
  const atOnce = <T>(send: () => Promise<T>) => Promise.all(Array.from({ length: 4 }, send));
  const started = await atOnce(() => client.startJob({}, { prompt: "At once." }, { idempotencyKey: "a-3" }));
  expect(new Set(started.map(({ job }) => job)).size).toBe(1);
  const [one = first] = started;
  const texts = await atOnce(() => client.sendMessage(one, { text: "Hello" }, { idempotencyKey: "a-4" }));
  expect(texts).toEqual(texts.map(() => texts[0]));
  expect((await client.listMessages(one)).waiting).toHaveLength(1);
  expect((await client.listJobs({})).jobs).toHaveLength(2);
});
