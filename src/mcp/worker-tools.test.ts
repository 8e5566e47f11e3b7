import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { expect, it, onTestFinished } from "vitest";
import { aHandoff } from "../../test/a-handoff.ts";
import { Registry } from "../sessions/record/registry.ts";
import { newSession, type OwnSession } from "../sessions/record/session.ts";
import { addWorkerTools } from "./worker-tools.ts";

const at = "2026-01-21T10:00:00.000Z";
const session = (id: string, more: Partial<OwnSession> = {}) =>
  newSession({ id, cwd: "/p", project: "/p", startedAt: at, ...more });

/** Reports as the session `worker`. `once` happens when the report is on record, and before anything else does. */
async function reported(registry: Registry, once: () => Promise<unknown>) {
  const update = registry.update.bind(registry);
  registry.update = async (id, change) => {
    const changed = await update(id, change);
    if (id === "worker") await once();
    return changed;
  };
  const server = new McpServer({ name: "test", version: "1" });
  addWorkerTools(server, {
    root: "/p",
    options: {},
    registry,
    env: { CLAUDE_CODE_SESSION_ID: "worker" },
    config: () => Promise.reject(new Error("It is not needed.")),
    signal: new AbortController().signal,
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(there), client.connect(here)]);
  onTestFinished(() => client.close());
  const report = { task: "Login", status: "done" };
  const { structuredContent } = await client.callTool({ name: "report_status", arguments: report });
  return structuredContent;
}

async function registryWith(...sessions: OwnSession[]): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), "baton-reports-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const registry = new Registry(folder);
  for (const one of sessions) await registry.update(one.id, () => one);
  return registry;
}

it.each(["asked", "stored", "clearing"] as const)(
  "tells an orchestrator whose handoff is %s once the report is on record",
  async (state) => {
    const boss = session("boss", { role: "orchestrator" });
    const registry = await registryWith(boss, session("worker"));
    const handsOver = () => registry.update("boss", () => ({ ...boss, handoff: aHandoff(state) }));
    expect(await reported(registry, handsOver)).toMatchObject({ orchestrator: "boss", delivery: "waits" });
    expect((await registry.find("boss"))?.mail).toMatchObject([{ from: "worker", text: "Login: done" }]);
  },
);

it("tells the next session, where that began while the report was written", async () => {
  const boss = session("boss", { role: "orchestrator" });
  const registry = await registryWith(boss, session("worker"));
  const handoff = aHandoff("taken-up", { successor: "boss-2" });
  const passesOn = async () => {
    await registry.update("boss-2", () => session("boss-2", { role: "orchestrator", parent: "boss" }));
    await registry.update("boss", () => ({ ...boss, handoff }));
  };
  expect(await reported(registry, passesOn)).toMatchObject({ orchestrator: "boss-2", delivery: "waits" });
  expect((await registry.find("boss-2"))?.mail).toHaveLength(1);
});
