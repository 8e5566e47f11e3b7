/**
 * With its compaction off, the program refuses every request from 23,000 tokens below the window's end: a session that
 * hands off at 90 % could then no longer be asked for its account. The API itself draws the line.
 */
export const WHOLE_WINDOW = { CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE: "100000000" };

/** Who starts the program. */
export const CLIENT = { CLAUDE_AGENT_SDK_CLIENT_APP: "baton" };
