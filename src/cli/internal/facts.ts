import { writeFromFacts } from "../../app/sessions/from-facts.ts";
import { logHook } from "../../app/sessions/hook.ts";
import { UsageError } from "../../app/usage-error.ts";
import { print, printJson } from "../../display/print.ts";
import { messageOf } from "../../util/errors.ts";
import { EXIT } from "../exit.ts";

/** What a hook starts where the agent was asked and did not hand over. Nobody sees its output: a failure goes to the log. */
export async function internalFacts(id: string, { json = false }: { json?: boolean }): Promise<number> {
  try {
    const stored = await writeFromFacts(id, { tell: true });
    if (json) printJson(stored ?? null);
    else
      print(stored ? `Handoff ${stored.number} is in ${stored.documentPath}.` : "There is nothing to write.");
    return EXIT.completed;
  } catch (error) {
    // Of a session that nobody knows: somebody typed it, and reads the answer.
    if (!(error instanceof UsageError)) await logHook(`facts: ${messageOf(error)}`);
    throw error;
  }
}
