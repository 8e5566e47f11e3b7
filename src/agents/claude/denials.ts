import type { PermissionUpdate, SDKMessage, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import type { AgentEvent, Grant } from "../events.ts";
import { aboutCall, kindOfTool } from "./tools.ts";
import { ruleText } from "./vocabulary.ts";

type Denied = Extract<AgentEvent, { type: "tool:denied" }>;
type PermissionDenied = Extract<SDKMessage, { subtype: "permission_denied" }>;

/** Calls that were not made, each told once, with what would have allowed it. */
export class Denials {
  readonly #told = new Set<string>();
  readonly #refused = new Map<string, string>();
  readonly #calls = new Map<string, string>();
  readonly #asked = new Map<string, Grant>();

  called(id: string, input: unknown): void {
    this.#calls.set(id, aboutCall(input));
  }

  ended(id: string): void {
    this.#calls.delete(id);
    this.#asked.delete(id);
  }

  /** The program would ask about this call, and says what a yes for good could be. */
  asked(id: string, name: string, suggestions: readonly PermissionUpdate[], cwd: string): void {
    this.#asked.set(id, grantFor(name, suggestions, cwd));
  }

  /** A person said no to this call. */
  refused(id: string, message: string): void {
    this.#refused.set(id, message);
  }

  /** The call was cut off while somebody was asked about it: nobody denied it. */
  cutOff(id: string): void {
    this.#told.add(id);
  }

  denied({ tool_use_id: id, tool_name: name, message, decision_reason_type: why }: PermissionDenied): Denied {
    this.#told.add(id);
    const allow =
      this.#asked.get(id) ?? (why !== undefined && BY_MODE.has(why) ? { tools: [name] } : undefined);
    const about = this.#calls.get(id) ?? "";
    return { type: "tool:denied", id, name, about, message, ...(allow && { allow }) };
  }

  *atEnd({ permission_denials }: SDKResultMessage): Generator<Denied> {
    for (const { tool_use_id: id, tool_name: name, tool_input: input } of permission_denials) {
      if (this.#told.has(id)) continue;
      this.#told.add(id);
      const refused = this.#refused.get(id);
      const message = refused ?? "denied by the permission mode or rules of this session";
      const byPerson = refused === undefined ? {} : { byPerson: true as const };
      yield { type: "tool:denied", id, name, about: aboutCall(input), message, ...byPerson };
    }
  }
}

/** Why the program denies what no rule forbids: a rule that allows it comes first. */
const BY_MODE = new Set(["mode", "classifier", "asyncAgent"]);

/** A longer rule is one command to the letter, and of no use for the next. */
const LONGEST_RULE = 100;

/** What the program would add to its settings after a yes for good, in the words of Baton's configuration. */
export function grantFor(name: string, suggestions: readonly PermissionUpdate[], cwd: string): Grant {
  const rules = suggestions.flatMap((one) => (one.type === "addRules" ? one.rules.map(ruleText) : []));
  if (rules.length > 0) return { tools: rules.map((rule) => (isHandy(rule) ? rule : name)) };
  const elsewhere = suggestions
    .flatMap((one) => (one.type === "addDirectories" ? one.directories : []))
    .filter((folder) => folder !== cwd);
  const kind = kindOfTool(name);
  if (elsewhere.length > 0 && (kind === "read" || kind === "write")) {
    const tool = kind === "read" ? "Read" : "Edit";
    return { tools: elsewhere.map((folder) => `${tool}(/${folder}/**)`) };
  }
  const mode = suggestions.find((one) => one.type === "setMode")?.mode;
  return mode !== undefined && elsewhere.length === 0 ? { mode } : { tools: [name] };
}

function isHandy(rule: string): boolean {
  return rule.length <= LONGEST_RULE && !/[\r\n]/.test(rule);
}
