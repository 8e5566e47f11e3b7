import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { expect, it, onTestFinished, vi } from "vitest";
import { Access } from "../../src/app/access/access.ts";
import { auditTrail } from "../../src/app/access/audit.ts";
import { agentAtOtherEnd } from "../../src/app/access/peer.ts";
import { signInLink } from "../../src/app/access/sign-in.ts";
import { revokeToken } from "../../src/app/access/tokens.ts";
import { written } from "../../src/app/served/position.ts";
import { type ServedProject, ServedProjects } from "../../src/app/served/projects.ts";
import { JournalTails } from "../../src/app/served/tails.ts";
import { createClient } from "../../src/client.ts";
import { streamed } from "../../src/http/stream/stream.ts";
import type { Web } from "../../src/http/web.ts";
import { Journal } from "../../src/jobs/journal.ts";
import { thisProcess } from "../../src/processes/owner.ts";
import { claimJob } from "../../src/store/claims.ts";
import { queuedJob, servedProject, signedIn } from "../web.ts";
import { type Attack, expectNoEscape } from "./count.ts";

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** With headers that `fetch` sets itself. */
function send(url: string, path: string, { method = "GET", headers = {}, body }: Sent): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { method, headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "EPIPE" || error.code === "ECONNRESET" ? resolve(413) : reject(error),
    );
    asked.end(body);
  });
}

it("tells and does nothing for other sites, wrong tokens and requests that are too large", async () => {
  const web = await servedProject();
  const { server, project, token, get } = web;
  const job = await queuedJob(project, "Fix it.");
  const { cookie, csrf } = await signedIn(web);
  const admin = { authorization: `Bearer ${await token(["admin"])}` };
  const view = { authorization: `Bearer ${await token(["view"])}` };
  const start = { authorization: `Bearer ${await token(["start"])}` };
  const other = { authorization: `Bearer ${await token(["admin"], { projects: ["/elsewhere"] })}` };
  const json = { "content-type": "application/json" };
  const jobs = "/api/v1/jobs";
  const refused =
    (status: number, path: string, sent: Sent): Attack[1] =>
    async () => {
      const got = await send(server.url, path, sent);
      return got === status ? undefined : `answered ${got}`;
    };
  const prompt = JSON.stringify({ prompt: "Own it." });
  const posted = (headers: Record<string, string>, body: object = { prompt: "Own it." }): Sent => ({
    method: "POST",
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
  });
  const origin = server.url;
  const attacks: Attack[] = [
    ["a cookie alone", refused(403, jobs, posted({ cookie }))],
    ["a cookie with a made-up proof", refused(403, jobs, posted({ cookie, "x-baton-csrf": "x".repeat(43) }))],
    [
      "a cookie with a proof in the address",
      refused(403, `${jobs}?csrf=${csrf}`, posted({ cookie, origin })),
    ],
    [
      "a cookie and its proof, from another site",
      refused(403, jobs, posted({ cookie, "x-baton-csrf": csrf, origin: "https://evil.example" })),
    ],
    [
      "a cookie and its proof, from another port",
      refused(403, jobs, posted({ cookie, "x-baton-csrf": csrf, origin: "http://127.0.0.1:1" })),
    ],
    ["a cookie, from a form", refused(403, jobs, { method: "POST", headers: { cookie }, body: "prompt=x" })],
    ...[
      "path",
      "cwd",
      "workingDirectory",
      "env",
      "executable",
      "config",
      "permissionMode",
      "allowedTools",
      "runtime",
      "model",
    ].map(
      (key): Attack => [
        `${key} for a job`,
        refused(422, jobs, posted(admin, { prompt: "Own it.", [key]: "/etc" })),
      ],
    ),
    ["a path for a job to cancel", refused(422, `${jobs}/${job}/cancel`, posted(admin, { path: "/etc" }))],
    ["a path in place of an agent", refused(422, jobs, posted(admin, { agent: "../../etc", prompt: "x" }))],
    [
      "a file outside the project",
      refused(404, `${jobs}/${job}/diff?file=..%2f..%2fetc%2fpasswd`, { headers: admin }),
    ],
    ["no token", refused(401, jobs, {})],
    [
      "a made-up token",
      refused(401, jobs, { headers: { authorization: `Bearer baton_${"0".repeat(12)}_${"A".repeat(43)}` } }),
    ],
    ["a token in the address", refused(401, `${jobs}?token=${admin.authorization.slice(7)}`, {})],
    ["another origin", refused(403, jobs, { headers: { ...admin, origin: "https://evil.example" } })],
    ["no origin at all", refused(403, jobs, { headers: { ...admin, origin: "null" } })],
    [
      "another site, by what browsers say",
      refused(403, jobs, { headers: { ...admin, "sec-fetch-site": "cross-site" } }),
    ],
    [
      "another port of this machine",
      refused(403, jobs, { headers: { ...admin, "sec-fetch-site": "same-site" } }),
    ],
    ["a name that leads here", refused(421, jobs, { headers: { ...admin, host: "evil.example" } })],
    [
      "a name that leads here, with the port",
      refused(421, jobs, { headers: { ...admin, host: `evil.example:${new URL(server.url).port}` } }),
    ],
    ["the right name on another port", refused(421, jobs, { headers: { ...admin, host: "127.0.0.1:1" } })],
    [
      "a form",
      refused(415, jobs, {
        method: "POST",
        headers: { ...admin, "content-type": "application/x-www-form-urlencoded" },
        body: "prompt=x",
      }),
    ],
    [
      "JSON as text",
      refused(415, jobs, {
        method: "POST",
        headers: { ...admin, "content-type": "text/plain" },
        body: prompt,
      }),
    ],
    ["a change by GET", refused(405, `${jobs}/${job}/cancel`, { headers: admin })],
    [
      "view starts a job",
      refused(403, jobs, { method: "POST", headers: { ...view, ...json }, body: prompt }),
    ],
    [
      "start answers an ask",
      refused(403, "/api/v1/inbox/a/answer", {
        method: "POST",
        headers: { ...start, ...json },
        body: '{"answer":"yes"}',
      }),
    ],
    [
      "start raises a limit",
      refused(403, `${jobs}/${job}/resume`, {
        method: "POST",
        headers: { ...start, ...json },
        body: '{"maxCostUsd":1000}',
      }),
    ],
    [
      "start halts the fleet",
      refused(403, "/api/v1/fleet/halt", { method: "POST", headers: { ...start, ...json }, body: "{}" }),
    ],
    ["a job of another project", refused(404, `${jobs}/${job}`, { headers: other })],
    ["a path in place of a project", refused(404, `${jobs}?project=/etc`, { headers: admin })],
    ["a path in place of a job", refused(404, `${jobs}/..%2f..%2fetc%2fpasswd`, { headers: admin })],
    [
      "a body of 5 MB",
      refused(413, jobs, {
        method: "POST",
        headers: { ...admin, ...json },
        body: JSON.stringify({ prompt: "x".repeat(5_000_000) }),
      }),
    ],
    [
      "a deep body",
      refused(400, jobs, {
        method: "POST",
        headers: { ...admin, ...json },
        body: `${"[".repeat(100)}${"]".repeat(100)}`,
      }),
    ],
  ];
  await expectNoEscape(attacks, 40);
  const seen = await (await get(jobs, { ...other, accept: "application/json" })).text();
  expect(JSON.parse(seen).jobs).toEqual([]);
  expect(
    JSON.parse(await (await get(jobs, { ...view, accept: "application/json" })).text()).jobs,
  ).toHaveLength(1);
});

it("ends the stream of a token that is revoked", async () => {
  const { server, token } = await servedProject();
  const client = createClient({ url: server.url, token: await token(["view"], { name: "phone" }) });
  const told: string[] = [];
  for await (const { type } of client.stream()) {
    told.push(type);
    if (type === "fleet") await revokeToken("phone");
  }
  expect(told.at(-1)).toBe("revoked");
});

it("tells a reader nothing more of what it has not taken yet when its token is revoked", async () => {
  const { project, token } = await servedProject();
  const job = await queuedJob(project, "Talk.");
  await using served = await ServedProjects.open([project]);
  using tails = await JournalTails.begin(served.all);
  using access = Access.open();
  const principal = access.holder(await token(["view"], { name: "phone" }));
  if (!principal) throw new Error("no token");
  const from = written(await tails.now(served.all));
  await say(served.all[0], job, 200);
  const pieces = streamed({
    web: { tails, access, closing: new AbortController().signal } as unknown as Web,
    ...{ caller: { principal }, projects: served.all, from, news: {} },
    topics: { news: new Set(), jobs: false, events: new Set([job]) },
    signal: new AbortController().signal,
  });
  const next = async () => (await pieces.next()).value ?? "";
  expect([await next(), await next()]).toEqual([
    expect.stringMatching(/^retry/),
    expect.stringMatching(/^event: resume/),
  ]);
  await tails.now(served.all);
  expect(await next()).toMatch(/^event: event/);
  await revokeToken("phone");
  expect(await next()).toBe("event: revoked\ndata: {}\n\n");
  expect(await next()).toBe("");
});

/** So many events, of which a few make a piece. */
async function say(where: ServedProject | undefined, job: string, count: number): Promise<void> {
  if (!where) throw new Error("no project");
  const { store } = where;
  const now = () => new Date();
  await using journal = new Journal(store, await claimJob(store, job, thisProcess(), now()), now);
  for (let event = 0; event < count; event++)
    journal.append({ type: "text", session: "s", text: "x".repeat(800) });
  await journal.flush();
}

it("signs nobody but its own user in by a link that was given to a program to open", async () => {
  const { server, project } = await servedProject();
  const { link } = await signInLink(project, { isOpened: true });
  const signIn = async () => {
    const answer = await fetch(`${server.url}/api/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json", connection: "close" },
      body: JSON.stringify({ code: new URL(link).hash.slice(1) }),
    });
    return { status: answer.status, ...JSON.parse(await answer.text()) };
  };
  if (process.platform === "linux") {
    const getuid = vi.spyOn(process, "getuid").mockReturnValue(54_321);
    expect(await signIn()).toMatchObject({ status: 403, type: "urn:baton:user" });
    getuid.mockRestore();
  }
  expect(await signIn()).toMatchObject({ status: 200, kind: "browser" });
});

it("takes no answer from a process that an agent started, whatever token that has found", async () => {
  const { server, token } = await servedProject({ agentAtOtherEnd });
  const secret = await token(["answer"]);
  const script = `
    const answer = await fetch(${JSON.stringify(`${server.url}/api/v1/inbox/a/answer`)}, {
      method: "POST",
      headers: { authorization: "Bearer ${secret}", "content-type": "application/json" },
      body: '{"answer":"yes"}',
    });
    console.log((await answer.json()).type);`;
  const said = async (mark: Record<string, string>) => {
    const { PATH = "" } = process.env;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { env: { PATH, ...mark } });
    onTestFinished(() => void child.kill());
    let text = "";
    child.stdout.on("data", (piece: Buffer) => {
      text += String(piece);
    });
    await once(child, "close");
    return text.trim();
  };
  expect(await said({ BATON_JOB_ID: "job-1" })).toBe("urn:baton:agent");
  expect(await said({ BATON_SESSION_ID: "s" })).toBe("urn:baton:agent");
});

it("takes no answer from a process that has ended before anybody looks at it", async () => {
  const ended = Promise.withResolvers<void>();
  const { server, token } = await servedProject({
    async agentAtOtherEnd(connection) {
      await ended.promise;
      return agentAtOtherEnd(connection);
    },
  });
  const { hostname, port, host } = new URL(server.url);
  const lines = [
    "POST /api/v1/inbox/a/answer HTTP/1.1",
    `host: ${host}`,
    `authorization: Bearer ${await token(["answer"])}`,
    "content-type: application/json",
    "content-length: 16",
  ];
  const request = `${lines.join("\r\n")}\r\n\r\n{"answer":"yes"}`;
  const script = `require("node:net").connect(${port}, ${JSON.stringify(hostname)}).write(${JSON.stringify(request)}, () => process.exit())`;
  const child = spawn(process.execPath, ["-e", script], { env: { BATON_JOB_ID: "job-1" } });
  await once(child, "exit");
  ended.resolve();
  const outcome = () => auditTrail({ limit: 1, who: "token:token 1" })[0]?.outcome;
  await expect.poll(outcome).toMatch(/^refused: Only a person may do that/);
});
