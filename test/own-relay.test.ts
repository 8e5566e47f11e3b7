import { readFile } from "node:fs/promises";
import { expect, it, vi } from "vitest";
import type { Scenario } from "../src/simulator/scenario.ts";
import { aStoredHandoff, cycle, handoffFiles } from "./handed-off-session.ts";
import { REQUEST } from "./one-handoff.ts";
import { session, THRESHOLD, withPlugin } from "./own-plugin.ts";
import { anOwnSession, registryOf } from "./panes.ts";

// The real program takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

it("passes a person's session on in its pane: asked at a stop, stored, cleared, and told to go on", async () => {
  const own = await withPlugin(`session: { context_threshold: ${THRESHOLD} }`);
  const { project, screen } = own;
  await screen.says(`${REQUEST} Fill the window.`);
  await screen.shows("I write the second line.");

  const old = await session(own, "the session before", ({ handoff }) => handoff?.state === "taken-up");
  expect(old.handoff).toMatchObject({ number: 1, trigger: "threshold" });
  expect(old.ended).toMatchObject({ reason: "clear" });
  const next = await registryOf(project).find(old.handoff?.successor ?? "");
  expect(next).toMatchObject({ parent: old.id, pane: old.pane, ended: null, handoff: null });
  const document = await readFile(old.handoff?.documentPath ?? "", "utf8");
  expect(document).toContain(`session: ${old.id}`);
  expect(await handoffFiles(project)).not.toContain("HANDOFF_PENDING.md");
  const told = project.simulator.requests.filter(
    ({ request }) => request.kind === "main" && request.last.includes("Go on with the work"),
  );
  expect(told).toHaveLength(1);
});

it("takes up in a new session what an editor left, and the pending file goes", async () => {
  const continues: Scenario = {
    name: "continues",
    summary: "takes up a handoff when it is told to",
    otherwise({ tools, text, results }) {
      if (results.some((result) => result.text.includes("Paint the shed green.")))
        return { say: "I buy paint." };
      if (!text.includes("call the tool `continue_handoff`")) return { say: "I listen." };
      const tool = tools.find((name) => name.endsWith("continue_handoff"));
      const name = "mcp__plugin_baton_baton__continue_handoff";
      return {
        call: tool ? { tool, input: {} } : { tool: "ToolSearch", input: { query: `select:${name}` } },
      };
    },
  };
  const own = await withPlugin("", { scenario: continues });
  const { project, screen } = own;
  const handoff = await aStoredHandoff(project, "in-an-editor");
  const session = anOwnSession(project, "in-an-editor", { kind: "editor", handoff });
  await registryOf(project).update(session.id, () => session);
  expect(await cycle({ project, session })).toMatchObject({ outcome: "pending" });

  await screen.says("/clear");
  await screen.shows("Handoff 1 waits in this project");
  await screen.says("/baton:continue");
  await screen.shows("I buy paint.");
  expect(await handoffFiles(project)).not.toContain("HANDOFF_PENDING.md");
  const old = await registryOf(project).find("in-an-editor");
  expect(old?.handoff?.state).toBe("taken-up");
  expect(await registryOf(project).find(old?.handoff?.successor ?? "")).toMatchObject({
    parent: "in-an-editor",
  });
});
