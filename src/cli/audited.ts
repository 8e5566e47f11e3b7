import type { Command } from "commander";
import type { BegunDeed } from "../app/access/audit.ts";
import { messageOf } from "../util/errors.ts";

/**
 * Commands that change something, and how many of their words say on what: the others may be anybody's text. Those that start
 * jobs name them by `deedIsOn`. What changes tokens and trust records itself, wherever it is asked for.
 */
export const CHANGES: Readonly<Record<string, number>> = {
  ...{ run: 0, chat: 0, resume: 0, continue: 0, retry: 1, fork: 1, trigger: 1 },
  ...{ cancel: 1, send: 1, pause: 1, forget: 1, handoff: 1, restore: 1 },
  ...{ approve: 1, deny: 1, answer: 1, "inbox done": 1 },
  ...{ start: 0, stop: 0, reload: 0, halt: 0, unhalt: 0, maintain: 0 },
  ...{ "queue pause": 1, "queue resume": 1, "queue move": 1 },
  ...{ "schedules run": 2, "schedules pause": 2, "schedules resume": 2 },
  ...{ "work claim": 1, "work release": 1, "work ignore": 1 },
  ...{ "handoff dismiss": 1, "handoff archive": 1, "service install": 0, "service uninstall": 0 },
  ...{ install: 0, uninstall: 0 },
};

/** With one of these they change nothing. */
const ONLY_SAY: readonly string[] = ["dryRun", "list", "print"];

/** Of these the agent's program starts up first, which does nothing before it is told something: they call `deedBegins`. */
const BEGIN_BY_THEMSELVES: ReadonlySet<string> = new Set(["run"]);

interface Wanted {
  what: string;
  target: string;
  options: Options;
}

interface Options {
  config?: string;
}

/** What the command line of this process is asked to do, until that is on record. */
let wanted: Wanted | undefined;
/** What it is doing. */
let begun: BegunDeed | undefined;
let isNamed = false;
let called: Options = {};

/** Puts a command that changes something on the audit trail. */
export async function beginDeed(command: Command): Promise<void> {
  begun = undefined;
  wanted = undefined;
  const what = nameOf(command);
  const words = CHANGES[what];
  const options = command.optsWithGlobals();
  called = options;
  if (words === undefined || ONLY_SAY.some((option) => options[option] === true)) return;
  // The process that then runs records it.
  if (what === "start" && options.detach) return;
  const target = command.args.slice(0, words).join(" ").slice(0, 200);
  isNamed = target !== "";
  wanted = { what, target, options };
  if (!BEGIN_BY_THEMSELVES.has(what)) await deedBegins();
}

/** Before anything is done. `job`: what it is about, where that is known by now and its words do not say it. */
export async function deedBegins(job?: string): Promise<void> {
  if (!wanted) return;
  const { what, target, options } = wanted;
  wanted = undefined;
  // No other command pays for what these load.
  const [{ auditHere }, project] = await Promise.all([import("../app/access/audit.ts"), rootOf(options)]);
  const on = isNamed ? target : job;
  begun = await auditHere({
    what,
    ...(on !== undefined && { target: on }),
    ...(project !== undefined && { project }),
  });
}

/** The job that the command turned out to be about, where its words do not say that. */
export function deedIsOn(job: string): void {
  if (!isNamed) begun?.isOn(job);
}

/** What became of it. */
export async function endDeed(error?: unknown): Promise<void> {
  // One that was refused before it began.
  await deedBegins();
  const deed = begun;
  begun = undefined;
  const code = process.exitCode ?? 0;
  if (error !== undefined) deed?.end(`refused: ${messageOf(error)}`);
  else deed?.end(code === 0 ? "done" : `exit code ${code}`);
}

/** What somebody does while the command runs, on its terminal: each is on record as the command of that name would be. */
export async function deedMeanwhile<T>(
  deed: { what: string; target: string },
  work: () => Promise<T>,
): Promise<T> {
  const [{ audited }, project] = await Promise.all([import("../app/access/audit.ts"), rootOf(called)]);
  return audited({ ...deed, ...(project !== undefined && { project }) }, work);
}

function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

async function rootOf(options: Options): Promise<string | undefined> {
  const { findProject } = await import("../app/project.ts");
  try {
    return findProject(options).root;
  } catch {
    return undefined;
  }
}
