import type { PermissionMode } from "../config.ts";

/**
 * What Baton can do with a program, as its adapter declares it. A key that asks for what is not there is refused before
 * anything starts, and `docs/agents.md` shows the rest.
 */
export interface Abilities {
  /** What is driven, in words. */
  drives: string;
  /**
   * `exact`: a turn ends after its tools, before the next request, whatever the model does meanwhile. `before a tool`: the model may
   * have answered by then, but none of its calls begins. `by event`: one of them may have begun, and is stopped with the turn.
   */
  boundary: "exact" | "before a tool" | "by event";
  /** Baton's own tools can be offered to it. */
  ownTools: boolean;
  /**
   * `each response`: by class of token. `the window alone`: how full it is, after each response. What is told less often, or not at
   * all, is estimated in between.
   */
  usage: "each response" | "the window alone" | "each turn" | "estimated";
  /** `told`: by the program. `list`: Baton knows prices of its models. */
  cost: "told" | "list" | "unknown";
  /** Where only these have a known price. */
  pricedModels?: readonly string[];
  /** A session whose program has ended can be continued. */
  resume: boolean;
  /** Baton chooses the id of a session. Otherwise it is on record before the first work. */
  mintedId: boolean;
  /** `allowed_tools` and `denied_tools`: as rules, or `by name`, a tool with all that it can do. */
  toolRules: boolean | "by name";
  permissionModes: readonly PermissionMode[];
  /** A person can be asked about a call that the rules do not allow. */
  permissionQuestions: boolean;
  systemPrompt: boolean;
  maxTurns: boolean;
  /** `stdio, http`: none that speaks SSE, and when their tools are shown to the model is the program's matter. */
  mcpServers: boolean | "stdio, http";
  /** Its own compaction can be on or off, as the user wants. */
  compaction: boolean;
  /** What it says about a usage limit. */
  limits: "with reset times" | "without reset times";
  /** Files with instructions for agents, such as AGENTS.md: the first that is there in a folder, the program reads by itself. */
  instructions: readonly string[];
  /** It can run in a container. */
  containers: boolean;
  /** What subagents use is told apart. */
  subagents: boolean;
  /** Commands in the background are told of. */
  background: boolean;
}
