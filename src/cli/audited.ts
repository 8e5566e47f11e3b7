import type { Command } from "commander";
import { findProject } from "../app/project.ts";
import { messageOf } from "../util/errors.ts";

/**
 * Commands that change something, and how many of their words say on what: the others may be anybody's text. Those that start
 * jobs here are in the journal of the job, and those about tokens and trust record themselves.
 */
const CHANGES: Readonly<Record<string, number>> = {
  ...{ cancel: 1, send: 1, pause: 1, retry: 1, fork: 1, forget: 1, handoff: 1, restore: 1 },
  ...{ approve: 1, deny: 1, answer: 1, "inbox done": 1 },
  ...{ stop: 0, reload: 0, halt: 0, unhalt: 0, maintain: 0, trigger: 1 },
  ...{ "queue pause": 1, "queue resume": 1, "queue move": 1 },
  ...{ "schedules run": 2, "schedules pause": 2, "schedules resume": 2 },
  ...{ "handoff dismiss": 1, "handoff archive": 1, "service install": 0, "service uninstall": 0 },
};

/** What is about to be done by a command line, by its program. */
const begun = new WeakMap<Command, (outcome: string) => void>();

/** Puts a command that changes something on the audit trail. */
export async function beginDeed(baton: Command, called: Command): Promise<void> {
  const what = nameOf(called);
  const words = CHANGES[what];
  if (words === undefined) return;
  const target = called.args.slice(0, words).join(" ").slice(0, 200);
  const project = rootOf(called.optsWithGlobals());
  // No other command pays for what it loads.
  const { auditHere } = await import("../app/access/audit.ts");
  begun.set(
    baton,
    await auditHere({ what, ...(target !== "" && { target }), ...(project !== undefined && { project }) }),
  );
}

/** What became of it. */
export function endDeed(baton: Command, error?: unknown): void {
  const end = begun.get(baton);
  begun.delete(baton);
  const code = process.exitCode ?? 0;
  if (error !== undefined) end?.(`refused: ${messageOf(error)}`);
  else end?.(code === 0 ? "done" : `exit code ${code}`);
}

function nameOf(called: Command): string {
  const { parent } = called;
  return parent?.parent ? `${nameOf(parent)} ${called.name()}` : called.name();
}

function rootOf(options: { config?: string }): string | undefined {
  try {
    return findProject(options).root;
  } catch {
    return undefined;
  }
}
