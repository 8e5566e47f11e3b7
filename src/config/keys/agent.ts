import { PERMISSION_MODES } from "../config.ts";
import { DEFAULTS } from "../defaults.ts";
import { key, listOf, mapOf, type Reader, section, type ValueOf } from "../reader/reader.ts";
import { onlyOneThreshold, refuseSecondThreshold } from "../reader/threshold.ts";
import { duration, formed, number, oneOf, path, secretText, text, wholeNumber } from "../reader/values.ts";
import { runtimeName } from "../runtimes/name.ts";
import { chat } from "./chat.ts";
import { acpCommand } from "./command.ts";
import { docker } from "./docker.ts";
import { instances } from "./fleet.ts";
import { handoffKeys } from "./handoff.ts";
import { hookPoints } from "./hooks.ts";
import { mcpServers } from "./mcp.ts";
import { notifyKeys } from "./notify.ts";
import { prices } from "./prices.ts";
import { schedules } from "./schedules.ts";
import { sessionKeys } from "./session.ts";
import { workSource } from "./work-source.ts";
import { workingDirectory, workspaceKeys } from "./workspace.ts";

const limitKeys = {
  cost_usd: key(
    number({ above: 0 }, "a number above 0", 20),
    "US dollars, as Claude Code counts them or as Baton estimates them",
  ),
  duration: key(duration(1, "8h"), "time that the job spent working"),
  turns: key(wholeNumber(1, 200), "the model's answers, not counting subagents"),
};

/** What is written once in the schema, and by its key in an agent. */
function part<T>(name: string, reader: Reader<T>): Reader<T> {
  return { ...reader, schema: { ...reader.schema, title: name } };
}

export const notify = part("notify", section(notifyKeys, "{ desktop: true }", homeOf));

export const agentKeys = {
  runtime: key(
    runtimeName,
    "the program that runs it, see [agents](agents.md); `sdk` and `cli` are other names for the first two",
    DEFAULTS.agent.runtime,
  ),
  command: key(
    acpCommand,
    "with `acp`, the program that is started: a name that Baton knows, or a list with a program and its arguments",
  ),
  account: key(
    formed(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "letters, digits, - _ and .", "work"),
    "a name for the account whose usage limits it meets, the same in all projects; by default told by what its program signs in with",
  ),
  model: key(text("claude-sonnet-4-5"), "the model; by default the one that Claude Code is set to"),
  system_prompt: key(text("You are careful."), "added to Claude Code's own instructions, in every session"),
  permission_mode: key(
    oneOf(...PERMISSION_MODES),
    "what it may do without asking; by default what Claude Code is set to",
  ),
  permission_prompts: key(
    oneOf("deny", "ask"),
    "`deny` a call that `permission_mode` and `allowed_tools` do not allow, or `ask` you, see [the inbox](inbox.md); by default `deny`, and `ask` where a person takes part: in `baton chat`, and in a chat service",
  ),
  approval_grace: key(
    duration(0, "10m"),
    "how long the program stays open while it waits for your answer; then it is closed, its slot is free, and the answer continues the job",
    DEFAULTS.agent.approval_grace,
  ),
  approval_timeout: key(
    duration(1, "4h"),
    "how long your answer is waited for",
    DEFAULTS.agent.approval_timeout,
  ),
  on_approval_timeout: key(
    oneOf("pause", "deny"),
    "then `pause` the job until you resume it, when it asks again, or `deny` the call",
    DEFAULTS.agent.on_approval_timeout,
  ),
  allowed_tools: key(
    listOf(text("Bash"), "[Bash, Edit]"),
    'tools and rules that need no permission: `Bash`, `"Bash(npm test:*)"`',
    [],
  ),
  denied_tools: key(listOf(text("WebFetch"), "[WebFetch]"), "tools that it cannot use", []),
  max_turns: key(wholeNumber(1, 200), "Claude Code's own limit; a job that reaches it pauses"),
  mcp_servers: key(mcpServers, "your own MCP servers, as in Claude Code's configuration", {}),
  env: key(
    mapOf(secretText, '{ CI: "1" }'),
    "added to the environment of the agent and everything that it runs",
    {},
  ),
  executable: key(
    path("~/.local/bin/claude"),
    "your own `claude`, instead of the one that comes with Baton, or on your PATH with `claude-cli`",
  ),
  context_window: key(
    wholeNumber(1000, 200_000),
    "in tokens; used only if neither Claude Code nor Baton knows the model's window",
  ),
  working_directory: key(workingDirectory, "where it works; the same as `{ root: ./project }`", "."),
  docker: key(
    part("docker", docker),
    "the container that the agent's program, and all that it starts, runs in",
  ),
  workspace: key(
    part("workspace", section(workspaceKeys, "{ strategy: git_worktree }", homeOf)),
    "the folder that a job works in",
  ),
  session: key(
    part("session", section(sessionKeys, "{ context_threshold: 0.10 }", homeOf)),
    "when a session ends and the next one takes over",
  ),
  handoff: key(
    part("handoff", section(handoffKeys, "{ threshold: 70 }", homeOf)),
    "the document that passes from one session to the next",
  ),
  hooks: key(
    part("hooks", section(hookPoints, "{ after_run: [{ type: shell, command: ./notify.sh }] }", homeOf)),
    "what runs at certain points of a job",
  ),
  notify: key(notify, "how you are notified of what happens"),
  default_prompt: key(
    text("Look for failing tests, and fix them."),
    "what `baton trigger` asks it to do if you give no prompt",
  ),
  schedules: key(schedules, "when `baton start` starts jobs of it by itself, by names of yours", {}),
  work_source: key(
    workSource,
    "the tracker that it [takes work from](work-sources.md) whenever it has a slot, or what its schedules with a `work_source` have in common",
  ),
  chat: key(part("chat", chat), "where people talk with it, see [chat services](chat-services.md)"),
  instances: key(part("instances", instances), "how many of its jobs may run at once"),
  limits: key(part("limits", section(limitKeys, "{ cost_usd: 20 }", homeOf)), "what a job may use"),
  prices: key(
    prices,
    "what models cost you, by name, if it differs from the list prices; used for estimates and `economical`",
    {},
  ),
};

export const name = key(
  formed(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    "letters, digits, - _ and ., beginning with a letter or digit",
    "coder",
  ),
  "what it is called",
);

/** All that can be said about an agent but its name. */
export const defaults = withOneThreshold(section(agentKeys, "{ model: claude-sonnet-4-5 }", homeOf));

/** All that can be said about an agent. `home` says where other keys belong. */
export function agentWith(home: (key: string) => string | undefined) {
  return withOneThreshold(section({ name, ...agentKeys }, "{ name: coder }", home));
}

export const agent = agentWith(homeOf);

export type AgentLayer = ValueOf<typeof agent>;

function withOneThreshold<T>(reader: Reader<T>): Reader<T> {
  return {
    ...reader,
    schema: { ...reader.schema, ...onlyOneThreshold },
    read(spot, report) {
      refuseSecondThreshold(spot, report);
      return reader.read(spot, report);
    },
  };
}

/** Says where a key belongs that stands in the wrong place. */
export function homeOf(key: string): string | undefined {
  if (key === "<<") return 'merge keys are not read: put what agents share in "defaults"';
  if (["agents", "defaults", "maintenance", "fleet", "budgets", "web", "webhooks"].includes(key)) {
    return `"${key}" belongs at the top of baton.yaml`;
  }
  if (key === "projects") return '"projects" belongs in your own file for all projects';
  if (key === "maximums")
    return '"maximums" belongs in your own file for all projects: no project can set them';
  if (key === "name") return '"name" belongs in an agent';
  if (Object.hasOwn(sessionKeys, key)) return `"${key}" belongs in "session"`;
  if (Object.hasOwn(handoffKeys, key)) return `"${key}" belongs in "handoff"`;
  if (Object.hasOwn(workspaceKeys, key)) return `"${key}" belongs in "workspace"`;
  if (Object.hasOwn(hookPoints, key)) return `"${key}" belongs in "hooks"`;
  if (Object.hasOwn(limitKeys, key)) return `"${key}" belongs in "limits"`;
  if (Object.hasOwn(agentKeys, key)) return `"${key}" belongs in an agent, or in "defaults"`;
  if (Object.hasOwn(notifyKeys, key)) return `"${key}" belongs in "notify"`;
  return undefined;
}
