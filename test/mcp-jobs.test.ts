import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Scenario } from "../src/simulator/scenario.ts";
import { bash } from "./careful.ts";
import { baton, type TestProject, testProject } from "./harness.ts";
import { call, mcpClient, refusal } from "./own-session.ts";

/** Waits in a command, and says what it has heard. */
const waits: Scenario = {
  name: "waits",
  summary: "Waits for a file",
  rules: [],
  otherwise({ text, results }) {
    if (!results.some((result) => result.text.includes("went")))
      return { call: bash("until [ -e go ]; do sleep 0.02; done; echo went", "Wait") };
    return {
      say: text.includes("It is not from the user") && text.includes("Blue.") ? "Blue it is." : "Done.",
    };
  },
};

const go = ({ folder }: TestProject) => writeFile(join(folder, "go"), "");

const startsSendsAndWaits = async () => {
  const project = await testProject({ scenario: waits });
  const client = await mcpClient(project, "orchestrator");
  const { job, status } = await call(client, "start_job", { prompt: "Paint the shed." });
  expect(status).toBe("running");
  expect(await call(client, "wait_for_job", { job, timeout_seconds: 1 })).toMatchObject({
    over: false,
    timed_out: true,
  });
  expect(await call(client, "send_to_job", { job, message: "Blue." })).toMatchObject({
    id: 1,
    at: "boundary",
  });
  expect(await call(client, "show_job", { job })).toMatchObject({
    prompt: "Paint the shed.",
    messages: [{ id: 1, text: expect.stringContaining("Blue.") }],
  });
  const progress: string[] = [];
  const begun = Promise.withResolvers<void>();
  const waited = client.callTool(
    { name: "wait_for_job", arguments: { job, timeout_seconds: 60 } },
    undefined,
    {
      onprogress: ({ message = "" }) => {
        progress.push(message);
        begun.resolve();
      },
    },
  );
  await begun.promise;
  await go(project);
  expect((await waited).structuredContent).toMatchObject({
    status: "completed",
    over: true,
    timed_out: false,
    result: "Blue it is.",
    needs_person: false,
  });
  // The client drops what comes in one piece with the result.
  expect(progress[0]).toBe("running");
  expect(await call(client, "list_jobs")).toMatchObject({ jobs: [{ job, status: "completed" }] });
};

describe("an orchestrator", () => {
  it("starts a job, tells it something in its own name, and waits for it", startsSendsAndWaits);

  it("does so with Claude Code", { tags: ["claude"] }, startsSendsAndWaits);

  it("finds nothing that would answer, trust or allow in a person's name", async () => {
    const project = await testProject({ scenario: waits });
    const client = await mcpClient(project, "orchestrator");
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name).join(" ");
    expect(names).not.toMatch(/approve|deny|answer|trust|allow|permit|resume|config/);
    expect(await call(client, "list_jobs")).toEqual({ jobs: [] });
    await baton(project, ["run", "--queue", "Later."]);
    expect(await refusal(client, "show_job", { job: "nobody" })).toContain("nobody");
    expect(await call(client, "list_jobs", { status: "queued" })).toMatchObject({
      jobs: [{ prompt: "Later." }],
    });
  });
});
