import { isFields } from "../../util/json.ts";
import type { SessionSpec } from "../agent.ts";
import { textField } from "../call-input.ts";
import { claudeVocabulary } from "../claude/vocabulary.ts";
import type { AgentEvent, Grant } from "../events.ts";
import type { Fields } from "./rpc.ts";
import { type Call, isOwn, nameOf, startOf } from "./told/tools.ts";

const LOOKS: ReadonlySet<string> = new Set(["read", "search", "think"]);
const CHANGES: ReadonlySet<string> = new Set([...LOOKS, "edit", "move"]);

/** Answers what a program asks about its calls: by the rules of the session, and by a person where these leave it open. */
export class Permissions {
  readonly #spec: SessionSpec;
  readonly #tell: (event: AgentEvent) => void;
  /** What a person has allowed for good: for this session alone, because the user's settings are theirs to write. */
  readonly #always: Set<string>;
  #open = new AbortController();

  constructor(spec: SessionSpec, tell: (event: AgentEvent) => void) {
    this.#spec = spec;
    this.#tell = tell;
    this.#always = new Set(spec.allowedTools);
  }

  /** Nobody needs to be asked any more about what is open. */
  callOff(): void {
    this.#open.abort();
    this.#open = new AbortController();
  }

  /** `isOver`: the turn is ending, and no call begins any more. */
  async answer(call: Call | undefined, options: unknown, isOver: boolean): Promise<Fields> {
    const { permit } = this.#spec;
    if (!call || isOver) return CANCELLED;
    if (isAllowed(call, this.#spec) || this.#always.has(ruleFor(call))) return optionFor("yes", options);
    if (!permit) {
      this.#deny(call, "Baton denied it: the agent's permissions do not allow it.", {
        allow: grantFor(call),
      });
      return optionFor("no", options);
    }
    const { signal } = this.#open;
    const { id, name, about, input, does } = startOf(call, this.#spec.ownTools.names);
    // Some say in the content alone what they would write.
    const whole = {
      ...(isFields(input) ? input : { input }),
      ...(call.content.length > 0 && { content: call.content }),
    };
    // Only this one knows rules.
    const rule = call.claudeTool === undefined ? {} : { rule: ruleFor(call) };
    const said = await permit({ id, name, about, input: whole, does, ...rule }, signal);
    if (signal.aborted) return CANCELLED;
    if (said.answer === "no") {
      const message = said.because ? `The user said no: ${said.because}` : "The user said no.";
      this.#deny(call, message, { byPerson: true });
      return optionFor("no", options);
    }
    if (said.answer === "always") this.#always.add(ruleFor(call));
    return optionFor("yes", options);
  }

  #deny(call: Call, message: string, more: { allow: Grant } | { byPerson: true }): void {
    const { id, name, about } = startOf(call, this.#spec.ownTools.names);
    this.#tell({ type: "tool:denied", id, name, about, message, ...more });
  }
}

const CANCELLED: Fields = { outcome: { outcome: "cancelled" } };

/** Whether a call that the program asks about is allowed without anybody being asked. */
function isAllowed(call: Call, { permissionMode: mode, ownTools }: SessionSpec): boolean {
  if (isOwn(call, ownTools.names) || mode === "bypassPermissions") return true;
  if (mode === "acceptEdits") return CHANGES.has(call.kind);
  return (mode === undefined || mode === "default") && LOOKS.has(call.kind);
}

/** What would have allowed it. */
function grantFor(call: Call): Grant {
  if (CHANGES.has(call.kind)) return { mode: "acceptEdits" };
  if (call.claudeTool === undefined) return { mode: "bypassPermissions" };
  return { tools: [ruleFor(call)] };
}

/** As in `allowed_tools`, where the program knows such rules; otherwise the name of the tool. */
function ruleFor(call: Call): string {
  const { does } = startOf(call, []);
  const rules = call.claudeTool && does.kind === "command" ? claudeVocabulary.commandRules(does.command) : [];
  return rules[0] ?? nameOf(call);
}

/** The program's own option for a yes to this one call, or for a no. Where it offers none, the call is not made. */
function optionFor(answer: "yes" | "no", options: unknown): Fields {
  const kinds = answer === "yes" ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const offered = Array.isArray(options) ? options.filter(isFields) : [];
  const found = kinds
    .map((kind) => offered.find((option) => option.kind === kind))
    .find((option) => option !== undefined);
  const optionId = textField(found, "optionId");
  return optionId === undefined ? CANCELLED : { outcome: { outcome: "selected", optionId } };
}
