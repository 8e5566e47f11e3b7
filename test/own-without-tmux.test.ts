import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { successorOf } from "../src/sessions/record/handoff-questions.ts";
import type { OwnSession } from "../src/sessions/record/session.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { aStoredHandoff, cycle, handoffFiles, talk } from "./handed-off-session.ts";
import { baton, shown, type TestProject } from "./harness.ts";
import { hookedProject, records, told } from "./hooked.ts";
import { bash, REQUEST } from "./one-handoff.ts";
import { fills, session, THRESHOLD, withPlugin } from "./own-plugin.ts";
import { called, said } from "./own-session.ts";
import { anOwnSession, eventually, identity, registryOf } from "./panes.ts";

// The real program takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const RULE = "Bash(npm *)";

/** No server of tmux can be found from here. */
async function noServer(): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), "baton-no-server-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { TMUX_TMPDIR: folder };
}

/** What a person has allowed for good. */
async function allowed({ folder }: Pick<TestProject, "folder">, ...allow: string[]): Promise<void> {
  await mkdir(join(folder, ".claude"), { recursive: true });
  await writeFile(join(folder, ".claude", "settings.local.json"), JSON.stringify({ permissions: { allow } }));
}

async function ending(process: ReturnType<typeof spawn>): Promise<void> {
  process.kill();
  if (process.exitCode === null && process.signalCode === null) await once(process, "exit");
}

/** A session in a plain terminal that has stored its handoff, and has done this before. */
async function inPlainTerminal(
  entries: (folder: string) => object[],
  { notify, ...more }: Partial<OwnSession> & { notify?: object } = {},
) {
  const agent = "model: claude-opus-4-5\npermission_mode: default\nsystem_prompt: You are a coder.";
  const project = await hookedProject({
    scenario: talk,
    agent,
    env: await noServer(),
    ...(notify && { notify }),
  });
  await allowed(project, RULE);
  const id = "in-a-plain-terminal";
  const transcript = join(project.folder, "..", `${id}.jsonl`);
  const lines = entries(project.folder).map(
    (entry) => `${JSON.stringify({ cwd: project.folder, ...entry })}\n`,
  );
  await writeFile(transcript, lines.join(""));
  const program = spawn("sleep", ["600"], { env: project.env, stdio: "ignore" });
  onTestFinished(() => ending(program));
  await once(program, "spawn");
  const process = await identity(program.pid ?? 0);
  const handoff = await aStoredHandoff(project, id);
  const own = anOwnSession(project, id, { handoff, transcript, process, ...more });
  await registryOf(project).update(id, () => own);
  return { project, session: own, program };
}

function allowedBy(source: object, [call, result]: object[]): object[] {
  return [call ?? {}, { ...result, permissionDecision: { decision: "accept", ...source } }];
}

const asked = { ...said("Write it."), permissionMode: "acceptEdits" };

describe("a session in a terminal without tmux", () => {
  it("continues as a job in its folder, on its model, with its permissions, and says so", async () => {
    const wrote = (folder: string) => called("Write", { file_path: join(folder, "notes.txt") }, "ok");
    const own = await inPlainTerminal((folder) => [asked, ...allowedBy({ source: "config" }, wrote(folder))]);
    const { outcome, successor } = await cycle(own);
    expect(outcome).toBe("taken-up");
    const job = await eventually("the end of the job", async () => {
      const newest = await shown(own.project);
      return newest?.status === "completed" && newest;
    });
    expect(job).toMatchObject({ id: successor, continues: own.session.handoff?.documentPath });
    expect(job.sessions).toMatchObject([{ model: "claude-sonnet-4-5" }]);
    const created = await createdEvent(own.project, successor);
    expect(created.agentConfig).toMatchObject({
      model: "claude-sonnet-4-5",
      permissionMode: "acceptEdits",
      allowedTools: [RULE],
      workingDirectory: own.project.folder,
      workspace: { strategy: "static" },
    });
    expect(created.agentConfig).not.toHaveProperty("systemPrompt");
    const told = await eventually("what the session is told of its end", async () => {
      const { mail = [] } = (await registryOf(own.project).find(own.session.id)) ?? {};
      return mail.length === 2 && mail.map(({ text }) => text);
    });
    expect(told).toEqual([
      `Handoff 1 continues in a job in the background (${successor}). It works on claude-sonnet-4-5 in permission mode acceptEdits, as this session does. \`baton attach ${successor}\` watches it. There is nothing more to do here.`,
      `Job ${successor}, which continued this session, is completed. See \`baton show ${successor}\`.`,
    ]);
  });

  it("is left to its person where it asked them, and nobody else could answer", async () => {
    const once = { source: "user_temporary", grantScope: "once" };
    const own = await inPlainTerminal(() => [
      asked,
      ...allowedBy(once, called("Bash", { command: "make" }, "ok")),
    ]);
    const reason = "it asked you before it used Bash, and a job in the background has nobody to ask";
    expect(await cycle(own)).toEqual({ outcome: "pending", reason });
    expect(await handoffFiles(own.project)).toContain("HANDOFF_PENDING.md");
    const { mail = [] } = (await registryOf(own.project).find(own.session.id)) ?? {};
    expect(mail.map(({ text }) => text).join()).toContain(
      `Handoff 1 waits for you: ${reason}. A new session in this project picks it up with /baton:continue.`,
    );
  });

  it("is left to its person where it orchestrates workers, which a job could neither list nor hear", async () => {
    const own = await inPlainTerminal(() => [asked], { role: "orchestrator" });
    const reason = "it orchestrates workers, and a job in the background cannot";
    expect(await cycle(own)).toEqual({ outcome: "pending", reason });
  });

  it("tells the hooks of notify by default that it continues elsewhere, or waits", async () => {
    const notify = {
      hooks: [
        records("notify"),
        records("pauses", "", { on_events: ["paused"] }),
        { type: "shell", name: "bad", command: "exit 3" },
      ],
    };
    const moved = await inPlainTerminal(() => [asked], { notify });
    const { successor } = await cycle(moved);
    const session = {
      session_id: moved.session.id,
      agent_name: "coder",
      working_directory: moved.project.folder,
    };
    const document = moved.session.handoff?.documentPath;
    // The job has hooks of its own, and tells them of its end whenever that comes.
    const ofHandoffs = (await told(moved.project, "notify")).filter(({ event }) => event !== "completed");
    expect(ofHandoffs).toMatchObject([
      { hook_event_name: "handoff", handoff: { number: 1, document_path: document }, session },
    ]);
    await eventually("the end of the job", async () => (await shown(moved.project))?.status === "completed");
    const { stdout } = await baton(moved.project, ["logs", successor, "--json"]);
    expect(stdout).not.toContain('"point":"notify","event":"handoff"');
    const log = await readFile(join(moved.project.env.HOME ?? "", ".local/state/baton/hook.log"), "utf8");
    expect(log).toContain('notify.hooks: "bad" failed');

    const left = await inPlainTerminal(() => [{ ...asked, permissionMode: "plan" }], { notify });
    const { outcome } = await cycle(left);
    expect(outcome).toBe("pending");
    const [paused, ...more] = await told(left.project, "pauses");
    expect(more).toEqual([]);
    expect(paused).toMatchObject({ event: "paused", job: { id: left.session.id, handoffs: 1 } });
    expect(paused?.result.error).toMatch(/^Handoff 1 waits for you: /);
  });

  it("is left to its person where it may do more than they allow a job", async () => {
    const own = await inPlainTerminal(() => [{ ...asked, permissionMode: "bypassPermissions" }]);
    const config = join(own.project.env.HOME ?? "", ".config", "baton");
    await mkdir(config, { recursive: true });
    await writeFile(join(config, "config.yaml"), "maximums: { permission_mode: acceptEdits }\n");
    const reason =
      "it works in permission mode bypassPermissions, and your maximums allow a job no more than acceptEdits";
    expect(await cycle(own)).toEqual({ outcome: "pending", reason });
  });

  it("is left to its person where its program is gone, and the next session is told at once", async () => {
    const own = await inPlainTerminal(() => [asked]);
    await ending(own.program);
    const input = { session_id: "next", transcript_path: null, cwd: own.project.folder, source: "startup" };
    const { stdout } = await baton(own.project, ["hook", "SessionStart"], JSON.stringify(input));
    expect(JSON.parse(stdout).systemMessage).toBe(
      `Handoff 1 waits in this project: ${own.session.handoff?.documentPath}. /baton:continue picks it up.`,
    );
    await eventually("the handoff to wait", async () => {
      const { handoff } = (await registryOf(own.project).find(own.session.id)) ?? {};
      return handoff?.state === "pending" && handoff.reason === "its session has ended";
    });
  });
});

async function createdEvent(project: TestProject, job: string) {
  const { stdout } = await baton(project, ["logs", job, "--json"]);
  const [created] = stdout.split("\n").map((line) => JSON.parse(line || "{}"));
  return created;
}

it("continues as a job that may do what the session may, and announces it where the person sits", {
  tags: ["claude"],
}, async () => {
  const second = "echo two >> notes.txt";
  const scenario: Scenario = {
    ...fills,
    rules: [
      {
        when: ({ kind, text, turns }) => kind === "main" && text.includes("<handoff-context-") && turns === 0,
        reply: { call: bash(second) },
      },
    ],
  };
  const agent = `model: claude-opus-4-5\npermission_mode: default\nsession: { context_threshold: ${THRESHOLD} }`;
  const own = await withPlugin(agent, {
    scenario,
    env: await noServer(),
    unseen: true,
    permissions: ["--permission-mode", "acceptEdits"],
    prepare: (project) => allowed(project, "mcp__plugin_baton_baton", "Bash(printf *)", "Bash(echo *)"),
  });
  await own.screen.says(`${REQUEST} Fill the window.`);
  // At once: the person has typed nothing more.
  await own.screen.shows(/Handoff 1 continues in a job in the background/);
  const old = await session(own, "the session before", ({ handoff }) => handoff?.state === "taken-up");
  expect(old).toMatchObject({ pane: null, permissionMode: "acceptEdits" });
  const job = await eventually("the end of the job", async () => {
    const newest = await shown(own.project);
    return newest?.status === "completed" && newest;
  });
  expect(job.id).toBe(successorOf(old.handoff));
  expect(job.sessions).toMatchObject([{ model: "claude-sonnet-4-5" }]);
  expect(await readFile(join(own.project.folder, "notes.txt"), "utf8")).toBe("one\ntwo\n");
});
