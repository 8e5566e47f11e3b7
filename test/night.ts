import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { findProject, type Project } from "../src/app/project.ts";
import { type Client, createClient } from "../src/client.ts";
import type { SimulatedRequest } from "../src/simulator/request.ts";
import type { Reply, Scenario } from "../src/simulator/scenario.ts";
import { isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import { Baton, type TestProject, testProject } from "./harness.ts";
import { asksForHandoff, bash, good, handsIn, writesNotes } from "./one-handoff.ts";
import { eventually } from "./panes.ts";
import { tokensFor } from "./web.ts";

/** Waits until the test makes the file. */
const until = (gates: string, file: string) =>
  bash(`until [ -e "${gates}/${file}" ]; do sleep 0.2; done; echo ${file} is there`);

const edits = (from: string, to: string) => ({
  tool: "Edit",
  input: { file_path: "notes.txt", old_string: from, new_string: to },
});

/** What the model does by the words of its request, one after the other. */
const jobs = (gates: string): Record<string, readonly Reply[]> => ({
  "Write the notes": [
    { say: "I begin with the **first** line.", call: writesNotes },
    { call: bash("git add -A && git commit -qm notes") },
    { call: bash("ls /nowhere-at-all") },
    { call: asksForHandoff },
  ],
  "Publish the package": [{ call: bash("npm publish --dry-run --tag next") }, { say: "Published." }],
  "Port the importer": [
    { call: { tool: "Write", input: { file_path: "importer.ts", content: "export const port = 1;\n" } } },
    ...Array.from({ length: 40 }, (_, step) => ({ call: bash(`echo step ${step} && touch ported`) })),
  ],
  "Make the tests pass": [
    { call: writesNotes },
    { call: edits("one", "one\\ntwo") },
    { say: "Now I run the tests.", call: until(gates, "tests") },
    { call: until(gates, "more") },
  ],
  "Migrate the CI": [{ fault: { kind: "unauthorized" } }],
});

function answers(gates: string, request: SimulatedRequest): Reply | Promise<Reply> {
  if (isHandoffRequest(request)) {
    const handed = handsIn(good);
    return typeof handed === "function" ? handed(request) : handed;
  }
  const [, steps = []] = Object.entries(jobs(gates)).find(([words]) => request.text.includes(words)) ?? [];
  const isLater = request.text.includes("<handoff-context-");
  return (isLater ? undefined : steps[request.turns]) ?? { say: "All is done." };
}

const TREES = "workspace: { strategy: git_worktree }";

export interface Night {
  project: TestProject;
  place: Project;
  client: Client;
  url: string;
  fleet: Baton;
  /** Lets what waits for this file continue. */
  open(gate: string): Promise<void>;
  /** Queues a job, and resolves with its id once it stands like that. */
  job(agent: string, prompt: string, status: string): Promise<string>;
}

/** A fleet at work, with what can happen in a night: `baton start` as a process of its own, on the simulator. */
export async function night(): Promise<Night> {
  const gates = await mkdtemp(join(tmpdir(), "baton-night-"));
  onTestFinished(() => rm(gates, { recursive: true }));
  const scenario: Scenario = {
    name: "a night",
    summary: "",
    otherwise: (request) => answers(gates, request),
  };
  const project = await testProject({
    scenario,
    agent: [
      TREES,
      "instances: { max_concurrent: 1 }",
      'schedules: { nightly: { cron: "0 3 * * *", prompt: Look around. } }',
    ].join("\n"),
    others: [
      [
        "name: careful",
        "model: claude-sonnet-4-5",
        "permission_mode: default",
        "permission_prompts: ask",
        TREES,
      ],
      [
        "name: porter",
        "model: claude-sonnet-4-5",
        "permission_mode: bypassPermissions",
        "limits: { cost_usd: 0.2 }",
        TREES,
      ],
    ],
  });
  await appendFile(
    join(project.folder, "baton.yaml"),
    "budgets: [{ scope: fleet, per: day, cost_usd: 9, then: hold, simulated: true }]\nfleet: { max_concurrent: 3 }\n",
  );
  const fleet = new Baton(project, ["start", "--port", "0"]);
  const url = await eventually(
    "it is served",
    async () => /http:\/\/127\.0\.0\.1:\d+/.exec(fleet.stdout)?.[0],
  );
  const place = findProject({}, project.folder);
  const client = createClient({ url, token: await tokensFor(place)(["admin"]) });
  return {
    ...{ project, place, client, url, fleet },
    open: (gate) => writeFile(join(gates, gate), ""),
    async job(agent, prompt, status) {
      const { job } = await client.startJob({}, { agent, prompt });
      await eventually(`${prompt} is ${status}`, async () => {
        const found = await client.getJob({ job });
        if (found.status === "failed" && status !== "failed") expect(found.error).toBe(status);
        return found.status === status;
      });
      return job;
    },
  };
}
