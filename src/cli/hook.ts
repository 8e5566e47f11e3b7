import { hookOutput } from "../agents/claude/own/hook-answer.ts";
import { hookInput, isHookEvent } from "../agents/claude/own/hook-input.ts";
import { isOfJob } from "../processes/inside-job.ts";
import { type HookWorld, runHook } from "../sessions/hooks/run.ts";
import { userRegistry } from "../sessions/record/registry.ts";
import { messageOf } from "../util/errors.ts";

// Imported by name, files bring their promises along, which takes a hook longer than all it does.
const { fstatSync, readFileSync, writeSync } = process.getBuiltinModule("node:fs");

const INPUT = 0;
const OUTPUT = 1;
/** A session waits for its hooks. The start may take longer: it reads the configuration, and a document perhaps. */
const LIMIT_MS = 2_000;
const START_LIMIT_MS = 5_000;

type Log = HookWorld["log"];

/**
 * Answers one hook of Claude Code. Whatever goes wrong ends in the log and not in a person's session: it goes on as if
 * there were no hook.
 */
export async function hook(event: string | undefined): Promise<number> {
  const log = async (message: string) => {
    const { hookLogPath, logHook } = await import("../sessions/hooks/log.ts");
    logHook(hookLogPath(), `${event}: ${message}`);
  };
  const limit = event === "SessionStart" ? START_LIMIT_MS : LIMIT_MS;
  const timer = setTimeout(async () => {
    await log(`gave up after ${limit / 1000} seconds`);
    process.exit(0);
  }, limit);
  try {
    await respond(event, log);
  } catch (error) {
    await log(messageOf(error));
  }
  clearTimeout(timer);
  return 0;
}

async function respond(event: string | undefined, log: Log): Promise<void> {
  if (isOfJob(process.env)) return;
  if (!isHookEvent(event))
    return log("there is no such hook. Install the plugin again: baton install claude-code");
  if (fstatSync(INPUT).isCharacterDevice()) return log("was called without input: it is for Claude Code");
  const input = hookInput(event, readFileSync(INPUT, "utf8"));
  if (!input) return log("was given what Claude Code does not send");
  const answer = await runHook(input, world(log));
  if (answer && Object.keys(answer).length > 0) writeSync(OUTPUT, hookOutput(event, answer));
}

function world(log: Log): HookWorld {
  return {
    registry: userRegistry(),
    env: process.env,
    projectOf: async (cwd) => (await import("../app/project.ts")).findProject({}, cwd).root,
    configOf: async (project) => {
      const { configOf, findProject } = await import("../app/project.ts");
      return configOf(findProject({}, project));
    },
    program: async () =>
      (await import("../agents/claude/own/program-process.ts")).programProcess(process.env),
    startCycle: async (session) => (await import("../app/start-cycle.ts")).startCycle(session),
    orchestratorSkill: async () => (await import("../app/plugin-folder.ts")).orchestratorSkill(),
    log,
  };
}
