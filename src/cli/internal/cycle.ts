import { cycleOf } from "../../app/cycle.ts";
import type { Ending } from "../../sessions/handoff/cycle.ts";
import { hookLogPath, logHook } from "../../sessions/hooks/log.ts";
import { note } from "../../sessions/record/mail.ts";
import { userRegistry } from "../../sessions/record/registry.ts";
import { announce } from "../../sessions/terminal/tmux.ts";
import { messageOf } from "../../util/errors.ts";
import { EXIT } from "../exit.ts";

export interface CycleCommandOptions {
  json?: boolean;
  promptLimit?: number;
  takeUpLimit?: number;
}

/** What the hook of a session's stop starts once the handoff is stored. By hand after a crash: it goes on. */
export async function internalCycle(id: string, options: CycleCommandOptions): Promise<number> {
  const { promptLimit: promptMs, takeUpLimit: takeUpMs } = options;
  const limits = { ...(promptMs !== undefined && { promptMs }), ...(takeUpMs !== undefined && { takeUpMs }) };
  const ending = await cycleOf(id, { limits }).catch(async (error: unknown) => {
    await tell(id, messageOf(error));
    throw error;
  });
  console.log(options.json ? JSON.stringify(ending) : said(ending));
  return ending.outcome === "failed" ? EXIT.failed : EXIT.completed;
}

/** A hook starts this behind a person's back: what goes wrong is put where they will see it. */
async function tell(id: string, why: string): Promise<void> {
  logHook(hookLogPath(), `cycle: ${why}`);
  const registry = userRegistry();
  const session = await registry.find(id);
  if (!session?.handoff) return;
  const text = `Handoff ${session.handoff.number} is stored, but it could not continue: ${why}`;
  const isSaid = session.mail.some((mail) => mail.text === text);
  if (!isSaid) await note(registry, id, text);
  if (session.pane) await announce(session.pane, `Baton: ${text}`);
}

function said(ending: Ending): string {
  switch (ending.outcome) {
    case "nothing":
      return "There is nothing to do.";
    case "busy":
      return "Another process is doing this.";
    case "taken-up":
      return `${ending.successor} continues${ending.note ? `; ${ending.note}` : ""}.`;
    case "pending":
    case "failed":
      return `It waits for you: ${ending.reason}.`;
  }
}
