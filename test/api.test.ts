import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it } from "vitest";
import { ApiError } from "../src/client.ts";
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
});

it("prints tables for people with curl, and JSON for programs", async () => {
  const { project, token, get } = await servedProject();
  await queuedJob(project, "Fix \u001b[31mit");
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
  const answer = await get("/api/v1/jobs", { authorization, accept: "application/json" });
  const tag = answer.headers.get("etag") ?? "";
  expect(tag).toMatch(/^W\//);
  const again = { authorization, accept: "application/json", "if-none-match": tag };
  expect((await get("/api/v1/jobs", again)).status).toBe(304);
});

it("has an OpenAPI document that a public validator accepts", async () => {
  const { token, get } = await servedProject();
  const answer = await get("/api/v1/openapi.json", { authorization: `Bearer ${await token(["view"])}` });
  const { valid, errors } = await new Validator().validate(JSON.parse(await answer.text()));
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
});

it("makes tokens on a terminal alone", async () => {
  const { project } = await servedProject();
  const where = { folder: project.root, env: { PATH: process.env.PATH ?? "", HOME: project.root } };
  const { code, stderr } = await baton(where, ["token", "create", "ci"]);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("on a terminal") });
});
