import type { PermissionRequestHookInput, PreToolUseHookInput } from "@anthropic-ai/claude-agent-sdk";

/** Which call a question about a permission is about: the program names its tool and input there, and not its id. */
export class CallIds {
  readonly #open = new Map<string, string>();

  called({ tool_use_id: id, tool_name: name, tool_input: input }: PreToolUseHookInput): void {
    this.#open.set(id, keyOf(name, input));
  }

  /** The last of those that look the same. */
  of({ tool_name: name, tool_input: input }: PermissionRequestHookInput): string | undefined {
    const key = keyOf(name, input);
    return [...this.#open].findLast(([, open]) => open === key)?.[0];
  }

  ended(id: string): void {
    this.#open.delete(id);
  }
}

function keyOf(name: string, input: unknown): string {
  return `${name} ${JSON.stringify(input)}`;
}
