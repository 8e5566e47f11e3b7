import { type StatusInput, statusInput } from "../../agents/claude/own/status-input.ts";
import { userRegistry } from "../../sessions/record/registry.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { needYouAtAGlance } from "../glance.ts";
import { findProject } from "../project.ts";

export { handoffInWords } from "../../sessions/record/handoff-words.ts";
export type { StatusInput };

/** What an agent program tells its status line, and what is on record of the session that it tells of. */
export async function statusOf(
  input: string,
): Promise<{ told: StatusInput; session: OwnSession | undefined; needYou: number }> {
  const told = statusInput(input);
  const session = told.session === undefined ? undefined : await userRegistry().find(told.session);
  // A store that is being made, or is too old, is no reason for a line with nothing on it.
  const needYou = await needYouAtAGlance(findProject({}), new Date()).catch(() => 0);
  return { told, session, needYou };
}
