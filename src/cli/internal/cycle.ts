import { cycleBehind } from "../../app/sessions/cycle.ts";
import { print, printJson } from "../../display/print.ts";
import type { Ending } from "../../sessions/handoff/cycle.ts";
import { given } from "../../util/given.ts";
import { EXIT } from "../exit.ts";

export interface CycleCommandOptions {
  json?: boolean;
  promptLimit?: number;
  hookLimit?: number;
  takeUpLimit?: number;
}

/** What the hook of a session's stop starts once the handoff is stored. By hand after a crash: it goes on. */
export async function internalCycle(id: string, options: CycleCommandOptions): Promise<number> {
  const { promptLimit: promptMs, hookLimit: hookMs, takeUpLimit: takeUpMs } = options;
  const limits = given({ promptMs, hookMs, takeUpMs });
  const ending = await cycleBehind(id, limits);
  if (options.json) printJson(ending);
  else print(said(ending));
  return ending.outcome === "failed" ? EXIT.failed : EXIT.completed;
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
