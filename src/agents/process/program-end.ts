import type { ChildProcess } from "node:child_process";
import { endMarked, sessionMark } from "../../processes/marks.ts";
import { endTraced, type Trace } from "../../processes/trace.ts";
import type { AgentEvent } from "../events.ts";
import type { StartedProgram } from "../started-program.ts";
import { within } from "./within.ts";

/** How long the program may take to end its turn, and to end by itself once its input is closed, before it is asked to. */
const TURN_GRACE_MS = 2_000;
const QUIT_GRACE_MS = 500;
/** How long it may take to end in all, before it is killed. */
const EXIT_GRACE_MS = 5_000;
/** How long its output may stay open after its end: something that it started may hold it. */
const OUTPUT_GRACE_MS = 1_000;

interface Ending {
  session: string;
  trace: Trace | undefined;
  program: StartedProgram | undefined;
  /** Undefined where no turn runs. Told to end, it resolves when it has. */
  endTurn: (() => Promise<void>) | undefined;
  endInput(): void;
  /** What is still to be heard of it is given up. */
  giveUp(): void;
}

/**
 * Ends a session's program in order, so that its transcript and its events are complete; in the end, it is killed. Then
 * everything that it started ends.
 */
export async function endProgram({
  session,
  trace,
  program,
  endTurn,
  endInput,
  giveUp,
}: Ending): Promise<void> {
  if (program && !program.hasEnded) await quit(program.child, endTurn, endInput);
  await Promise.all([endMarked(sessionMark(session)), trace && endTraced(trace)]);
  // All that was printed is told, unless it is given up before.
  if (!(program && (await within(OUTPUT_GRACE_MS, program.silent)))) giveUp();
}

async function quit(child: ChildProcess, endTurn: Ending["endTurn"], endInput: () => void): Promise<void> {
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const kill = setTimeout(() => child.kill("SIGKILL"), EXIT_GRACE_MS);
  if (endTurn) await within(TURN_GRACE_MS, endTurn(), exited);
  endInput();
  if (!(await within(QUIT_GRACE_MS, exited))) child.kill("SIGTERM");
  await exited;
  clearTimeout(kill);
}

/** The last event of a session. `said`: what the program wrote to its standard error at last. */
export function exitOf(
  program: StartedProgram | undefined,
  message: string | undefined,
  said = program?.said,
): Extract<AgentEvent, { type: "exit" }> {
  const { exitCode, signalCode } = program?.child ?? {};
  return {
    type: "exit",
    ...(typeof exitCode === "number" && { code: exitCode }),
    ...(signalCode && { signal: signalCode }),
    ...((message || said) && { message: [message, said].filter(Boolean).join("\n") }),
  };
}
