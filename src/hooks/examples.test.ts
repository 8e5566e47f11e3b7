import { copyFile, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { runAll, shellHook } from "../../test/hooks.ts";
import { needs } from "../../test/needs.ts";
import { decide, promptAdditions } from "./decision.ts";
import { contextThresholdPayload, type SessionInput, sessionStartPayload } from "./payload.ts";

const EXAMPLES = new URL("../../test/hook-examples/", import.meta.url);
const context = { inputTokens: 184_000, contextWindow: 200_000, model: "claude-opus-5-5" };
const prompt = 'Fix the tests.\n\tThey say "no" in C:\\new.';

/** A repository's folder with the scripts of the examples, and a worktree in it. */
async function createProject() {
  const root = await mkdtemp(join(tmpdir(), "baton-test-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const worktree = join(root, ".worktrees", "job-2026-02-16-abc123");
  await mkdir(worktree, { recursive: true });
  await mkdir(join(root, "scripts"));
  for (const script of ["save-handoff.sh", "load-handoff.sh", "load-specs.sh"]) {
    await copyFile(new URL(script, EXAMPLES), join(root, "scripts", script));
  }
  return { root, worktree };
}

/** The shell commands of an example's first agent, as its YAML has them. */
async function commandsOf(example: string, point: string): Promise<string[]> {
  const { agents } = parse(await readFile(new URL(example, EXAMPLES), "utf8"));
  return agents[0].hooks[point].map(({ command }: { command: string }) => command);
}

function session(root: string, worktree?: string): SessionInput {
  const branch = "agent/coder/lin-42";
  return { sessionId: "s-1", agent: "coder", jobId: "job-1", root, ...(worktree && { worktree, branch }) };
}

function atThreshold(commands: string[], cwd: string, where: SessionInput) {
  const payload = contextThresholdPayload({ trigger: "threshold", context, session: where, prompt });
  return runAll(
    commands.map((command) => shellHook(command)),
    { cwd, payload, event: "context_threshold" },
  );
}

function atStart(commands: string[], cwd: string, where: SessionInput, handoff?: number) {
  const continues = handoff === undefined ? undefined : { handoff, previousSessionId: "s-0" };
  const payload = sessionStartPayload({ session: where, prompt, ...(continues && { continues }) });
  return runAll(
    commands.map((command) => shellHook(command)),
    { cwd, payload, event: "session_start" },
  );
}

beforeEach(() => needs("jq"));

it("saves a handoff with save-handoff.sh, and loads it with load-handoff.sh once", async () => {
  const { root } = await createProject();
  const save = await commandsOf("scripts.yaml", "on_context_threshold");
  const load = await commandsOf("scripts.yaml", "on_session_start");
  expect([save, load]).toEqual([["./scripts/save-handoff.sh"], ["./scripts/load-handoff.sh"]]);

  const first = await atStart(load, root, session(root));
  expect(promptAdditions(first.runs)).toEqual({ text: "", cut: false });

  const { runs } = await atThreshold(save, root, session(root));
  const file = join(root, "specs/handoffs/coder-handoff.json");
  expect(runs).toMatchObject([{ ok: true, output: `Handoff saved to ${file}\n` }]);
  expect(decide(runs)).toEqual({ decision: "handoff-done" });
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
    agent: "coder",
    job_id: "job-1",
    usage_percent: 0.92,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });

  const next = await atStart(load, root, session(root), 1);
  const { text } = promptAdditions(next.runs);
  expect(text).toMatch(/^# Continuation Context\n[\s\S]*"job_id": "job-1"[\s\S]*left off\.$/);
  expect(text).toContain("Check `git log --oneline -20` and `git diff` to understand");
  const again = await atStart(load, root, session(root), 2);
  expect(promptAdditions(again.runs).text).toBe("");
});

it("saves and loads a handoff in the worktree with the commands of the full example", async () => {
  const { root, worktree } = await createProject();
  const where = session(root, worktree);
  const save = await commandsOf("worktree.yaml", "on_context_threshold");
  const load = await commandsOf("worktree.yaml", "on_session_start");

  const { runs } = await atThreshold(save, worktree, where);
  expect(runs).toMatchObject([{ ok: true, output: "" }]);
  const saved = JSON.parse(await readFile(join(worktree, "specs/handoffs/coder-handoff.json"), "utf8"));
  expect(saved).toMatchObject({ agent: "coder", branch: "agent/coder/lin-42", usage: 0.92 });

  const next = await atStart(load, worktree, where, 1);
  expect(promptAdditions(next.runs).text).toMatch(
    /^# Continuation from Previous Session\n[\s\S]*"branch": "agent\/coder\/lin-42"[\s\S]*Do NOT create a new branch\.$/,
  );
});

it("saves it in the agent's own folder where there is no worktree", async () => {
  const { root } = await createProject();
  await atThreshold(await commandsOf("worktree.yaml", "on_context_threshold"), root, session(root));
  const saved = JSON.parse(await readFile(join(root, "specs/handoffs/coder-handoff.json"), "utf8"));
  expect(saved).toMatchObject({ agent: "coder", branch: null });
});

it("loads a document that another program left", async () => {
  const { root } = await createProject();
  const script = ["./scripts/load-specs.sh"];
  expect(promptAdditions((await atStart(script, root, session(root))).runs).text).toBe("");
  await mkdir(join(root, "specs/handoffs"), { recursive: true });
  await copyFile(new URL("README.md", EXAMPLES), join(root, "specs/handoffs/coder-handoff.md"));
  const { runs } = await atStart(script, root, session(root));
  expect(promptAdditions(runs).text).toMatch(/^The examples of the requirements/);
  await expect(readFile(join(root, "specs/handoffs/coder-handoff.md"))).rejects.toThrow("ENOENT");
});
