import { createHmac } from "node:crypto";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { openProjectStore } from "../src/app/project.ts";
import { createClient } from "../src/client.ts";
import { pollsAsked, putWorkSources } from "../src/store/work/sources.ts";
import { agreeIn } from "./agree.ts";
import { checkedClient, WITH_A_TRACKER } from "./checked-client.ts";
import { jobsIn, waits } from "./fleet-jobs.ts";
import { served } from "./web.ts";
import { linearProject, workProject } from "./work-fleet.ts";

const SECRET = "correct-horse-battery-staple";

async function servedWork() {
  const where = await workProject({ scenario: waits });
  vi.stubEnv("HOOK_SECRET", SECRET);
  vi.stubEnv("GITHUB_TOKEN", where.env.GITHUB_TOKEN);
  await appendFile(
    join(where.folder, "baton.yaml"),
    "webhooks: { enabled: true, secret_env: HOOK_SECRET }\n",
  );
  agreeIn(where);
  const web = await served(where);
  return { where, web };
}

it("claims, releases and ignores items for whoever may start jobs", async () => {
  const { where, web } = await servedWork();
  const id = String(where.repo.open({ title: "Fix it", body: "Now.", by: "alice", labels: ["ready"] }));
  const ran = new Set<string>();
  const client = checkedClient(createClient({ url: web.server.url, token: await web.token(["start"]) }), ran);
  expect(await client.listWork({})).toMatchObject({
    sources: [{ source: expect.stringContaining("acme/app"), filters: [{ agent: "coder" }], items: [] }],
  });
  const claimed = await client.claimWork({ id }, { agent: "coder" });
  expect(claimed).toMatchObject({ item: id, title: "Fix it" });
  expect(await jobsIn(where)).toMatchObject([{ id: claimed.job, status: "queued", workItem: { id } }]);
  await expect(client.claimWork({ id }, {})).rejects.toMatchObject({
    message: expect.stringContaining("has it"),
  });
  await client.ignoreWork({ id }, {});
  await client.ignoreWork({ id }, { undo: true });
  expect(await client.releaseWork({ id }, {})).toMatchObject({ item: id, job: claimed.job });
  expect(await jobsIn(where)).toMatchObject([{ status: "cancelled" }]);
  expect(where.repo.issue(Number(id)).labels).toEqual(["ready"]);
  expect([...ran]).toEqual(expect.arrayContaining(WITH_A_TRACKER));
  const limits = { maxJobs: 1, maxCostUsd: 2 };
  const limited = createClient({ url: web.server.url, token: await web.token(["start"], limits) });
  const { job } = await limited.claimWork({ id }, {});
  expect(await jobsIn(where)).toContainEqual(expect.objectContaining({ id: job, chosen: { maxCostUsd: 2 } }));
  await client.releaseWork({ id }, {});
  await expect(limited.claimWork({ id }, {})).rejects.toMatchObject({
    message: expect.stringContaining("1 jobs within a day"),
  });
  const viewer = createClient({ url: web.server.url, token: await web.token(["view"]) });
  await expect(viewer.claimWork({ id }, {})).rejects.toMatchObject({ status: 403 });
});

it("asks the trackers when GitHub says that something is new, once for each delivery, and believes nothing else", async () => {
  const { web, where } = await servedWork();
  await using store = await openProjectStore({ root: where.folder });
  const row = { polledAt: null, nextAt: null, budget: null, problem: null, problemSince: null, shown: "[]" };
  await putWorkSources(store, [{ name: "github:acme/app", ...row }]);
  const call = async (body: string, headers: Record<string, string>) => {
    const response = await fetch(`${web.server.url}/api/v1/hooks/github`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-github-event": "issues", ...headers },
      body,
    });
    return { status: response.status, ...JSON.parse(await response.text()) };
  };
  const body = JSON.stringify({ action: "labeled", issue: { number: 666 } });
  const signature = `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`;
  const signed = { "x-hub-signature-256": signature, "x-github-delivery": "d-1" };
  expect(await call(body, { ...signed, "x-hub-signature-256": signature.replace(/.$/, "x") })).toMatchObject({
    status: 401,
  });
  expect(await call(`${body} `, signed)).toMatchObject({ status: 401 });
  expect(await call(body, { "x-github-delivery": "d-1" })).toMatchObject({ status: 401 });
  expect(await pollsAsked(store)).toEqual([]);
  expect(await call(body, signed)).toMatchObject({ status: 202, polled: 1 });
  expect(await pollsAsked(store)).toEqual(["github:acme/app"]);
  expect(await call(body, signed)).toMatchObject({ status: 202, polled: 0 });
  expect(await pollsAsked(store)).toEqual([]);
  expect(await jobsIn(where)).toEqual([]);
});

it("asks the trackers when Linear says so, signed and of now", async () => {
  const where = await linearProject({ scenario: waits });
  vi.stubEnv("HOOK_SECRET", SECRET);
  const more = "webhooks: { enabled: true, secret_env: HOOK_SECRET }\n";
  await appendFile(join(where.folder, "baton.yaml"), more);
  agreeIn(where);
  const web = await served(where);
  await using store = await openProjectStore({ root: where.folder });
  const row = { polledAt: null, nextAt: null, budget: null, problem: null, problemSince: null, shown: "[]" };
  await putWorkSources(store, [{ name: "linear:eng", ...row }]);
  const call = async (at: number, { to = "linear", delivery = "d-1" } = {}) => {
    const body = JSON.stringify({ action: "update", type: "Issue", webhookTimestamp: at });
    const hmac = createHmac("sha256", SECRET).update(body).digest("hex");
    const headers = {
      ...{ "content-type": "application/json", "linear-signature": hmac, "linear-delivery": delivery },
      "x-hub-signature-256": `sha256=${hmac}`,
    };
    const response = await fetch(`${web.server.url}/api/v1/hooks/${to}`, { method: "POST", headers, body });
    return { status: response.status, ...JSON.parse(await response.text()) };
  };
  const now = Date.now();
  expect(await call(now - 61_000)).toMatchObject({ status: 401 });
  // Nothing of this project is on GitHub.
  expect(await call(now, { to: "github" })).toMatchObject({ status: 401 });
  expect(await pollsAsked(store)).toEqual([]);
  expect(await call(now)).toMatchObject({ status: 202, polled: 1 });
  expect(await pollsAsked(store)).toEqual(["linear:eng"]);
  expect(await call(now)).toMatchObject({ status: 202, polled: 0 });
  expect(await pollsAsked(store)).toEqual([]);
});
