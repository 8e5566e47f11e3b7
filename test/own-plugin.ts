import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { renderAccount } from "../src/handoff/markdown.ts";
import type { OwnSession } from "../src/sessions/record/session.ts";
import type { SimulatedRequest } from "../src/simulator/request.ts";
import type { Reply, Scenario } from "../src/simulator/scenario.ts";
import { handOver } from "../src/simulator/scenarios/hand-over.ts";
import { agreeIn } from "./agree.ts";
import { bundle, type TestProject, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { bash, good, writesNotes } from "./one-handoff.ts";
import { claudeReady, eventually, openClaude, registryOf, type Screen, Tmux } from "./panes.ts";

/** Baton's plugin, with the bundle of Baton beside it. That of a checkout is what `own-install.test.ts` installs. */
export const pluginFolder = join(bundle, "plugin");

/** Tokens at which sessions hand off here: over what a fresh one holds, under what a session with output in it holds. */
export const THRESHOLD = 64_000;
const OUTPUT_CHARACTERS = 26_000;

const TOOL = /submit_handoff$/;

/** A real model would find the tool by its name, whatever the program calls the server. */
export function submits(request: SimulatedRequest): Reply {
  const tool = request.tools.find((name) => TOOL.test(name));
  if (tool === undefined) return { say: renderAccount(good) };
  const { call } = handOver({ ...request, tools: ["mcp__baton__submit_handoff"] }, good);
  return call && !Array.isArray(call) ? { call: { ...call, tool } } : {};
}

/** Most tools of servers have to be searched for before they are used. */
function takesUp({ tools }: SimulatedRequest): Reply {
  const tool = tools.find((name) => name.endsWith("continue_handoff"));
  const query = "select:mcp__plugin_baton_baton__continue_handoff";
  return { call: tool ? { tool, input: {} } : { tool: "ToolSearch", input: { query } } };
}

function isAskedForHandoff({ last }: SimulatedRequest): boolean {
  return /submit_handoff`? of the MCP server baton/.test(last) || last.includes("<handoff-request>");
}

/** A session that fills its window, hands off when it is asked, and goes on when it is told to. */
export const fills: Scenario = {
  name: "fills",
  summary: "fills its window, hands off, goes on",
  factor: 8,
  otherwise(request) {
    const { last, text } = request;
    if (last.includes(`"status":"stored"`)) return { say: "It is handed over." };
    if (isAskedForHandoff(request)) return submits(request);
    if (last.includes("Continue the work")) {
      if (text.includes("<handoff-context-")) return { say: "I write the second line." };
      const [, path = ""] = /handoff document (\S+)\. Read/.exec(last) ?? [];
      return { call: { tool: "Read", input: { file_path: path } } };
    }
    if (last.includes("Write the second line.")) return { say: "I write the second line." };
    if (text.includes("call the tool `continue_handoff`")) return takesUp(request);
    if (last.includes("filled")) return { say: "The first line is written." };
    if (last.includes("Fill the window")) {
      const fill = `printf '%0${OUTPUT_CHARACTERS}d\\n' 0; echo filled`;
      return { call: [writesNotes, bash(fill)] };
    }
    return { say: "I listen." };
  },
};

export interface WithPlugin {
  project: TestProject;
  tmux: Tmux;
  screen: Screen;
}

interface PluginOptions {
  scenario?: Scenario;
  env?: Record<string, string>;
  yaml?: string;
  /** It is not told that it is in a pane. */
  unseen?: boolean;
  /** Words in place of those with which it asks nobody. */
  permissions?: readonly string[];
  prepare?: (project: TestProject) => Promise<unknown>;
}

/** The real Claude Code in a pane, with Baton's plugin. */
export async function withPlugin(agent: string, options: PluginOptions = {}): Promise<WithPlugin> {
  needs("tmux");
  const env = { BATON_NODE: process.execPath, ...options.env };
  const project = await testProject({ scenario: options.scenario ?? fills, agent, env });
  await appendFile(join(project.folder, "baton.yaml"), options.yaml ?? "");
  agreeIn(project);
  await claudeReady(project);
  const tmux = await Tmux.start(project);
  await options.prepare?.(project);
  const { unseen, permissions } = options;
  const screen = await openClaude(project, tmux, ["--plugin-dir", pluginFolder], {
    around: unseen ? ["env", "-u", "TMUX", "-u", "TMUX_PANE"] : [],
    ...(permissions && { permissions }),
  });
  await serverIsUp(screen);
  return { project, tmux, screen };
}

/** The program starts its servers beside the conversation, and a tool that comes late is not among those of a request. */
async function serverIsUp(screen: Screen): Promise<void> {
  await screen.says("/mcp");
  await screen.shows(/✔ plugin:baton:baton/);
  await screen.presses("Escape");
  await screen.waits();
}

/** How often the model was sent a prompt that is like this. */
export function timesSaid({ simulator }: TestProject, like: RegExp): number {
  const prompts = simulator.requests.map(({ request }) => request).filter(({ kind }) => kind === "main");
  return prompts.filter(({ last }) => like.test(last.trimEnd())).length;
}

/** The session that was registered last, once it is as it should be. */
export function session(
  { project }: Pick<WithPlugin, "project">,
  what: string,
  isRight: (session: OwnSession) => boolean,
): Promise<OwnSession> {
  return eventually(what, async () => (await registryOf(project).list()).find(isRight));
}
