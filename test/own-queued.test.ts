import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { transcriptsBeside } from "../src/agents/claude/own/transcript.ts";
import { readSession } from "../src/sessions/handoff/session-facts.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { type TestProject, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { bash } from "./one-handoff.ts";
import { claudeReady, eventually, openClaude, Tmux } from "./panes.ts";

// The real program takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const waits: Scenario = {
  name: "waits",
  summary: "",
  otherwise: ({ last }) =>
    last.includes("Wait for it")
      ? // It outlives the program that is killed below, and is to end with its project at the latest.
        { call: bash("until [ -e gate ] || [ ! -e baton.yaml ]; do sleep 0.1; done; echo open") }
      : { say: "I listen." },
};

it("carries what a person says while their session works, and not what they take back", {
  tags: ["claude"],
}, async () => {
  needs("tmux");
  const project = await testProject({ scenario: waits });
  await claudeReady(project);
  const screen = await openClaude(project, await Tmux.start(project));
  const gate = join(project.folder, "gate");
  const messages = async () => (await facts(project)).messages;
  const heard = (words: string) =>
    eventually(`"${words}" among the facts`, async () => (await messages()).at(-1) === words);
  const sends = async (words: string, shown = words) => {
    await screen.types(words);
    await eventually("the words at the prompt", async () => {
      const prompt = await screen.prompt();
      return prompt.state === "working" && prompt.text === shown;
    });
    await screen.presses("Enter");
    await heard(shown);
  };

  await screen.says("Wait for it");
  await project.simulator.waitFor(({ reply }) => reply?.call !== undefined);
  await sends("Never touch the shed.");
  await writeFile(gate, "");
  await screen.shows("I listen.");
  await screen.waits();
  await rm(gate);
  await screen.says("Wait for it again");
  await heard("Wait for it again");
  await sends("Paint the house");
  await screen.presses("Up");
  await heard("Wait for it again");
  await sends(" red", "Paint the house red");
  process.kill(await screen.pid(), "SIGKILL");

  expect(await facts(project)).toMatchObject({
    request: "Wait for it",
    messages: ["Never touch the shed.", "Wait for it again", "Paint the house red"],
    constraints: ["Never touch the shed."],
  });
});

/** As its transcript tells them now. */
async function facts({ folder, env }: TestProject) {
  const name = folder.replace(/[^a-zA-Z0-9]/g, "-");
  const [found] = await transcriptsBeside(join(env.CLAUDE_CONFIG_DIR ?? "", "projects", name, "any.jsonl"));
  return (await readSession({ cwd: folder, transcript: found?.path ?? null })).facts;
}
