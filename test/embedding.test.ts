import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { adapters } from "../src/agents/registry.ts";
import { type Baton, type Notice, NotToldError, openBaton, UsageError } from "../src/index.ts";
import { talkative } from "./chat.ts";
import { Baton as Process, type ProjectOptions, shown, type TestProject, testProject } from "./harness.ts";
import { obedient, told } from "./obedient.ts";
import { scripted } from "./scripted/agent.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..");

beforeAll(() => {
  const before = adapters.claude;
  adapters.claude = async () => scripted;
  return () => {
    adapters.claude = before;
  };
});

async function opened(options: ProjectOptions): Promise<{ project: TestProject; baton: Baton }> {
  const project = await testProject(options);
  const baton = await openBaton({ folder: project.folder, env: project.env });
  onTestFinished(() => baton.close());
  return { project, baton };
}

/** What the documentation shows, as a program of its own. */
async function example(number: number): Promise<string> {
  const text = await readFile(join(ROOT, "docs", "embedding.md"), "utf8");
  const [, code = ""] = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)][number] ?? [];
  const library = pathToFileURL(join(ROOT, "src", "index.ts")).href;
  return code.replace('from "baton"', `from "${library}"`);
}

it.each([
  [0, /^Handed off: \S+handoff-\S+\.md\n[\s\S]*All is done\.\njob-\S+ is completed: All is done\.\n$/],
  [1, /^I have seen it\.\n$/],
])("the example of the documentation runs as it stands: %i", async (number, prints) => {
  const requested = { call: { tool: "mcp__baton__request_handoff", input: { reason: "large" } } };
  const project = await testProject({
    scenario: { ...talkative(), steps: [requested, { say: "All is done." }] },
  });
  const path = join(project.folder, "example.mts");
  await writeFile(path, await example(number));
  const args = ["--import", pathToFileURL(join(import.meta.dirname, "scripted", "registered.ts")).href, path];
  const env = { ...project.env, BATON_TEST_BUNDLE: process.env.BATON_TEST_BUNDLE };
  const { stdout } = await run(process.execPath, args, { cwd: project.folder, env });
  expect(stdout).toMatch(prints);
});

it("refuses what the command line refuses, before a job is on record: commands that nobody trusts", async () => {
  const { baton } = await opened({
    scenario: obedient(),
    agent: "hooks: { on_session_start: [{ type: shell, command: echo hello }] }",
    trusted: "no",
  });
  const refused = baton.run("Work.");
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow(/echo hello[\s\S]*baton trust/);
  expect(await baton.jobs()).toEqual([]);
});

it("refuses an agent that is not ready, before a job is on record", async () => {
  const project = await testProject({ scenario: obedient(), agent: "executable: ./no-such-program" });
  await using baton = await openBaton({ folder: project.folder, env: project.env });
  await expect(baton.run("Work.")).rejects.toThrow(/no-such-program/);
  expect(await baton.jobs()).toEqual([]);
});

it("tells people what they asked for in `notify`, by the means that the program gives", async () => {
  const project = await testProject({
    scenario: obedient(),
    agent: "notify: { events: [completion], desktop: true, bell: true }",
  });
  const told: string[] = [];
  const reach = {
    bell: () => void told.push("bell"),
    desktop: async ({ event, text }: Notice) => void told.push(`${event}: ${text}`),
  };
  await using baton = await openBaton({ folder: project.folder, env: project.env, reach });
  const job = await baton.run("Work.");
  expect(await job.result).toMatchObject({ status: "completed" });
  expect(told.sort()).toEqual(["bell", expect.stringMatching(/^completion: .*Done as told\./s)]);
});

it("computes a job's environment once, for the program that is started ahead and for all that follows", async () => {
  const project = await testProject({ scenario: obedient() });
  let reads = 0;
  const env = {
    ...project.env,
    /** Another value each time that an environment is made from this. */
    get READS() {
      return String(++reads);
    },
  };
  await using baton = await openBaton({ folder: project.folder, env });
  const job = await baton.run(told("echo $READS > agent.txt"));
  expect(await job.result).toMatchObject({ status: "completed" });
  expect(await readFile(join(project.folder, "agent.txt"), "utf8")).toBe("2\n");
  expect(reads, "once to look whether the agent is ready, and once for the job").toBe(2);
});

it("tells the agent what it is sent when its turn is over, in the same session", async () => {
  const gate = Promise.withResolvers<void>();
  const scenario = talkative({
    when: ({ last }) => /ask-first\s*$/.test(last),
    async reply() {
      await gate.promise;
      return { say: "The first is done." };
    },
  });
  const { baton } = await opened({ scenario });
  const job = await baton.run("ask-first");
  const sent = job.send("ask-second");
  gate.resolve();
  await sent;
  const { status, result, sessions } = await job.result;
  expect({ status, result }).toEqual({ status: "completed", result: "The answer to ask-second is yes." });
  expect(sessions).toHaveLength(1);
  await expect(job.send("too late")).rejects.toThrow(NotToldError);
});

it("hands off when it is asked to, and says where the document is", async () => {
  const { baton } = await opened({ scenario: obedient({ before: talkative().rules ?? [] }) });
  const job = await baton.run(told("echo one > one.txt; until [ -e asked ]; do sleep 0.02; done"));
  for await (const event of job.events()) if (event.type === "tool:start") break;
  const answer = job.handOff("the colours");
  for await (const event of job.events()) if (event.type === "handoff:requested") break;
  await writeFile(join(baton.root, "asked"), "");
  expect(await answer).toMatchObject({
    outcome: "written",
    documentPath: expect.stringContaining("handoff-"),
  });
  expect((await job.result).handoffs).toHaveLength(1);
});

it("is heard of in other processes, and can be ended by them", async () => {
  const { project, baton } = await opened({ scenario: obedient() });
  const job = await baton.run(told("tail -f /dev/null"));
  for await (const event of job.events()) if (event.type === "tool:start") break;
  const cancel = new Process(project, ["cancel", job.id]);
  expect(await cancel.exit).toMatchObject({ code: 0 });
  expect(await job.result).toMatchObject({ status: "cancelled" });
});

it("interrupts what it runs when it is closed, and another continues it", async () => {
  const { project, baton } = await opened({ scenario: obedient() });
  const job = await baton.run(told("tail -f /dev/null"));
  for await (const event of job.events()) if (event.type === "tool:start") break;
  await baton.close();
  expect(await job.result).toMatchObject({ status: "interrupted" });
  expect(await shown(project)).toMatchObject({ status: "interrupted" });

  await using again = await openBaton({ folder: project.folder, env: project.env });
  const resumed = await again.resume(job.id);
  for await (const event of resumed.events()) if (event.type === "job:resumed") break;
  expect(await resumed.cancel("by a test")).toMatchObject({ id: job.id, status: "cancelled" });
});
