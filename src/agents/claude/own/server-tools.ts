/** With a tool of an MCP server: Claude Code has it in the prompt from the start, and need not search for it. */
export const ALWAYS_LOADED = { "anthropic/alwaysLoad": true };
