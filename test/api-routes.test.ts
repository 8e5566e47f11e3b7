import { expect, it, vi } from "vitest";
import { configOf } from "../src/app/project.ts";
import { ApiError, type Client, createClient } from "../src/client.ts";
import { CONTRACT } from "../src/http/contract.ts";
import { OPERATIONS, type OperationName } from "../src/http/operations.ts";
import { Baton, baton, testProject } from "./harness.ts";
import { bash, good, handedOver, handsIn, oneHandoff, writesNotes } from "./one-handoff.ts";
import { queuedJob, served, signedIn } from "./web.ts";

const SCHEDULE = 'schedules: { nightly: { cron: "0 3 * * *", prompt: Look. } }';

/** A client that holds every answer to its schema, and remembers which operations it has run. */
function checked(client: Client, ran: Set<string>): Client {
  return new Proxy(client, {
    get(target, name: OperationName) {
      const call = target[name] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        const answer = await call(...args);
        const { error } = CONTRACT[name].answer.safeParse(answer);
        expect(error, `${name} answers ${JSON.stringify(answer)}`).toBeUndefined();
        ran.add(name);
        return answer;
      };
    },
  });
}

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
  expect((await admin.listInbox({})).inbox).toMatchObject([{ kind: "paused", jobs: [started.job] }]);
  expect(await admin.resumeJob(named, { maxCostUsd: 3 })).toMatchObject({ job: started.job, queued: {} });
  expect(await admin.cancelJob(named)).toMatchObject({ state: "done", status: "cancelled" });
  await admin.retryJob({ job });
  await admin.forkJob({ job }, { says: "Otherwise." });
  await expect(admin.handOffJob({ job }, {})).rejects.toMatchObject({ status: 409 });
  ran.add("handOffJob");

  expect((await admin.listSchedules({})).schedules).toMatchObject([
    { name: "nightly", upcoming: [{}, {}, {}] },
  ]);
  const schedule = { agent: "coder", name: "nightly" };
  await admin.pauseSchedule(schedule, {});
  await admin.resumeSchedule(schedule, {});
  expect(await admin.runSchedule(schedule, {})).toMatchObject({ job: expect.any(String) });
  await admin.listFires({});

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
  ran.add("drainFleet").add("reloadFleet");
  await expect(admin.answerAsk({ ask: "nobody" }, { answer: "yes" })).rejects.toMatchObject({ status: 404 });
  ran.add("answerAsk");

  const { entries } = await admin.listAudit({ limit: 5 });
  expect(entries[0]).toMatchObject({
    who: "token:token 1",
    what: "answerAsk",
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
  expect([...ran].sort()).toEqual(Object.keys(OPERATIONS).sort());
});

it("tells what the command line tells", async () => {
  const { project } = await handedOver(oneHandoff([writesNotes], handsIn(good)), { agent: SCHEDULE });
  const web = await served(project);
  const waiting = await queuedJob(web.project, "Waits.");
  const client = await web.client("view");
  const json = async (...args: string[]) => JSON.parse((await baton(project, [...args, "--json"])).stdout);
  const without = <T extends object>(value: T, ...keys: string[]) =>
    Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
  const OWN = ["project", "seq", "attempt", "updatedAt"];

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
  }
  const { projects } = await client.getFleet({});
  expect(projects[0]).toMatchObject(await json("queue"));
  const { schedules } = await client.listSchedules({});
  expect(schedules.map((each) => without(each, "project", "upcoming", "usual"))).toEqual(
    await json("schedules"),
  );
  expect((await client.getCost({ by: "agent" })).projects.map((each) => without(each, "project"))).toEqual([
    await json("cost", "--by", "agent"),
  ]);
  expect((await client.listWorkspaces({})).workspaces.map((each) => without(each, "project"))).toEqual(
    await json("worktrees"),
  );
  const { events } = await client.listEvents({ job: waiting, after: 0 });
  const logged = (await baton(project, ["logs", waiting, "--json"])).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(
    await Promise.all(events.map(({ seq }) => client.getEvent({ job: waiting, seq: String(seq) }))),
  ).toEqual(logged);
  expect((await client.getDiff({ job: jobs[1].id })).files).toEqual((await json("diff", jobs[1].id)).files);
});

it("answers an agent that waits, once", async () => {
  const scenario = { name: "asks", summary: "", steps: [{ call: bash("touch made") }] };
  const project = await testProject({ scenario, agent: "permission_mode: default\npermission_prompts: ask" });
  const running = new Baton(project, ["run", "coder", "Write the files.", "--json"]);
  await running.event(({ type }) => type === "ask:made");
  const web = await served(project);
  const client = await web.client("answer");
  const [row] = (await client.listInbox({})).inbox;
  expect(row).toMatchObject({ kind: "approval", ask: { tool: "Bash" } });
  const answers = await Promise.allSettled(
    [1, 2, 3].map(() => client.answerAsk({ ask: row?.id ?? "" }, { answer: "yes" })),
  );
  expect(answers.filter(({ status }) => status === "fulfilled")).toMatchObject([
    { value: { state: "delivered" } },
  ]);
  expect(await running.exit).toMatchObject({ code: 0 });
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
});
