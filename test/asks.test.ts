import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { JournalEvent } from "../src/job/events.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { Baton, baton, ofType, shown, type TestProject, testProject } from "./harness.ts";

const RUN = ["run", "coder", "Write the files.", "--json"];
const ASKS = "permission_mode: default\npermission_prompts: ask";

function calling(...commands: string[]): Scenario {
  return {
    name: "asks",
    summary: "runs commands",
    steps: commands.map((command) => ({ call: { tool: "Bash", input: { command } } })),
  };
}

const asked = (running: Baton) => running.event(({ type }) => type === "ask:made");

function askIn(event: JournalEvent): string {
  if (event.type !== "ask:made") throw new Error(`${event.type} is no ask`);
  return event.ask;
}

const isThere = ({ folder }: TestProject, name: string) => existsSync(join(folder, name));

it("asks, waits, and makes the call once it is allowed from another terminal", async () => {
  const project = await testProject({ scenario: calling("touch made"), agent: ASKS });
  const running = new Baton(project, RUN);
  const ask = askIn(await asked(running));
  const inbox = await baton(project, ["inbox"]);
  expect(inbox.stderr).toBe("");
  expect(inbox.stdout).toContain("needs your yes  Bash touch made");
  expect(inbox.stdout).toContain(`baton approve ${ask}`);
  expect(isThere(project, "made")).toBe(false);
  const said = await baton(project, ["approve", ask]);
  expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining("Delivered") });
  expect(await running.exit).toMatchObject({ code: 0 });
  expect(isThere(project, "made")).toBe(true);
  expect(ofType(running.events, "ask:answered")).toMatchObject([{ ask, answer: { answer: "once" } }]);
  const again = await baton(project, ["approve", ask]);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("answered already") });
  expect((await shown(project)).timeMs.person).toBeGreaterThan(0);
});
