import { answerHook, CalledByHandError, logHook } from "../app/sessions/hook.ts";
import { messageOf } from "../util/errors.ts";
import { inputText } from "./input.ts";

// Imported by name, files bring their promises along, which takes a hook longer than all it does.
const { fstatSync, writeSync } = process.getBuiltinModule("node:fs");

const INPUT = 0;
const OUTPUT = 1;
const ERRORS = 2;
/** A session waits for its hooks. The start may take longer: it reads the configuration, and a document perhaps. */
const LIMIT_MS = 2_000;
const START_LIMIT_MS = 5_000;
/** A compaction takes as long as a model takes to write a summary, and what it loses is written down first. */
const COMPACT_LIMIT_MS = 25_000;

/**
 * Answers one hook of Claude Code. Whatever goes wrong ends in the log and not in a person's session: it goes on as if
 * there were no hook.
 */
export async function hook(event: string | undefined): Promise<number> {
  const log = (message: string) => logHook(`${event}: ${message}`);
  let timer: NodeJS.Timeout | undefined;
  const mayTake = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      await log(`gave up after ${ms / 1000} seconds`);
      process.exit(0);
    }, ms);
  };
  mayTake(limitOf(event));
  try {
    const output = await answerHook({ event, input, log, mayTake });
    if (output !== undefined) writeSync(OUTPUT, output);
  } catch (error) {
    if (error instanceof CalledByHandError) return refused(error);
    await log(messageOf(error));
  } finally {
    clearTimeout(timer);
  }
  return 0;
}

function refused({ message }: CalledByHandError): number {
  writeSync(ERRORS, `baton: ${message}\n`);
  return 2;
}

function limitOf(event: string | undefined): number {
  if (event === "PreCompact") return COMPACT_LIMIT_MS;
  return event === "SessionStart" ? START_LIMIT_MS : LIMIT_MS;
}

function input(): string | undefined {
  return fstatSync(INPUT).isCharacterDevice() ? undefined : inputText();
}
