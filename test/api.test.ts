import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it, onTestFinished, vi } from "vitest";
import { ApiError } from "../src/client.ts";
import { webApp } from "../src/http/app.ts";
import { OPERATIONS, type OperationName } from "../src/http/operations.ts";
import type { Web } from "../src/http/web.ts";
import { objections } from "./command-lines.ts";
import { baton } from "./harness.ts";
import { queuedJob, servedProject } from "./web.ts";

it("answers a token with what it may see, and nobody else", async () => {
  const { project, client, get } = await servedProject();
  const job = await queuedJob(project, "Fix the tests.\nAll of them.");
  expect((await get("/healthz")).status).toBe(200);
  expect((await get("/api/v1/jobs")).status).toBe(401);
  const viewer = await client("view");
  const { jobs, position } = await viewer.listJobs({});
  expect(jobs).toMatchObject([{ id: job, status: "queued", title: "Fix the tests." }]);
  const { projects, position: same } = await viewer.getFleet({});
  expect(projects).toMatchObject([
    { state: "not running", queue: [{ job, reason: { code: "not-running" } }] },
  ]);
  expect(same).toBe(position);
  expect(await viewer.getJob({ job: job.slice(0, -1) })).toMatchObject({ id: job, queued: { position: 1 } });
});

it("pages through jobs and events, whatever comes meanwhile", async () => {
  const { project, client } = await servedProject();
  const made: string[] = [];
  for (const prompt of ["one", "two", "three"]) made.push(await queuedJob(project, prompt));
  const viewer = await client("view");
  const first = await viewer.listJobs({ limit: 2 });
  await queuedJob(project, "four");
  const second = await viewer.listJobs({ limit: 2, after: first.next });
  expect([...first.jobs, ...second.jobs].map(({ id }) => id)).toEqual(made.toReversed());
  expect(second.next).toBeUndefined();
  const [job = ""] = made;
  const newest = await viewer.listEvents({ job, limit: 1 });
  expect(newest).toMatchObject({ seq: 2, events: [{ seq: 2, type: "job:queued" }], earlier: 2 });
  expect(await viewer.listEvents({ job, before: newest.earlier })).toMatchObject({
    events: [{ type: "job:created" }],
  });
  expect(await viewer.listEvents({ job, after: 0, kinds: "job:queued" })).toMatchObject({
    events: [{ seq: 2 }],
  });
  expect(await viewer.getEvent({ job, seq: "1" })).toMatchObject({ type: "job:created", prompt: "one" });
  await expect(viewer.getJob({ job: "job-1999-01-01-nobody" })).rejects.toMatchObject({ status: 404 });
  await expect(viewer.listJobs({ limit: 0 })).rejects.toBeInstanceOf(ApiError);
});

it("streams what happens, and goes on where a reader was", async () => {
  const { project, client } = await servedProject();
  const before = await queuedJob(project, "before");
  const viewer = await client("view");
  const { position } = await viewer.listJobs({});
  const job = await queuedJob(project, "while nobody listened");
  const ending = new AbortController();
  const heard: unknown[] = [];
  let last: string | undefined;
  for await (const { id, type, data } of viewer.stream({ topics: ["jobs"], after: position }, ending)) {
    if (id !== undefined) last = id;
    if (type === "job") heard.push(data.id);
    if (type === "position") break;
  }
  expect(heard).toEqual([job]);
  const topics = ["fleet", `job:${before}`];
  const later = viewer.stream({ topics, ...(last !== undefined && { after: last }) }, ending);
  const told: string[] = [];
  for await (const { type } of later) {
    told.push(type);
    if (type === "fleet") break;
  }
  ending.abort();
  expect(told).toEqual(["resume", "fleet"]);
  const unknown = viewer.stream({ topics: ["jobs", "job:NO/JOB"] }, { signal: AbortSignal.timeout(5_000) });
  await expect(unknown.next()).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining("Topics are fleet, inbox, jobs and job:<id>"),
  });
});

it("ends a stream after ten minutes, and the next goes on where it ended", async () => {
  const { project, client } = await servedProject();
  const viewer = await client("view");
  const now = performance.now.bind(performance);
  let later = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + later);
  onTestFinished(() => clock.mockRestore());
  const told: string[] = [];
  for await (const { type } of viewer.stream({ topics: ["jobs"] })) {
    if (type !== "beat") told.push(type);
    if (type === "begin") later = 10 * 60_000;
    if (type === "resume") await queuedJob(project, "Go on.");
    if (type === "job") break;
  }
  expect(told).toEqual(["begin", "resume", "job"]);
});

it("prints tables for people with curl, and JSON for programs", async () => {
  const { project, token, get } = await servedProject();
  const job = await queuedJob(project, "Fix \u001b[31mit");
  const authorization = `Bearer ${await token(["view"])}`;
  const table = await (await get("/api/v1/jobs", { authorization, accept: "*/*" })).text();
  expect(table).toMatch(/^JOB +AGENT +STATUS[\s\S]*coder +queued/);
  expect(table).not.toContain("\u001b");
  const told = async (path: string) => (await get(`/api/v1/${path}`, { authorization })).text();
  expect(await told("agents")).toMatch(/^AGENT +RUNTIME +SLOTS +QUEUED[\s\S]*coder +claude +0\/1 +1/);
  expect(await told("inbox")).toBe("Nothing needs you.\n");
  expect(await told("schedules")).toBe("No schedules.\n");
  expect(await told("workspaces")).toMatch(/^(?:JOB|No worktrees)/);
  expect(await told("sessions")).toBe("No sessions.\n");
  expect(await told("cost?by=agent")).toMatch(/^AGENT +RESPONSES +COST\n/);
  expect(await told(`jobs/${job}`)).toMatch(
    /^job-\S+ {2}queued\nagent: +coder\n[\s\S]*waits: +the fleet is not running\n\nFix it\n$/,
  );
  expect(await told(`jobs/${job}/why`)).toMatch(/^queued: [\s\S]*SEQ +AT +TYPE/);
  expect(await told(`jobs/${job}/diff`)).not.toBe("");
  expect(await told(`jobs/${job}/messages`)).toBe("No messages.\n");
  expect(await told("schedules/history")).toBe("No schedule has come due yet.\n");
  expect(await told("plan")).toMatch(/^STARTS +AGENT +JOB/);
  expect(await told("work")).toBe("No agent takes work from a tracker here.\n");
  expect(await told("budgets")).toBe("No budgets.\n");
  expect(await told("time")).toMatch(/^AGENT +JOBS[\s\S]*\nall +/);
  expect(await told("accounts")).toBe("No account is at its limit.\n");
  expect(await told("agents/coder/config")).toMatch(/^KEY +VALUE +FROM\n[\s\S]* built in\n/);
  expect(await told("session")).toMatch(/^\{\n {2}"kind": "token",\n/);
  const answer = await get("/api/v1/jobs", { authorization, accept: "application/json" });
  expect(await answer.clone().text()).toMatch(/^\{"jobs":/);
  const tag = answer.headers.get("etag") ?? "";
  expect(tag).toMatch(/^W\//);
  const again = { authorization, accept: "application/json", "if-none-match": tag };
  expect((await get("/api/v1/jobs", again)).status).toBe(304);
});

it("says by what a path is asked for, what is not there, and what a stream would be", async () => {
  const { project, token, server, get } = await servedProject();
  const job = await queuedJob(project, "Fix it.");
  const authorization = `Bearer ${await token(["view"])}`;
  const by = async (method: string, path: string) => {
    const { status, headers } = await fetch(`${server.url}/api/v1/${path}`, {
      method,
      headers: { authorization },
    });
    return [status, headers.get("allow") ?? headers.get("content-type")];
  };
  expect(await by("POST", "plan")).toEqual([405, "GET"]);
  expect(await by("PATCH", `jobs/${job}/messages/1`)).toEqual([405, "PUT, DELETE"]);
  expect(await by("POST", "nothing")).toEqual([404, "application/problem+json"]);
  expect(await by("HEAD", "stream")).toEqual([200, "text/event-stream"]);
  expect((await get(`/api/v1/jobs/${job}/handoffs/1`, { authorization })).status).toBe(404);
});

it("has an OpenAPI document that a public validator accepts", async () => {
  const { token, get } = await servedProject();
  const answer = await get("/api/v1/openapi.json", { authorization: `Bearer ${await token(["view"])}` });
  const document = JSON.parse(await answer.text());
  const { valid, errors } = await new Validator().validate(document);
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });

  const described = Object.entries<object>(document.paths).flatMap(([path, { servers, ...methods }]: Item) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${servers ? "" : "/api/v1"}${path}`),
  );
  const routes = webApp({} as Web).routes.map(
    ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
  );
  const pages = ["ALL /*", "GET /*", "GET /sign-in"];
  expect(described.toSorted()).toEqual(routes.filter((route) => !pages.includes(route)).sort());
});

type Item = [path: string, operations: { servers?: unknown }];

/** What does on the command line what each operation does that changes something. */
const COMMANDS: Record<Changing, string> = {
  signIn: "baton dashboard",
  signOut: "baton token revoke phone",
  revokeToken: "baton token revoke phone",
  pauseFleet: "baton queue pause",
  resumeFleet: "baton queue resume",
  haltFleet: "baton halt",
  unhaltFleet: "baton unhalt",
  drainFleet: "baton stop --drain",
  reloadFleet: "baton reload",
  pauseAgent: "baton queue pause coder",
  resumeAgent: "baton queue resume coder",
  startJob: "baton run coder --queue --priority 2 --after 3k7 --epic notes --work-item 42 --max-cost 3",
  sendMessage: "baton send 3k7 --at turn",
  changeMessage: "baton send --edit 2",
  removeMessage: "baton send --remove 2",
  pauseJob: "baton pause 3k7",
  resumeJob: "baton resume 3k7 --max-cost 3",
  cancelJob: "baton cancel 3k7",
  retryJob: "baton retry 3k7",
  forkJob: "baton fork 3k7 --from checkpoint:2",
  handOffJob: "baton handoff 3k7 --focus tests --to reviewer",
  moveJob: "baton queue move 3k7 --free",
  answerAsk: "baton approve 9dwwek --always",
  leaveInbox: "baton inbox done 9dwwek",
  runSchedule: "baton schedules run coder nightly",
  pauseSchedule: "baton schedules pause coder nightly --until 2026-12-01",
  resumeSchedule: "baton schedules resume coder nightly",
  claimWork: "baton work claim 42",
  releaseWork: "baton work release 42",
  ignoreWork: "baton work ignore 42 --undo",
};

type Changing = {
  [K in OperationName]: (typeof OPERATIONS)[K]["method"] extends "GET" ? never : K;
}[OperationName];

it("changes nothing that the command line does not change, too", () => {
  const changing = Object.entries(OPERATIONS).flatMap(([name, { method }]) =>
    method === "GET" ? [] : [name],
  );
  expect(Object.keys(COMMANDS).sort()).toEqual(changing.sort());
  expect(Object.values(COMMANDS).flatMap(objections)).toEqual([]);
});

it("makes tokens on a terminal alone", async () => {
  const { project } = await servedProject();
  const where = { folder: project.root, env: { PATH: process.env.PATH ?? "", HOME: project.root } };
  const { code, stderr } = await baton(where, ["token", "create", "ci"]);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("on a terminal") });
});
