import { Agent, request } from "node:http";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { openProjectStore } from "../../src/app/project.ts";
import { Journal } from "../../src/jobs/journal.ts";
import { thisProcess } from "../../src/processes/owner.ts";
import { claimJob } from "../../src/store/claims.ts";
import { eventually } from "../panes.ts";
import { queuedJob, servedProject } from "../web.ts";

const EVENTS = 8_000;
const EVENT_CHARACTERS = 800;

it("cuts off who opens a stream and reads nothing, and serves all others meanwhile", async () => {
  const web = await servedProject({ unreadMs: 200 });
  const job = await queuedJob(web.project, "Talk.");
  const viewer = await web.client("view");
  const { position } = await viewer.listJobs({});
  await using store = await openProjectStore(web.project);
  {
    const now = () => new Date();
    await using journal = new Journal(store, await claimJob(store, job, thisProcess(), now()), now);
    for (let event = 0; event < EVENTS; event++) {
      journal.append({ type: "text", session: "s", text: "x".repeat(EVENT_CHARACTERS) });
    }
    await journal.flush();
  }
  const { hostname, port, host } = new URL(web.server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  const headers = [
    `GET /api/v1/stream?topics=job:${job} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${await web.token(["view"])}`,
    `last-event-id: ${position}`,
  ];
  socket.write(`${headers.join("\r\n")}\r\n\r\n`);
  const heard = new Set<number>();
  for await (const { type, data } of viewer.stream({ topics: [`job:${job}`], after: position })) {
    if (type === "event" && data.type === "text") heard.add(data.seq);
    if (heard.size === EVENTS) break;
  }
  // Who reads nothing learns by writing that the other end is closed.
  await eventually("it is cut off", async () => {
    if (!socket.destroyed) socket.write("\r\n");
    return socket.destroyed;
  });
});

const [JOBS, PROMPT_CHARACTERS] = [12, 1_000_000];

it("cuts off who asks for more than fits on the way and reads nothing of it", async () => {
  const web = await servedProject({ unreadMs: 50 });
  for (let job = 0; job < JOBS; job++) await queuedJob(web.project, "x".repeat(PROMPT_CHARACTERS));
  const { hostname, port, host } = new URL(web.server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  const headers = [
    "GET /api/v1/jobs?whole=true HTTP/1.1",
    `host: ${host}`,
    `authorization: Bearer ${await web.token(["view"])}`,
    "accept: application/json",
  ];
  socket.write(`${headers.join("\r\n")}\r\n\r\n`);
  await eventually("it is cut off", async () => {
    if (!socket.destroyed) socket.write("\r\n");
    return socket.destroyed;
  });
  expect((await web.get("/healthz")).status).toBe(200);
});

const REQUESTS = 10_000;

it("answers a part of 10,000 requests at once, and whoever else asks", async () => {
  const { server, token } = await servedProject();
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  onTestFinished(() => agent.destroy());
  const asked = (authorization: string, from?: Agent) =>
    new Promise<number>((resolve, reject) => {
      const options = { headers: { authorization }, agent: from ?? false };
      request(`${server.url}/api/v1/session`, options, (answer) => {
        answer.resume().once("end", () => resolve(answer.statusCode ?? 0));
      })
        .once("error", reject)
        .end();
    });
  const [loud, quiet] = [`Bearer ${await token(["view"])}`, `Bearer ${await token(["view"])}`];
  let isOver = false;
  const began = performance.now();
  const flood = Promise.all(
    Array.from({ length: REQUESTS }, (_, at) => asked(at % 2 ? loud : "Bearer no", agent)),
  );
  void flood.then(() => {
    isOver = true;
  });
  const others: number[] = [];
  while (!isOver) others.push(await asked(quiet));
  const answers = await flood;
  expect(new Set(answers)).toEqual(new Set([200, 401, 429]));
  // What a token may send at once, and a second. The slower the machine, the more of them that is.
  const most = 400 + (200 * (performance.now() - began)) / 1_000;
  expect(answers.filter((status) => status === 200).length).toBeLessThanOrEqual(most);
  expect(others.length).toBeGreaterThan(0);
  expect(new Set(others)).toEqual(new Set([200]));
});

it("opens so many streams and no more", async () => {
  const { server, token } = await servedProject();
  const authorization = `Bearer ${await token(["view"])}`;
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const opened = await Promise.all(
    Array.from({ length: 210 }, async () => {
      const { status } = await fetch(`${server.url}/api/v1/stream`, {
        headers: { authorization },
        signal: ending.signal,
      });
      return status;
    }),
  );
  expect(opened.filter((status) => status === 200)).toHaveLength(200);
  expect(opened.filter((status) => status === 503)).toHaveLength(10);
});
