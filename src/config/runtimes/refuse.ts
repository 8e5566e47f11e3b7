import type { Problem } from "../error.ts";
import type { AgentLayer } from "../keys/agent.ts";
import { entryOf } from "../reader/reader.ts";
import { alternatives } from "../reader/values.ts";
import { placeOf } from "../yaml/source.ts";
import type { Entry, Located } from "../yaml/tree.ts";
import type { Abilities } from "./abilities.ts";
import { boxRefusals } from "./refuse-box.ts";
import { abilitiesOf, RUNTIMES, type Runtime } from "./runtimes.ts";

export interface Refusal {
  /** Of the key, from the agent on. */
  path: readonly [string, ...string[]];
  because: string;
  fix: string;
}

/**
 * What an agent is told and its runtime cannot honour, at the place where it is written. `written`: what holds for it, the
 * lowest last. What was chosen for the job at hand stands in none of them.
 */
export function unhonoured(agent: {
  name: string;
  runtime: Runtime;
  layer: AgentLayer;
  written: readonly Located[];
  file: string;
  /** `command` is written, and nobody has agreed to it yet. */
  isCommandWithheld?: boolean;
}): Problem[] {
  const { name, runtime, layer, written, file, isCommandWithheld = false } = agent;
  // What its program can do is not known before.
  if (runtime === "acp" && layer.command === undefined && isCommandWithheld) return [];
  const refusals = [
    ...aboutCommand(runtime, layer),
    ...refusalsOf(runtime, abilitiesOf(runtime, layer.command), layer),
  ];
  return refusals.map(({ path, because, fix }) => {
    const at = written.map((value) => entryAt(value, path)).find(Boolean);
    const message = `${path.join(".")} of agent "${name}" cannot be honoured: ${because}`;
    return { ...(at ? placeOf(at.keySpan) : { file }), message, fix };
  });
}

const COMMAND = "command: opencode, or command: [my-agent, --acp]";

/** One runtime needs to be told what to start, and no other can be. */
function aboutCommand(runtime: Runtime, { command }: AgentLayer): Refusal[] {
  if (runtime === "acp" && command === undefined) {
    const because = "runtime acp runs whatever program speaks the protocol, and command does not say which";
    return [{ path: ["runtime"], because, fix: `add ${COMMAND}` }];
  }
  if (runtime === "acp" || command === undefined) return [];
  const because = `runtime ${runtime} starts its own program`;
  return [{ path: ["command"], because, fix: "leave it out, use executable, or add runtime: acp" }];
}

/** What is asked for, and cannot be. */
export function refusalsOf(runtime: Runtime, can: Abilities, layer: AgentLayer): Refusal[] {
  const { permission_mode: mode, limits = {}, session = {} } = layer;
  const leave = `leave it out, or run the agent on another runtime: ${othersThan(runtime)}`;
  const unknown = (key: string, what: string): Refusal => ({
    path: [key],
    because: `runtime ${runtime} has no ${what}`,
    fix: leave,
  });
  const refusals: (Refusal | false)[] = [
    !can.toolRules && layer.allowed_tools !== undefined && unknown("allowed_tools", "rules for single tools"),
    !can.toolRules && layer.denied_tools !== undefined && unknown("denied_tools", "rules for single tools"),
    ...(can.toolRules === "by name" ? rulesBeyondNames(runtime, layer) : []),
    !can.systemPrompt && layer.system_prompt !== undefined && unknown("system_prompt", "place for one"),
    !can.maxTurns && layer.max_turns !== undefined && unknown("max_turns", "such limit; use limits.turns"),
    !can.mcpServers && layer.mcp_servers !== undefined && unknown("mcp_servers", "way to be given servers"),
    mode !== undefined &&
      !can.permissionModes.includes(mode) && {
        path: ["permission_mode"],
        because: `runtime ${runtime} does not know ${mode}`,
        fix:
          can.permissionModes.length > 0
            ? `use ${alternatives(can.permissionModes)}, or leave it out`
            : leave,
      },
    ...aboutPrompts(runtime, can, layer),
    limits.cost_usd !== undefined &&
      !knowsCost(can, layer) && {
        path: ["limits", "cost_usd"],
        because: whyNoCost(runtime, can, layer),
        fix:
          can.usage === "each response"
            ? `${knownModel(can)}say what its models cost in prices, or limit turns or duration instead`
            : "limit turns or duration instead",
      },
    session.auto_compact !== undefined &&
      !can.compaction && {
        path: ["session", "auto_compact"],
        because: `runtime ${runtime} cannot be told whether to compact`,
        fix: leave,
      },
    session.mode === "persistent" &&
      !can.resume && {
        path: ["session", "mode"],
        because: `runtime ${runtime} cannot continue a session whose program has ended`,
        fix: "use fresh",
      },
    ...(can.mcpServers === "stdio, http" ? serversBeyond(runtime, layer) : []),
  ];
  return [...refusals.filter((refusal) => refusal !== false), ...boxRefusals(runtime, can, layer)];
}

/** Modes under which a program asks nothing: all is allowed, or all that is not is denied. */
const NEVER_ASKS = ["bypassPermissions", "dontAsk"];

function aboutPrompts(runtime: Runtime, can: Abilities, layer: AgentLayer): Refusal[] {
  const { permission_prompts: prompts, permission_mode: mode } = layer;
  if (prompts !== "ask") return [];
  if (!can.permissionQuestions) {
    const because = `runtime ${runtime} asks nobody: whatever the model calls, runs`;
    return [{ path: ["permission_prompts"], because, fix: `leave it out, or use ${asking()}` }];
  }
  if (mode === undefined || !NEVER_ASKS.includes(mode)) return [];
  const because = `with permission_mode ${mode} the agent never asks`;
  return [{ path: ["permission_prompts"], because, fix: "leave it out, or use permission_mode: default" }];
}

function asking(): string {
  const can = Object.entries(RUNTIMES).filter(([, { permissionQuestions }]) => permissionQuestions);
  return alternatives(can.map(([name]) => name));
}

/** A rule such as `Bash(git push:*)`, where only a whole tool can be allowed or denied. */
function rulesBeyondNames(runtime: Runtime, layer: AgentLayer): Refusal[] {
  return (["allowed_tools", "denied_tools"] as const).flatMap((key) => {
    const rule = layer[key]?.find((each) => !/^[a-z][\w-]*$/.test(each));
    if (rule === undefined) return [];
    const because = `runtime ${runtime} knows tools by their names alone, and "${rule}" is none`;
    const fix = `name whole tools as ${runtime} does, such as bash, read or write, or leave it out`;
    return [{ path: [key], because, fix }];
  });
}

/** What a server is told to be, and a program that has its own way with servers does not know. */
function serversBeyond(runtime: Runtime, { mcp_servers: servers = {} }: AgentLayer): Refusal[] {
  return Object.entries(servers).flatMap(([name, server]): Refusal[] => [
    ...(server.type === "sse"
      ? [
          {
            path: ["mcp_servers", name, "type"],
            because: `runtime ${runtime} does not speak SSE`,
            fix: "use its address for http, with type: http, or leave the server out",
          } as const,
        ]
      : []),
    ...(server.alwaysLoad !== undefined
      ? [
          {
            path: ["mcp_servers", name, "alwaysLoad"],
            because: `runtime ${runtime} decides by itself when it shows tools to the model`,
            fix: "leave it out",
          } as const,
        ]
      : []),
  ]);
}

function knownModel({ pricedModels }: Abilities): string {
  return pricedModels ? `choose a model with a known price, such as ${pricedModels.at(-1)}, ` : "";
}

function whyNoCost(runtime: Runtime, { pricedModels }: Abilities, { model }: AgentLayer): string {
  if (!pricedModels) return `runtime ${runtime} does not tell what it costs, so no such limit could hold`;
  const which = model === undefined ? "that it chooses by itself" : `"${model}"`;
  return `the price of the model ${which} is not known, and runtime ${runtime} does not tell what it costs`;
}

/** Whether a limit in dollars can hold. */
export function knowsCost(
  can: Abilities,
  { prices = {}, model }: Pick<AgentLayer, "prices" | "model">,
): boolean {
  if (can.cost === "told" || (can.cost === "list" && !can.pricedModels)) return true;
  if (model !== undefined && can.pricedModels?.includes(model)) return true;
  return can.usage === "each response" && Object.keys(prices).length > 0;
}

function othersThan(runtime: Runtime): string {
  const others = Object.keys(RUNTIMES).filter((other) => other !== runtime);
  return others.length > 0 ? alternatives(others) : "claude";
}

function entryAt(value: Located, path: readonly string[]): Entry | undefined {
  const [key = "", ...rest] = path;
  const entry = entryOf(value, key);
  return entry && rest.length > 0 ? entryAt(entry.value, rest) : entry;
}
