import { execFile } from "node:child_process";
import { request } from "node:https";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { openProjectStore, type Project } from "../../src/app/project.ts";
import { UsageError } from "../../src/app/usage-error.ts";
import { createClient } from "../../src/client.ts";
import type { WebConfig } from "../../src/config/config.ts";
import { resolveWeb } from "../../src/config/layers/resolve.ts";
import { Journal } from "../../src/jobs/journal.ts";
import { thisProcess } from "../../src/processes/owner.ts";
import { claimJob } from "../../src/store/claims.ts";
import { needs } from "../needs.ts";
import { servedProject } from "../web.ts";

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

  const spends = createClient({ url: server.url, token: await token(["start"], { maxCostUsd: 0.5 }) });
  const { job } = await spends.startJob({}, { prompt: "Spend." });
  await spend(project, job);
  await expect(spends.startJob({}, { prompt: "Spend again." })).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining("may cost $0.5"),
  });
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
    "cannot be read",
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
