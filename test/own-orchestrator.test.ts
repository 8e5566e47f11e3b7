import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { successorOf } from "../src/sessions/record/handoff-questions.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { handoffFiles } from "./handed-off-session.ts";
import { baton, git } from "./harness.ts";
import { bash, REQUEST } from "./one-handoff.ts";
import { fills, session, THRESHOLD, timesSaid, type WithPlugin, withPlugin } from "./own-plugin.ts";
import { call, mcpClient } from "./own-session.ts";
import { anOwnSession, eventually, registryOf } from "./panes.ts";

// The real program takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const env = { BATON_ROLE: "orchestrator" };
const yaml = (more = "") => `watch: { context_threshold: ${THRESHOLD}${more} }\n`;

it("knows its workers after a clear, also one that finished during it, and a job", async () => {
  const report = { task: "Paint the fence", branch: "fence" };
  let finish = async () => {};
  const scenario: Scenario = {
    ...fills,
    rules: [
      {
        when: ({ last }) => last.includes("Start a job"),
        times: 1,
        reply: () => ({
          call: bash(`${process.execPath} ${own.project.program} run --detach "Mend the gate"`),
        }),
      },
      {
        when: ({ kind, last }) => kind === "main" && last.includes(`"status":"stored"`),
        async reply() {
          await finish();
          return { say: "It is handed over." };
        },
      },
    ],
  };
  const own: WithPlugin = await withPlugin("", { scenario, env, yaml: yaml() });
  const { project, screen } = own;
  const { id } = await session(own, "the orchestrator", ({ role }) => role === "orchestrator");
  const worker = anOwnSession(project, "worker-1");
  await registryOf(project).update(worker.id, () => worker);
  const client = await mcpClient(project, worker.id);
  await call(client, "report_status", { ...report, status: "working", orchestrator: id });
  finish = async () => {
    const answer = await call(client, "report_status", { ...report, status: "done", orchestrator: id });
    expect(answer).toMatchObject({ delivery: "waits" });
  };

  await screen.says("Start a job.");
  const { jobs } = await session(own, "the one with a job", (found) => found.jobs !== undefined);
  await screen.shows("I listen.");
  await screen.says(`${REQUEST} Fill the window.`);
  await screen.shows("I write the second line.");
  const old = await session(own, "the session before", ({ handoff }) => handoff?.state === "taken-up");
  expect(old.id).toBe(id);
  const document = await readFile(old.handoff?.documentPath ?? "", "utf8");
  expect(document).toMatch(/^## Active Workers$/m);
  expect(document).toMatch(/^\| worker-1 \| Paint the fence \| working \| fence \| \d{4}-/m);
  const job = new RegExp(`^\\| ${jobs?.[0]?.id} \\| Mend the gate \\| (?:running|completed) \\| `, "m");
  expect(document).toMatch(job);
  // The living document, which nobody configured, was committed before the clear.
  const { living, committed } = await livingDocument(project.folder);
  expect(living).toMatch(/^\| worker-1 \| Paint the fence \| working \| fence \| \d{4}-/m);
  expect(living).toMatch(job);
  expect(Date.parse(committed)).toBeLessThanOrEqual(Date.parse(old.ended?.at ?? ""));
  const told = project.simulator.requests.findLast(({ request }) =>
    request.last.includes("Continue the work"),
  );
  expect(told?.request.text).toContain("Paint the fence: done");
  expect(told?.request.text).toContain("You orchestrate workers");
  const next = await registryOf(project).find(successorOf(old.handoff) ?? "");
  expect(next).toMatchObject({ role: "orchestrator", mail: [] });
});

async function livingDocument(folder: string): Promise<{ living: string; committed: string }> {
  const path = "docs/HANDOFF.md";
  expect(await git(folder, "log", "-1", "--format=%s", "--", path)).toContain("docs: handoff checkpoint");
  const committed = (await git(folder, "log", "-1", "--format=%cI", "--", path)).trim();
  expect(await git(folder, "status", "--porcelain", "--", "docs")).toBe("");
  return { living: await readFile(join(folder, path), "utf8"), committed };
}

it("hands off once, however often it is checked near the threshold", async () => {
  const message = "Fill the window, and look at your workers.";
  const own = await withPlugin("", {
    env,
    yaml: yaml(`, check_interval: 1m, message: "${message}"`),
  });
  const { project, screen } = own;
  const { id } = await session(own, "the orchestrator", ({ role }) => role === "orchestrator");
  const longAgo = new Date(Date.now() - 10 * 60_000).toISOString();
  await registryOf(project).update(id, (known) => known && { ...known, startedAt: longAgo });

  const checks = join(registryOf(project).folder, "..", "checks.json");
  await eventually("the next session at work", async () => {
    await rm(checks, { force: true });
    const { code, stderr } = await baton(project, ["watch", "--once"]);
    expect(code, stderr).toBe(0);
    return (await screen.text()).includes("I write the second line.");
  });
  expect(timesSaid(project, /Fill the window, and look at your workers\.$/)).toBeGreaterThan(0);
  expect(timesSaid(project, /submit_handoff of the MCP server baton now/)).toBe(1);
  expect((await handoffFiles(project)).filter((name) => name.startsWith("handoff-"))).toHaveLength(1);
  expect(await registryOf(project).list()).toHaveLength(2);
});
