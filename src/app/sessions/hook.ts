import { hookOutput } from "../../agents/claude/own/hook-answer.ts";
import { hookInput, isHookEvent } from "../../agents/claude/own/hook-input.ts";
import { CONFIG_LIMITS } from "../../config/limits.ts";
import { isOfJob } from "../../processes/inside-job.ts";
import { type HookWorld, runHook } from "../../sessions/hooks/run.ts";
import { userRegistry } from "../../sessions/record/registry.ts";

/** Nothing went wrong in a session: a person tried the command. */
export class CalledByHandError extends Error {
  override readonly name = "CalledByHandError";

  constructor() {
    super("Claude Code calls `baton hook` and tells it about the session. By hand: `baton status`.");
  }
}

interface HookCall {
  event: string | undefined;
  /** What the program tells. Undefined where nobody could have told anything. */
  input: () => string | undefined;
  /** Puts down what went wrong and stopped nothing. */
  log: (message: string) => Promise<void>;
  /** It takes up to this many milliseconds more. */
  mayTake: (ms: number) => void;
}

/**
 * Answers one hook of a person's session with what its program is to read, if anything. It is called at every step of
 * theirs, so what is slow to load is loaded only where there is no way around it.
 */
export async function answerHook({
  event,
  input: read,
  log,
  mayTake,
}: HookCall): Promise<string | undefined> {
  if (isOfJob(process.env)) return undefined;
  const given = read();
  if (given === undefined) throw new CalledByHandError();
  if (!isHookEvent(event)) {
    await log("there is no such hook. Install the plugin again: baton install claude-code");
    return undefined;
  }
  const input = hookInput(event, given);
  if (!input) {
    await log("was given what Claude Code does not send");
    return undefined;
  }
  const answer = await runHook(input, world(log, mayTake));
  return answer && Object.keys(answer).length > 0 ? hookOutput(event, answer) : undefined;
}

/** Puts down why a hook did nothing. */
export async function logHook(message: string): Promise<void> {
  const log = await import("../../sessions/hooks/log.ts");
  log.logHook(log.hookLogPath(), message);
}

function world(log: HookWorld["log"], mayTake: HookWorld["mayTake"]): HookWorld {
  return {
    registry: userRegistry(),
    env: process.env,
    projectOf: async (cwd) => (await import("../project.ts")).findProject({}, cwd).root,
    configOf: async (project) => {
      const { configOf, findProject } = await import("../project.ts");
      return configOf(findProject({}, project), { most: CONFIG_LIMITS.hookBytes });
    },
    program: async () =>
      (await import("../../agents/claude/own/program-process.ts")).programProcess(process.env),
    startCycle: async (session) => (await import("./start-beside.ts")).startBeside("cycle", session),
    writeFromFacts: async (session, when) => {
      if (when === "beside") (await import("./start-beside.ts")).startBeside("facts", session);
      else await (await import("./from-facts.ts")).writeFromFacts(session, { tell: false });
    },
    withFullName: async (prompt) => {
      if (!prompt.startsWith("/")) return prompt;
      const [{ withFullName }, { ownEnvironment }] = await Promise.all([
        import("../../agents/claude/own/short-commands.ts"),
        import("../../agents/own-environment.ts"),
      ]);
      return withFullName(prompt, ownEnvironment());
    },
    orchestratorSkill: async () => (await import("../plugin/folder.ts")).orchestratorSkill(),
    mayTake,
    log,
  };
}
