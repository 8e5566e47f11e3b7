import { chmod, copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { baton, git, ofType, stepsDone, type TestProject, testProject, upTo } from "./harness.ts";
import { firstMessages, hookRuns, withHooks } from "./hooked.ts";
import { needs } from "./needs.ts";
import { answerJson, startReceiver } from "./receiver.ts";
import { SLACK_TOKEN, startSlack } from "./slack-server.ts";
import { isThere, worktreeProject } from "./worktree.ts";

const EXAMPLES = join(import.meta.dirname, "hook-examples");
const STEPS = 5;
/** Four steps fill a window of 200,000 tokens. */
const scenario = steady({ steps: STEPS, factor: 6, outputCharacters: 20_000, look: true });

const readExample = (name: string) => readFile(join(EXAMPLES, name), "utf8");

/** The examples say nothing of permissions: that is the user's own level. */
async function asConfigured<P extends TestProject>(project: P, yaml: string) {
  const own = join(project.env.HOME ?? "", ".config", "baton");
  await mkdir(own, { recursive: true });
  await writeFile(
    join(own, "config.yaml"),
    "defaults: { model: claude-sonnet-4-5, permission_mode: bypassPermissions }\n",
  );
  await writeFile(join(project.folder, "baton.yaml"), yaml);
  await mkdir(join(project.folder, "scripts"));
  for (const script of ["save-handoff.sh", "load-handoff.sh"]) {
    const path = join(project.folder, "scripts", script);
    await copyFile(join(EXAMPLES, script), path);
    await chmod(path, 0o755);
  }
  await git(project.folder, "add", "-A");
  await git(project.folder, "commit", "-qm", "Configure");
  return withHooks(project);
}

it("example 1: scripts save a handoff and load it, and Slack hears of the end", {
  tags: ["claude"],
}, async () => {
  needs("jq");
  const slack = await startSlack();
  const env = { SLACK_BOT_TOKEN: SLACK_TOKEN, SLACK_API_URL: slack.baseUrl };
  const project = await asConfigured(await testProject({ scenario, env }), await readExample("scripts.yaml"));
  const ran = await baton(project, ["run", "Write the files.", "--json"]);
  expect(ran.code, ran.stdout).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(STEPS));
  expect(hookRuns(ran.events)).toEqual([
    "on_session_start Load handoff context",
    "on_context_threshold Save handoff document",
    "on_session_start Load handoff context",
    "after_run slack 1",
  ]);
  expect(ofType(ran.events, "hook").every(({ ok }) => ok)).toBe(true);
  expect(ofType(ran.events, "handoff:stored")).toMatchObject([{ source: "hook", outcome: "from-facts" }]);
  const [first = "", second = ""] = firstMessages(project);
  expect(first).not.toContain("# Continuation Context");
  expect(second).toMatch(
    /# Continuation Context\n[\s\S]*"usage_percent": 0\.\d[\s\S]*left off\.\n\nYou take over/,
  );
  expect(await isThere(join(project.folder, "specs/handoffs/coder-handoff.json"))).toBe(false);
  expect(slack.posted).toMatchObject([{ channel: "C1234567890", text: "✅ coder: completed" }]);
});

it("the full example: the same in a worktree, whose branch is pushed before Slack hears of it", async () => {
  needs("jq");
  const slack = await startSlack();
  const env = { SLACK_BOT_TOKEN: SLACK_TOKEN, SLACK_API_URL: slack.baseUrl };
  const bare = await worktreeProject({ scenario, env });
  const yaml = (await readExample("worktree.yaml")).replace("/home/dev/myrepo", bare.folder);
  const project = await asConfigured(bare, yaml);
  await git(project.folder, "push", "-q", "origin", "main");
  const ran = await baton(project, ["run", "Write the files.", "--work-item", "LIN-42", "--json"]);
  expect(ran.code, ran.stdout).toBe(0);
  expect(hookRuns(ran.events)).toEqual([
    "on_session_start Load handoff from worktree",
    "on_context_threshold Save handoff to worktree",
    "on_session_start Load handoff from worktree",
    "after_run slack 1",
  ]);
  const [, second = ""] = firstMessages(project);
  expect(second).toMatch(
    /# Continuation from Previous Session\n[\s\S]*"branch": "agent\/coder\/LIN-42"[\s\S]*Do NOT create a new branch\.\n\nYou take over/,
  );
  const files = await git(project.remote, "ls-tree", "-r", "--name-only", "agent/coder/LIN-42");
  expect(files.split("\n")).toEqual(expect.arrayContaining(upTo(STEPS).map((step) => `step-${step}.txt`)));
  expect(files).not.toContain("handoff.json");
  expect(slack.posted).toHaveLength(1);
  expect(JSON.stringify(slack.posted[0])).toContain("agent/coder/LIN-42");
});

/** Loaded into Baton, so that nobody outside this machine is asked for the address of a name. */
const NO_NAMES = `require("node:dns").lookup = (name, options, callback) =>
  callback(Object.assign(new Error("getaddrinfo ENOTFOUND " + name), { code: "ENOTFOUND" }));
`;
const MONITORING_TOKEN = "not-a-real-monitoring-token";

it("example 2 with our own program: monitoring is told, and the built-in handoff is made once", async () => {
  const monitoring = await startReceiver((_request, response) => answerJson(response, 200, { noted: true }));
  const example = await readExample("webhook.yaml");
  const yaml = example.replace("https://monitoring.example.com", monitoring.url).replace("herdctl", "baton");
  const project = await asConfigured(await testProject({ scenario, env: { MONITORING_TOKEN } }), yaml);
  const ran = await baton(project, ["run", "Write the files.", "--json"]);
  expect(ran.code, ran.stdout).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(STEPS));
  const [stored, ...more] = ofType(ran.events, "handoff:stored");
  expect([stored, more]).toMatchObject([{ source: "agent", outcome: "written" }, []]);
  expect(ofType(ran.events, "hook")).toMatchObject([
    { name: "Notify monitoring", kind: "webhook", ok: true },
    { name: "Built-in handoff fallback", ok: true, exitCode: 0 },
  ]);
  const [, fallback] = ofType(ran.events, "hook");
  expect(fallback?.output.trimEnd()).toBe((await readFile(stored?.documentPath ?? "", "utf8")).trimEnd());
  expect(monitoring.received).toHaveLength(1);
  expect(monitoring.received[0]?.headers.authorization).toBe(`Bearer ${MONITORING_TOKEN}`);
  expect(JSON.parse(monitoring.received[0]?.body ?? "")).toMatchObject({
    hook_event_name: "context_threshold",
    context: { context_window: 200_000, model_name: "claude-sonnet-4-5" },
    session: { agent_name: "researcher", working_directory: project.folder },
    original_prompt: "Write the files.",
  });
  expect(ran.stdout).not.toContain(MONITORING_TOKEN);
});

it("example 2 as it stands, where neither its address nor its program is there: Baton hands off itself", async () => {
  const bare = await testProject({ scenario, env: { MONITORING_TOKEN } });
  const project = await asConfigured(bare, await readExample("webhook.yaml"));
  const withoutNames = join(project.bin, "without-names.cjs");
  await writeFile(withoutNames, NO_NAMES);
  project.env.NODE_OPTIONS = `--require=${withoutNames}`;
  const ran = await baton(project, ["run", "Write the files.", "--json"]);
  expect(ran.code, ran.stdout).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(STEPS));
  expect(ofType(ran.events, "hook")).toMatchObject([
    {
      ok: false,
      error: expect.stringContaining("monitoring.example.com could not be reached in 4 attempts"),
    },
    { ok: false, exitCode: 127, error: expect.stringContaining("there is no such command") },
  ]);
  expect(ofType(ran.events, "warning")).toMatchObject([
    { message: expect.stringMatching(/^Baton hands off itself: the hook "Notify monitoring" failed/) },
  ]);
  expect(ofType(ran.events, "handoff:stored")).toMatchObject([{ source: "agent", outcome: "written" }]);
});

it("example 3: without hooks the built-in handoff is made", async () => {
  const project = await asConfigured(await testProject({ scenario }), await readExample("none.yaml"));
  const ran = await baton(project, ["run", "Write the files.", "--json"]);
  expect(ran.code, ran.stdout).toBe(0);
  expect(ofType(ran.events, "hook")).toEqual([]);
  expect(ofType(ran.events, "handoff:stored")).toMatchObject([{ source: "agent", outcome: "written" }]);
});
