import { type StatusInput, statusInput } from "../../agents/claude/own/status-input.ts";
import { userRegistry } from "../../sessions/record/registry.ts";
import type { OwnSession } from "../../sessions/record/session.ts";

export { handoffInWords } from "../../sessions/record/handoff-words.ts";
export type { StatusInput };

/** What an agent program tells its status line, and what is on record of the session that it tells of. */
export async function statusOf(
  input: string,
): Promise<{ told: StatusInput; session: OwnSession | undefined }> {
  const told = statusInput(input);
  return { told, session: told.session === undefined ? undefined : await userRegistry().find(told.session) };
}
