import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { claudeProgram } from "../src/agents/claude/program.ts";
import { parseDocument } from "../src/handoff/document.ts";
import { userRegistry } from "../src/sessions/record/registry.ts";
import type { Reply, Rule, Scenario, Step } from "../src/simulator/scenario.ts";
import { program, type TestProject, testProject } from "./harness.ts";
import { bash, good, handsIn, REQUEST, writesNotes } from "./one-handoff.ts";
import { textOf } from "./own-session.ts";

/** The user's own Claude Code, headless, with Baton's server beside it. Returns the id of its session. */
async function claude(project: TestProject, prompt: string): Promise<string> {
  const id = randomUUID();
  const config = join(project.folder, "..", "mcp.json");
  const server = { command: process.execPath, args: [program, "mcp"] };
  await writeFile(config, JSON.stringify({ mcpServers: { baton: server } }));
  const args = ["-p", prompt, "--session-id", id, "--mcp-config", config, "--model", "claude-sonnet-4-5"];
  const words = [...args, "--permission-mode", "bypassPermissions"];
  const { folder: cwd, env } = project;
  const running = promisify(execFile)(claudeProgram() ?? "claude", words, { cwd, env });
  // It would wait for seconds for something to come that way.
  running.child.stdin?.end();
  await running;
  return id;
}

/** The program starts its servers beside the conversation: nothing is asked of them before they are up. */
const serverIsLate: Rule = {
  when: ({ kind, tools }) => kind === "main" && !tools.includes("mcp__baton__submit_handoff"),
  reply: { call: bash("sleep 0.1") },
};

function scripted(...steps: Step[]): Scenario {
  return {
    name: "scripted",
    summary: "",
    rules: [serverIsLate],
    steps,
    otherwise: { say: "That is all." },
  };
}

/** What the model was answered by the tools that it called, in order. */
function toolResults({ simulator }: TestProject): string[] {
  const last = simulator.requests.findLast(({ request }) => request.kind === "main");
  return last?.request.results.map(({ text }) => text) ?? [];
}

async function stored(project: TestProject, id: string) {
  const session = await userRegistry(project.env).find(id);
  const path = session?.handoff?.documentPath;
  if (session?.handoff?.state !== "stored" || path === undefined) throw new Error(JSON.stringify(session));
  return { path, ...parseDocument(await textOf(path)) };
}

it("tells the real Claude Code what is missing, and stores its second account, checked against its own transcript", async () => {
  const project = await testProject({
    scenario: scripted({ call: writesNotes }, handsIn({ constraints: [] }), handsIn({})),
  });
  const id = await claude(project, REQUEST);
  const [first, second] = toolResults(project).slice(-2);
  expect(first).toContain(`"status":"again"`);
  expect(first).toContain("Never touch baton.yaml.");
  expect(second).toContain(`"status":"stored"`);
  const { head, account, facts } = await stored(project, id);
  expect(head).toMatchObject({ session: id, job: null, outcome: "written", number: 1, branch: "main" });
  expect(head.transcript).toContain(`${id}.jsonl`);
  expect(head.tokens).toBeGreaterThan(10_000);
  expect(account).toEqual(good);
  expect(facts).toContain(`> ${REQUEST}`);
});

it("lets a session ask the one before it, which answers without tools and leaves nothing behind", async () => {
  const isAsked = "the session that continues it has a question";
  const question: Reply = {
    call: { tool: "mcp__baton__ask_predecessor", input: { question: "Which colour did we choose?" } },
  };
  const project = await testProject({
    scenario: {
      name: "asks",
      summary: "",
      rules: [
        { when: ({ last }) => last.includes(isAsked), reply: { say: "Teal, because of the logo." } },
        serverIsLate,
      ],
      steps: [
        { call: writesNotes },
        handsIn({}),
        { say: "Handed over." },
        { call: { tool: "mcp__baton__continue_handoff", input: {} } },
        question,
      ],
      otherwise: { say: "That is all." },
    },
  });
  const started = join(project.folder, "..", "started");
  const command = `echo $CLAUDE_CODE_SESSION_ID >> ${started}`;
  const hook = { hooks: [{ type: "command", command }] };
  await mkdir(project.env.CLAUDE_CONFIG_DIR ?? "", { recursive: true });
  const settings = join(project.env.CLAUDE_CONFIG_DIR ?? "", "settings.json");
  await writeFile(settings, JSON.stringify({ hooks: { SessionStart: [hook] } }));
  const server = { command: "sh", args: ["-c", command] };
  const user = join(project.env.CLAUDE_CONFIG_DIR ?? "", ".claude.json");
  await writeFile(user, JSON.stringify({ mcpServers: { other: server } }));
  const first = await claude(project, `${REQUEST} The colour is teal.`);
  const before = await transcripts(project);
  const second = await claude(project, "Pick the handoff up.");

  expect(toolResults(project).at(-1)).toContain("Teal, because of the logo.");
  const asked = project.simulator.requests.filter(({ request }) => request.last.includes(isAsked));
  expect(asked).toHaveLength(1);
  expect(asked[0]?.request.tools).toEqual([]);
  expect(asked[0]?.request.text).toContain("The colour is teal.");
  expect(asked[0]?.request.model).toBe("claude-sonnet-4-5");
  expect((await transcripts(project)).sort()).toEqual([...before, `${second}.jsonl`].sort());
  const starters = (await textOf(started)).trim().split("\n");
  expect(new Set(starters)).toEqual(new Set([first, second]));
  const registry = userRegistry(project.env);
  expect((await registry.find(first))?.handoff).toMatchObject({ state: "taken-up", successor: second });
});

async function transcripts({ env }: TestProject): Promise<string[]> {
  const files = await readdir(join(env.CLAUDE_CONFIG_DIR ?? "", "projects"), { recursive: true });
  return files.filter((name) => name.endsWith(".jsonl")).map((name) => name.split("/").at(-1) ?? "");
}
