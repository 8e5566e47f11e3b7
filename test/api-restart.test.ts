import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { findProject } from "../src/app/project.ts";
import { WebBeside } from "../src/cli/web/beside.ts";
import { type Client, createClient } from "../src/client.ts";
import { agreeIn } from "./agree.ts";
import { ASKS, asked, bash, making, RUN } from "./asking.ts";
import { bareProject } from "./bare-project.ts";
import { comesTo, fleetProject, go, queued } from "./fleet-jobs.ts";
import { freePort, listening } from "./free-port.ts";
import { Baton, baton, ofType, testProject } from "./harness.ts";
import { eventually } from "./panes.ts";
import { tokensFor } from "./web.ts";

const READERS = 5;

/** The numbers of the events of a job that a stream tells, to the end of the job. */
async function toldOf(client: Client, job: string, after: string): Promise<number[]> {
  const told: number[] = [];
  for await (const { type, data } of client.stream({ topics: ["jobs", "fleet", `job:${job}`], after })) {
    if (type !== "event") continue;
    told.push(data.seq);
    if (data.type === "job:completed") break;
  }
  return told;
}

it("loses nothing and tells nothing twice when it is killed amid streams and an answer", async () => {
  const project = await testProject({ scenario: making(bash("echo once >> made")), agent: ASKS });
  const port = await freePort();
  const token = await tokensFor(findProject({}, project.folder))(["answer"]);
  const client = createClient({ url: `http://127.0.0.1:${port}`, token });
  const serving = async () => {
    const server = new Baton(project, ["start", "--port", String(port)]);
    await eventually("it is served", () => client.getSession({}).catch(() => undefined));
    return server;
  };
  const running = new Baton(project, RUN);
  const { ask, job } = await asked(running);
  const first = await serving();
  const { position = "", jobs } = await client.listJobs({});
  const readers = Array.from({ length: READERS }, () => toldOf(client, job, position));

  // Whoever runs the job cannot take the answer yet.
  running.child.kill("SIGSTOP");
  const key = { idempotencyKey: "once" };
  const cutOff = expect(client.answerAsk({ ask }, { answer: "yes" }, key)).rejects.toThrow();
  await eventually("the answer is on record", async () => (await client.listInbox({})).inbox.length === 0);
  await first.kill();
  running.child.kill("SIGCONT");
  await cutOff;
  // The job goes on while nobody serves it.
  expect(await running.exit).toMatchObject({ code: 0 });

  const second = await serving();
  await expect(client.answerAsk({ ask }, { answer: "yes" }, key)).rejects.toMatchObject({ status: 409 });
  const later = running.events.map(({ seq }) => seq).filter((seq) => seq > (jobs[0]?.seq ?? 0));
  expect(later.length).toBeGreaterThan(3);
  for (const told of await Promise.all(readers)) expect(told).toEqual(later);
  expect(ofType(running.events, "ask:answered")).toMatchObject([{ ask, answer: { answer: "once" } }]);
  expect(readFileSync(join(project.folder, "made"), "utf8")).toBe("once\n");
  second.child.kill("SIGTERM");
  await second.exit;
});

it("opens a browser, signed in, where the configuration says so", async () => {
  const project = await bareProject();
  const [bin, opened] = [join(project.folder, "bin"), join(project.folder, "opened")];
  mkdirSync(bin);
  for (const name of ["xdg-open", "open"])
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf %s "$1" > "${opened}"\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${bin}:${process.env.PATH}`);
  vi.stubEnv("DISPLAY", ":0");
  const config = join(project.folder, "baton.yaml");
  writeFileSync(config, `web: { port: 0, open_browser: true }\n${readFileSync(config, "utf8")}`);
  agreeIn(project);
  const found = findProject({}, project.folder);
  // Whoever runs the tests may be an agent.
  await tokensFor(found)([]);
  const told: unknown[] = [];
  await using web = new WebBeside([found], {}, (news) => told.push(news));
  web.begin();
  const link = await eventually(
    "it is opened",
    async () => existsSync(opened) && readFileSync(opened, "utf8"),
  );
  expect(told).toEqual([{ url: new URL(link).origin }]);
  expect(link).toMatch(/\/sign-in#own\.[\w-]{43}$/);
});

it("runs the fleet without it where the port is taken, and says so", async () => {
  const { port } = await listening();
  const where = await fleetProject();
  await go(where);
  await queued(where, "One");
  const fleet = new Baton(where, ["start", "--port", String(port)]);
  await comesTo(where, { completed: 1 });
  await eventually("it says so", async () => fleet.stdout.includes(`Port ${port} of 127.0.0.1 is taken`));
  await baton(where, ["stop"]);
  expect(await fleet.exit).toMatchObject({ code: 0 });
});

it("is served by the keys of the first of several projects, and says which do not hold", async () => {
  const [first, other] = [await fleetProject(), await fleetProject()];
  const config = join(other.folder, "baton.yaml");
  writeFileSync(config, readFileSync(config, "utf8").replace(/^web:.*$/m, "web: { port: 1 }"));
  agreeIn({ folder: other.folder, env: first.env });
  const fleet = new Baton(first, ["start", "-C", first.folder, "-C", other.folder, "--port", "0"]);
  const said = `The keys of web in ${other.folder} do not hold`;
  await eventually(
    "it says so",
    async () => fleet.stdout.includes(said) && /http:\/\/127\.0\.0\.1:\d{4,}/.test(fleet.stdout),
  );
  await baton(first, ["stop"]);
  expect(await fleet.exit).toMatchObject({ code: 0 });
});
