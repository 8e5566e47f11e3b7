import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { findProject } from "../src/app/project.ts";
import { createClient } from "../src/client.ts";
import { stateFolder } from "../src/files/state-folder.ts";
import { agreeIn } from "./agree.ts";
import { fleetProject } from "./fleet-jobs.ts";
import { freePort } from "./free-port.ts";
import { Baton, baton } from "./harness.ts";
import { eventually } from "./panes.ts";
import { tokensFor } from "./web.ts";

const HOOK = "coder/deploy";

/** A server whose writes a test can hold up, in the store of its project and in the record of requests. */
async function killable() {
  const project = await fleetProject();
  const path = join(project.folder, "baton.yaml");
  writeFileSync(
    path,
    `webhooks: { enabled: true }
agents:
  - name: coder
    schedules: { deploy: { type: webhook, prompt: Look at what was deployed. } }
`,
  );
  agreeIn(project);
  // What is queued stays so.
  await baton(project, ["queue", "pause"]);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const token = tokensFor(findProject({}, project.folder));
  const client = createClient({ url, token: await token(["admin"]) });
  const hook = await token([], { hook: HOOK, maxJobs: 1 });
  const starter = createClient({ url, token: await token(["start"], { maxJobs: 1 }) });
  const database = (...parts: string[]) => {
    const opened = new Database(join(...parts));
    onTestFinished(() => void opened.close());
    return opened;
  };
  return {
    databases: () => ({
      store: database(project.folder, ".baton", "baton.db"),
      access: database(stateFolder(project.env), "access.db"),
    }),
    client,
    async serving() {
      const server = new Baton(project, ["start", "--port", String(port)]);
      await eventually("it is served", () => client.getSession({}).catch(() => undefined));
      return server;
    },
    /** Each thing that can be sent again, as its sender does. */
    send: {
      async call() {
        const response = await fetch(`${url}/api/v1/hooks/${HOOK}`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${hook}`,
            "content-type": "application/json",
            "x-baton-delivery": "d-1",
          },
          body: '{"version": "1.4"}',
        });
        const { job }: { job: string } = JSON.parse(await response.text());
        return { job, status: response.status };
      },
      async request() {
        const { job } = await starter.startJob({}, { prompt: "Go" }, { idempotencyKey: "once" });
        return { job, status: 202 };
      },
    },
  };
}

/** From now on a statement of this kind never ends, and what it is part of is never committed. */
function hold(database: Database.Database, when: string): void {
  database.exec(`
    CREATE VIEW endless AS
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e15) SELECT i FROM n;
    CREATE TRIGGER held BEFORE ${when} BEGIN SELECT max(i) FROM endless; END;
  `);
}

const letGo = (database: Database.Database) => database.exec("DROP TRIGGER held; DROP VIEW endless");

const lines = (database: Database.Database, table: string) =>
  database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get();

it.each([
  {
    what: "call",
    table: "deliveries",
    trail: ["answered as before", "answered as before", "begun", "begun"],
  },
  { what: "request", table: "replays", trail: ["done", expect.stringMatching(/^(?:begun|done)$/), "begun"] },
] as const)(
  "starts one job of a $what that is sent again, whatever of it was on record when the server was killed",
  async ({ what, table, trail }) => {
    const { databases, client, send, serving } = await killable();

    const first = await serving();
    const { store, access } = databases();
    hold(store, "INSERT ON jobs");
    const unanswered = expect(send[what]()).rejects.toThrow();
    await eventually("it is on record", async () => lines(access, table) === 1);
    await first.kill();
    await unanswered;
    letGo(store);
    expect(lines(store, "jobs")).toBe(0);

    const second = await serving();
    hold(access, `UPDATE ON ${table}`);
    const again = expect(send[what]()).rejects.toThrow();
    await eventually("the job is on record", async () => lines(store, "jobs") === 1);
    await second.kill();
    await again;
    letGo(access);

    const third = await serving();
    const answered = await send[what]();
    expect(await send[what]()).toEqual(answered);
    expect((await client.listJobs({})).jobs.map(({ id }) => id)).toEqual([answered.job]);
    const { entries } = await client.listAudit({});
    expect(
      entries.flatMap(({ what, outcome }) => (/^(?:callSch|startJ)/.test(what) ? [outcome] : [])),
    ).toEqual(trail);
    third.child.kill("SIGTERM");
    await third.exit;
  },
);
