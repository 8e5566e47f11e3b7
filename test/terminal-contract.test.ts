import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { HOOK_EVENTS, type HookEventName, hookInput } from "../src/agents/claude/own/hook-input.ts";
import { wordsTakenForCommand } from "../src/agents/claude/own/mistaken-command.ts";
import { lineEvents } from "../src/agents/claude/transcript/line.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { type TestProject, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { bash } from "./one-handoff.ts";
import { claudeReady, eventually, openClaude, type Screen, Tmux } from "./panes.ts";

// The real program takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const TOOL = "mcp__plugin_probe_tools__shout";
const LOOK = 'echo "looked in $CLAUDECODE $CLAUDE_CODE_SESSION_ID"';
const LONG = "the quick brown fox jumps over the lazy dog ".repeat(5).trim();

/** Answers what it hears, so that all that the program tells the model can be seen. */
const answers: Scenario = {
  name: "answers",
  summary: "",
  otherwise({ last, tools }) {
    if (last.includes("HEARD")) return { say: "The tool answered." };
    if (last.includes("Go on a little")) return { say: "A little more." };
    if (last.includes("looked")) return { say: "I have looked." };
    if (last.includes("missing")) return { say: "There is nothing." };
    if (last.includes("Look around")) return { call: bash(LOOK) };
    if (last.includes("Look further")) return { call: bash("echo missing; exit 3") };
    if (last.includes("Shout it")) {
      return tools.includes(TOOL) ? { call: { tool: TOOL, input: { text: "heard" } } } : { say: "No tool." };
    }
    if (last.includes("Take your time")) return { say: "Well", fault: { kind: "stall", at: "start" } };
    return { say: "I listen." };
  },
};

/** A server with one tool, in as few lines as the protocol allows. */
const SERVER = `
const tool = { name: "shout", description: "Shouts", inputSchema: { type: "object", properties: { text: { type: "string" } } }, _meta: { "anthropic/alwaysLoad": true } };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "tools", version: "1" } }),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call": ({ arguments: { text } }) => ({ content: [{ type: "text", text: text.toUpperCase() + " by " + process.pid }] }),
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params ?? {}) ?? {} }));
});`;

/** What hooks are told goes to a file; what they answer comes from one, once. */
const HOOK = `
const { appendFileSync, existsSync, readFileSync, renameSync } = require("node:fs");
const [event, folder] = process.argv.slice(2);
const { CLAUDE_PID, CLAUDE_CODE_ENTRYPOINT, CLAUDE_CODE_SESSION_ID } = process.env;
const input = readFileSync(0, "utf8");
appendFileSync(folder + "/told", JSON.stringify({ event, input, CLAUDE_PID, CLAUDE_CODE_ENTRYPOINT, CLAUDE_CODE_SESSION_ID }) + "\\n");
if (existsSync(folder + "/" + event)) { console.log(readFileSync(folder + "/" + event, "utf8")); renameSync(folder + "/" + event, folder + "/" + event + ".said"); }`;

async function aPlugin(folder: string): Promise<string> {
  const plugin = join(folder, "probe");
  const hook = (event: string) => ({
    hooks: [
      { type: "command", command: `"$BATON_NODE" "\${CLAUDE_PLUGIN_ROOT}/hook.cjs" ${event} "$PROBE"` },
    ],
  });
  const server = { command: `\${BATON_NODE:-node}`, args: [`\${CLAUDE_PLUGIN_ROOT}/server.cjs`] };
  const files = {
    ".claude-plugin/plugin.json": JSON.stringify({ name: "probe", version: "1.0.0", description: "A probe" }),
    "hooks/hooks.json": JSON.stringify({
      hooks: Object.fromEntries(HOOK_EVENTS.map((event) => [event, [hook(event)]])),
    }),
    ".mcp.json": JSON.stringify({ mcpServers: { tools: server } }),
    "commands/greet.md": '---\ndescription: Greets\n---\n\nGreet them: "$ARGUMENTS".\n',
    "skills/care/SKILL.md": "---\nname: care\ndescription: Takes care\n---\n\nTake care of them.\n",
    "server.cjs": SERVER,
    "hook.cjs": HOOK,
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(plugin, name)), { recursive: true });
    await writeFile(join(plugin, name), text);
  }
  return plugin;
}

interface Opened {
  project: TestProject;
  screen: Screen;
  probe: string;
}

async function open(): Promise<Opened> {
  needs("tmux");
  const project = await testProject({ scenario: answers, env: { BATON_NODE: process.execPath } });
  const probe = join(project.folder, "..", "told-to-hooks");
  await mkdir(probe);
  project.env.PROBE = probe;
  await claudeReady(project);
  const plugin = await aPlugin(join(project.folder, ".."));
  const screen = await openClaude(project, await Tmux.start(project), ["--plugin-dir", plugin]);
  return { project, screen, probe };
}

async function told({ probe }: Opened) {
  const lines = (await readFile(join(probe, "told"), "utf8").catch(() => "")).trim().split("\n");
  return lines.filter(Boolean).map((line) => {
    const { event, input, ...env } = JSON.parse(line);
    const known = hookInput(event, input);
    if (!known) throw new Error(`${event} was given ${input}`);
    const { tool_name: tool, tool_input: toolInput } = JSON.parse(input);
    return { ...known, tool, toolInput, event, env };
  });
}

function hears({ project }: Opened): string {
  return project.simulator.requests.findLast(({ request }) => request.kind === "main")?.request.text ?? "";
}

const answersWith = ({ probe }: Opened, event: HookEventName, answer: object) =>
  writeFile(join(probe, event), JSON.stringify(answer));
const adds = (hookEventName: HookEventName, additionalContext: string) => ({
  hookSpecificOutput: { hookEventName, additionalContext },
});

async function says({ screen }: Opened, words: string, answer: string): Promise<void> {
  await screen.says(words);
  await screen.shows(answer);
  await screen.waits();
}

/** Where the terminal's own cursor stands. */
function cursor({ tmux, id }: Screen): Promise<string> {
  return tmux.run("display-message", "-p", "-t", id, "#{cursor_x},#{cursor_y}");
}

function right(cursor: string, by: number): string {
  const [x, y] = cursor.split(",").map(Number);
  return `${(x ?? 0) + by},${y}`;
}

describe.each([
  ["Claude Code", ["claude"]],
  ["the scripted terminal", []],
])("%s in a terminal", (_name, tags) => {
  it("has a prompt that shows what is typed, is edited with keys, and tells when it is not free", {
    tags,
  }, async () => {
    const opened = await open();
    const { screen, project } = opened;
    expect(await screen.prompt()).toEqual({ state: "empty" });
    const atFirst = await cursor(screen);
    await screen.types("ab");
    await eventually("the cursor two further", async () => (await cursor(screen)) === right(atFirst, 2));
    await screen.presses("-N", "2", "BSpace");
    await eventually("the cursor back", async () => (await cursor(screen)) === atFirst);
    await screen.types(LONG);
    const compact = LONG.replaceAll(" ", "");
    await eventually("the words at the prompt", async () => {
      const prompt = await screen.prompt();
      return prompt.state === "written" && prompt.text.replaceAll(" ", "") === compact;
    });
    await screen.presses("C-a");
    await screen.presses("-N", "4", "DC");
    await screen.presses("C-e");
    await screen.presses("-N", "3", "BSpace");
    await eventually("what is left of them", async () => {
      const prompt = await screen.prompt();
      return prompt.state === "written" && prompt.text.replaceAll(" ", "") === compact.slice(3, -3);
    });
    // Each takes away a line as it is shown, of which there are two.
    await screen.presses("C-u");
    await screen.presses("C-u");
    await screen.waits();
    await screen.types("!");
    await eventually("a shell's prompt", async () => (await screen.prompt()).state === "shell");
    await screen.types("touch it");
    await eventually("what it would run", async () => {
      const prompt = await screen.prompt();
      return prompt.state === "shell" && prompt.text === "touch it";
    });
    await screen.presses("-N", "8", "BSpace");
    await eventually("nothing to run", async () => {
      const prompt = await screen.prompt();
      return prompt.state === "shell" && prompt.text === "";
    });
    await screen.presses("BSpace");
    await screen.waits();
    await screen.says("/mcp");
    await screen.shows("✔ plugin:probe:tools");
    expect((await screen.prompt()).state).toBe("none");
    await screen.presses("Escape");
    await screen.says("Take your time");
    await project.simulator.waitFor(({ reply }) => reply?.fault?.kind === "stall");
    await eventually("that it works", async () => (await screen.prompt()).state === "working");
    await screen.types("and then");
    await eventually("what waits", async () => {
      const prompt = await screen.prompt();
      return prompt.state === "working" && prompt.text === "and then";
    });
  });

  it("tells hooks what Baton reads, and lets them speak", { tags }, async () => {
    const opened = await open();
    const { screen, project } = opened;
    const pid = String(await screen.pid());
    await screen.says("/mcp");
    await screen.shows("✔ plugin:probe:tools");
    await screen.presses("Escape");

    await answersWith(opened, "UserPromptSubmit", {
      systemMessage: "A word to the person.",
      ...adds("UserPromptSubmit", "From the hook of a prompt."),
    });
    await says(opened, "Hello there", "I listen.");
    expect(await screen.text()).toContain("A word to the person.");
    expect(hears(opened)).toContain("From the hook of a prompt.");
    await answersWith(opened, "PostToolUse", adds("PostToolUse", "From the hook of a tool."));
    await says(opened, "Look around", "I have looked.");
    expect(hears(opened)).toContain("From the hook of a tool.");
    // By this a command knows in whose shell it runs.
    expect(hears(opened)).toContain(`looked in 1 ${(await told(opened))[0]?.session}`);
    await says(opened, "Look further", "There is nothing.");
    await answersWith(opened, "Stop", { decision: "block", reason: "Go on a little." });
    await says(opened, "Hello again", "A little more.");
    await says(opened, "Shout it", "The tool answered.");
    await says(opened, "/probe:greet the world", "/probe:greet the world");
    expect(hears(opened)).toContain('Greet them: "the world".');
    await says(opened, "/probe:care two of them", "/probe:care two of them");
    expect(hears(opened)).toMatch(/Take care of them\.[\s\S]*two of them/);
    const requests = project.simulator.requests.length;
    await answersWith(opened, "UserPromptSubmit", { decision: "block", reason: "Asked\nand answered." });
    await screen.says("/probe:greet nobody");
    await screen.shows(/UserPromptSubmit operation blocked by hook:\s+Asked\s+and answered\./);
    await screen.waits();
    expect(project.simulator.requests).toHaveLength(requests);
    // Servers live on through a clear.
    const server = /HEARD by \d+/.exec(hears(opened))?.[0];
    const [begun] = await told(opened);
    const before = linesOf(begun?.transcript);

    await screen.says("/clearwork 78 and more");
    await screen.shows("Unknown command: /clearwork");
    await eventually("that in the transcript", async () => {
      const words = wordsTakenForCommand("/clear", await linesOf(begun?.transcript));
      return words === "work 78 and more";
    });

    await answersWith(opened, "SessionStart", adds("SessionStart", "From the hook of a start."));
    // In one write, as Baton sends it.
    await screen.waits();
    const keys = ["send-keys", "-t", screen.id];
    await screen.tmux.run(...keys, "-l", "--", "/clear", ";", ...keys, "Enter");
    await eventually("the next session", async () => (await told(opened)).at(-1)?.event === "SessionStart");
    await says(opened, "Hello you", "I listen.");
    await says(opened, "Shout it", "The tool answered.");
    expect(/HEARD by \d+/.exec(hears(opened))?.[0]).toBe(server);
    expect(hears(opened)).toContain("From the hook of a start.");
    expect(hears(opened)).not.toContain("Look around");
    const next = linesOf((await told(opened)).at(-1)?.transcript);
    await screen.says("/exit");
    await eventually("its end", async () => (await told(opened)).at(-1)?.event === "SessionEnd");

    const all = await told(opened);
    const sessions = [...new Set(all.map(({ session }) => session))];
    expect(sessions).toHaveLength(2);
    expect(all.map(({ event }) => event)).toEqual(SEQUENCE.map(({ event }) => event));
    const cleared = all.findLastIndex(({ event }) => event === "SessionStart");
    expect(all).toMatchObject(
      SEQUENCE.map((about, index) => {
        const session = sessions[index < cleared ? 0 : 1];
        const env = { CLAUDE_PID: pid, CLAUDE_CODE_ENTRYPOINT: "cli", CLAUDE_CODE_SESSION_ID: session };
        const transcript = expect.stringMatching(new RegExp(`/projects/[^/]+/${session}\\.jsonl$`));
        return { session, transcript, cwd: project.folder, env, ...about };
      }),
    );

    const said = (lines: string[]) =>
      lines.flatMap(lineEvents).flatMap((event) => (event.type === "user" ? event.text.trim() : []));
    const typed = ["Hello there", "Look around", "Look further", "Hello again", "Shout it"];
    expect(said(await before).filter((text) => !/greet|care/i.test(text))).toEqual(typed);
    expect(said(await next)).toEqual(["Hello you", "Shout it"]);
    const { usage } = project.simulator.requests.findLast(({ request }) => request.kind === "main") ?? {};
    const figures = (await next)
      .flatMap(lineEvents)
      .flatMap((event) => (event.type === "response" ? event : []));
    expect(figures.at(-1)?.usage).toMatchObject({
      cacheRead: usage?.cache_read_input_tokens,
      cacheWrite: usage?.cache_creation_input_tokens,
    });
    expect((await next).join("\n")).toContain("<command-name>/clear</command-name>");
  });
});

/** What hooks hear of all that, in this order. */
const prompt = (text: string) => ({ event: "UserPromptSubmit", prompt: text });
const stop = (lastWords: string, again = false) => ({
  event: "Stop",
  lastWords,
  again,
  subagentsRunning: false,
});
const shouted = prompt("Shout it");
const shout = { event: "PostToolUse", tool: TOOL, toolInput: { text: "heard" } };
const SEQUENCE = [
  { event: "SessionStart", source: "startup" },
  prompt("Hello there"),
  stop("I listen."),
  prompt("Look around"),
  { event: "PostToolUse", tool: "Bash", toolInput: { command: LOOK }, inSubagent: false },
  stop("I have looked."),
  prompt("Look further"),
  { event: "PostToolUseFailure", tool: "Bash", inSubagent: false },
  stop("There is nothing."),
  prompt("Hello again"),
  stop("I listen."),
  stop("A little more.", true),
  shouted,
  shout,
  stop("The tool answered."),
  prompt("/probe:greet the world"),
  stop("I listen."),
  prompt("/probe:care two of them"),
  stop("I listen."),
  prompt("/probe:greet nobody"),
  { event: "SessionEnd", reason: "clear" },
  { event: "SessionStart", source: "clear" },
  prompt("Hello you"),
  stop("I listen."),
  shouted,
  shout,
  stop("The tool answered."),
  { event: "SessionEnd", reason: "prompt_input_exit" },
];

async function linesOf(transcript: string | null | undefined): Promise<string[]> {
  return (await readFile(transcript ?? "", "utf8")).trimEnd().split("\n");
}
