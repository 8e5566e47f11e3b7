import { execFile } from "node:child_process";
import { request } from "node:https";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, vi } from "vitest";
import { findProject, openProjectStore, type Project } from "../../src/app/project.ts";
import { UsageError } from "../../src/app/usage-error.ts";
import { createClient } from "../../src/client.ts";
import type { WebConfig } from "../../src/config/config.ts";
import { resolveWeb } from "../../src/config/layers/resolve.ts";
import { Journal } from "../../src/jobs/journal.ts";
import { thisProcess } from "../../src/processes/owner.ts";
import { claimJob } from "../../src/store/claims.ts";
import { agreeIn } from "../agree.ts";
import { bareProject } from "../bare-project.ts";
import { needs } from "../needs.ts";
import { queuedJob, served, servedProject } from "../web.ts";

it("starts no more jobs for a token than it may start within a day", async () => {
  const { server, project, token } = await servedProject();
  const startsTwo = createClient({ url: server.url, token: await token(["start"], { maxJobs: 2 }) });
  const first = await startsTwo.startJob({}, { prompt: "One." });
  await startsTwo.startJob({}, { prompt: "Two." });
  const refused = { status: 409, message: expect.stringContaining("2 jobs within a day") };
  await expect(startsTwo.startJob({}, { prompt: "Three." })).rejects.toMatchObject(refused);
  await expect(startsTwo.retryJob(first)).rejects.toMatchObject(refused);
  // Another token is not held to it.
  const other = createClient({ url: server.url, token: await token(["start"]) });
  await other.startJob({}, { prompt: "Three." });
  expect((await other.listJobs({})).jobs).toHaveLength(3);

  const resumed = { status: 409, message: expect.stringContaining("resumes only what it started") };
  const { job: cancelled } = await other.startJob({}, { prompt: "Not theirs." });
  await other.cancelJob({ job: cancelled });
  await expect(startsTwo.resumeJob({ job: cancelled }, {})).rejects.toMatchObject(resumed);

  const spends = createClient({ url: server.url, token: await token(["start"], { maxCostUsd: 0.5 }) });
  const { job } = await spends.startJob({}, { prompt: "Spend." });
  await spend(project, job);
  await expect(spends.startJob({}, { prompt: "Spend again." })).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining("may cost $0.5"),
  });
});

it("keeps a token to its limits where it asks for many jobs at the same moment", async () => {
  const { server, token } = await servedProject();
  const startsTwo = createClient({ url: server.url, token: await token(["start"], { maxJobs: 2 }) });
  const prompts = Array.from({ length: 8 }, (_, at) => `Do ${at}.`);
  const became = await Promise.allSettled(prompts.map((prompt) => startsTwo.startJob({}, { prompt })));
  expect(became.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  expect((await startsTwo.listJobs({})).jobs).toHaveLength(2);

  const spends = createClient({ url: server.url, token: await token(["start"], { maxCostUsd: 3 }) });
  const costly = prompts.map((prompt) => spends.startJob({}, { prompt, maxCostUsd: 2 }));
  const started = (await Promise.allSettled(costly)).filter(({ status }) => status === "fulfilled");
  // The second may cost what the first leaves.
  expect(started).toHaveLength(2);
});

it("lets the jobs of a token cost no more together than it may spend within a day", async () => {
  const { server, project, token } = await servedProject();
  vi.stubEnv("ANTHROPIC_API_KEY", "none");
  const all = createClient({ url: server.url, token: await token(["admin"]) });
  const secret = await token(["start"], { maxCostUsd: 3 });
  const client = createClient({ url: server.url, token: secret });
  const limitOf = async (job: string) =>
    (await all.listJobs({})).jobs.flatMap((row) =>
      "costLimitUsd" in row && row.id === job ? [row.costLimitUsd] : [],
    );
  const { job } = await client.startJob({}, { prompt: "One.", maxCostUsd: 2 });
  const { job: second } = await client.startJob({}, { prompt: "Two, which says nothing." });
  expect(await limitOf(second)).toEqual([1]);
  const refused = { status: 409, message: expect.stringContaining("may cost $3") };
  await expect(client.startJob({}, { prompt: "Three." })).rejects.toMatchObject(refused);
  await expect(client.retryJob({ job })).rejects.toMatchObject(refused);

  // One that is over leaves what it did not spend.
  await client.cancelJob({ job: second });
  const again = await client.retryJob({ job: second });
  expect(await limitOf(again.job)).toEqual([1]);
  await client.cancelJob(again);
  await spend(project, again.job);
  await client.cancelJob(again);
  await expect(client.startJob({}, { prompt: "Four." })).rejects.toMatchObject(refused);
  await expect(client.resumeJob({ job: second }, {})).rejects.toMatchObject(refused);
});

it("lets nobody start a job with a higher limit who may not answer why it paused", async () => {
  const where = await bareProject("limits: { cost_usd: 2 }");
  agreeIn(where);
  const { server, token, client } = await served(where);
  vi.stubEnv("ANTHROPIC_API_KEY", "none");
  const starts = createClient({ url: server.url, token: await token(["start"]) });
  const job = { prompt: "Spend.", maxCostUsd: 2.01 };
  await expect(starts.startJob({}, job)).rejects.toMatchObject({ status: 403, type: "urn:baton:scope" });
  await starts.startJob({}, { ...job, maxCostUsd: 2 });
  await (await client("start", "answer")).startJob({}, job);
});

it("keeps a token of one project from the others of its fleet, also by the beginning of an id", async () => {
  const [one, other] = [await bareProject(), await bareProject()];
  for (const each of [one, other]) agreeIn(each);
  const projects = [one, other].map(({ folder }) => findProject({}, folder));
  const { server, token } = await served(one, { projects });
  const [first = "", second = ""] = await Promise.all(projects.map((project) => queuedJob(project, "Wait.")));
  const ofOne = createClient({ url: server.url, token: await token(["admin"]) });
  // Who made it is on the trail of that project.
  expect((await ofOne.listAudit({ what: "token.create" })).entries).toMatchObject([{ who: "person" }]);
  await expect(ofOne.drainFleet({}, {})).rejects.toMatchObject({ status: 403, type: "urn:baton:scope" });
  await expect(ofOne.getJob({ job: second })).rejects.toMatchObject({ status: 404 });
  const beginning = "job-";
  expect(await ofOne.getJob({ job: beginning })).toMatchObject({ id: first });
  const ofAll = createClient({ url: server.url, token: await token(["admin"], { projects: null }) });
  await expect(ofAll.cancelJob({ job: beginning })).rejects.toMatchObject({
    status: 409,
    type: "urn:baton:ambiguous",
  });
  expect(await ofAll.getJob({ job: second })).toMatchObject({ status: "queued" });
  await expect(ofAll.drainFleet({}, {})).rejects.toMatchObject({ status: 409 });
});

/** The job has cost a dollar. */
async function spend(project: Project, job: string): Promise<void> {
  await using store = await openProjectStore(project);
  const now = () => new Date();
  await using journal = new Journal(store, await claimJob(store, job, thisProcess(), now()), now);
  await journal.record({ type: "session:starting", session: "s", ordinal: 1, mode: "fresh" });
  const context = { tokens: 1_000, window: 200_000, percent: 0.5 };
  await journal.record({ type: "response", session: "s", model: "claude-sonnet-4-5", costUsd: 1, context });
}

const wide = (more: Partial<WebConfig> = {}) => ({
  config: { ...resolveWeb(), host: "0.0.0.0", port: 0, ...more },
});

it("is served to other machines with TLS, or where the user insists, and not otherwise", async () => {
  needs("openssl");
  await expect(servedProject(wide())).rejects.toThrow(UsageError);
  await expect(servedProject(wide())).rejects.toThrow("tokens could be read on the way");
  await expect(servedProject(wide({ tls: { cert: "/nowhere", key: "/nowhere" } }))).rejects.toThrow(
    "cannot be used: ENOENT",
  );
  const nonsense = fileURLToPath(import.meta.url);
  await expect(servedProject(wide({ tls: { cert: nonsense, key: nonsense } }))).rejects.toThrow(
    "cannot be used: ",
  );
  await expect(servedProject(wide({ host: "192.0.2.1", allowInsecure: true }))).rejects.toThrow(
    "no address of this machine",
  );
  expect((await servedProject(wide({ allowInsecure: true }))).server.url).toMatch(/^http:/);

  const { project } = await servedProject();
  const [cert, key] = [join(project.root, "cert.pem"), join(project.root, "key.pem")];
  const names = ["-subj", "/CN=localhost", "-days", "2"];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await promisify(execFile)("openssl", [...made, ...names, "-keyout", key, "-out", cert]);
  const { server } = await servedProject(wide({ tls: { cert, key } }));
  const { port, protocol } = new URL(server.url);
  expect(protocol).toBe("https:");
  const status = await new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: "/healthz", rejectUnauthorized: false };
    request(options, (answer) => resolve(answer.resume().statusCode))
      .once("error", reject)
      .end();
  });
  expect(status).toBe(200);
});
