import { expect, it } from "vitest";
import type { Scenario } from "../src/simulator/scenario.ts";
import { submits, withPlugin } from "./own-plugin.ts";
import { eventually, registryOf } from "./panes.ts";

const STATUS = "mcp__plugin_baton_baton__context_status";

const asks: Scenario = {
  name: "asks",
  summary: "looks at its window when it is told to, and hands over when it is told to",
  otherwise(request) {
    const { last } = request;
    if (last.includes("Look at the window")) return { call: { tool: STATUS, input: {} } };
    if (last.includes("Hand it over") || last.includes(`"status":"again"`)) return submits(request);
    const [, session] = /"session":"([\w-]+)"/.exec(last) ?? [];
    return { say: session ? `I am ${session}.` : "It is done." };
  },
};

it("serves the session that runs in the pane now, also after a clear that kept the server", async () => {
  const { project, screen } = await withPlugin("handoff: { auto_continue_cli: false }", { scenario: asks });
  await screen.says("Look at the window");
  const first = sessionShown(await screen.shows(/I am [\w-]+\./));
  await screen.says("/clear");
  await screen.says("Look at the window");
  const second = await eventually("another session", async () => {
    const shown = sessionShown(await screen.text());
    return shown !== undefined && shown !== first && shown;
  });
  const registry = registryOf(project);
  expect(await registry.find(first ?? "")).toMatchObject({ ended: { reason: "clear" }, handoff: null });
  expect(await registry.find(second)).toMatchObject({ ended: null });

  await screen.says("Hand it over");
  await screen.shows("It is done.");
  const { handoff } = (await registry.find(second)) ?? {};
  expect(handoff).toMatchObject({ number: 1, documentPath: expect.stringContaining("handoff-") });
  expect((await registry.find(first ?? ""))?.handoff).toBeNull();
});

function sessionShown(screen: string): string | undefined {
  return /I am ([\w-]+)\./.exec(screen)?.[1];
}
