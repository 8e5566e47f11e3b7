import { type Account, emptyAccount } from "../../handoff/account.ts";
import type { SimulatedRequest } from "../request.ts";
import type { Reply, Scenario } from "../scenario.ts";
import { DENIED, wasDenied } from "./denied.ts";
import { handOver, isHandoffRequest } from "./hand-over.ts";

interface SteadyOptions {
  steps: number;
  factor?: number;
  window?: number;
  /** Length of the filler that each step prints, to make the window fill. */
  outputCharacters?: number;
  /** Begins a session whose prompt names no finished step with a look at the folder. */
  look?: boolean;
}

/** In the words of any shell, without another program. Zsh would refuse a pattern that matches nothing. */
export const LOOK = `[ -n "$ZSH_VERSION" ] && setopt no_nomatch; for f in step-*.txt; do n=\${f#step-}; [ -f "$f" ] && echo "done:\${n%.txt}"; done; echo looked`;

/**
 * Numbered steps, each chosen by what the request holds, so that they survive handoffs, crashes and resumes. A step that
 * is done twice leaves two lines in its file.
 */
export function steady({
  steps,
  factor,
  window,
  outputCharacters = 200,
  look = false,
}: SteadyOptions): Scenario {
  return {
    name: "steady",
    summary: `${steps} numbered steps, each of which writes a file`,
    ...(factor !== undefined && { factor }),
    ...(window !== undefined && { window }),
    otherwise(request) {
      const done = lastDone(request);
      if (isHandoffRequest(request)) return handOver(request, account(done, steps));
      if (wasDenied(request)) return DENIED;
      if (done >= steps) return { say: `All ${steps} steps are done.` };
      if (look && done === 0 && !hasLooked(request)) {
        return { say: "I look at what is there.", call: bash(LOOK, "Look for finished steps") };
      }
      return writeStep(done + 1, steps, outputCharacters);
    },
  };
}

/** Told from results alone: a prompt can hold the word, and a handoff document can hold the command. */
function hasLooked({ results }: Pick<SimulatedRequest, "results">): boolean {
  return results.some(({ text }) => text.includes("looked"));
}

/** The number of the newest step that the request shows as done, in a tool's output or in a handoff document. */
export function lastDone({ text }: Pick<SimulatedRequest, "text">): number {
  return Math.max(0, ...Array.from(text.matchAll(/\bdone:(\d+)/g), ([, number]) => Number(number)));
}

/** The command does not hold the words that it prints: a call that never ran must not look done. */
export function writeStep(number: number, of: number, outputCharacters: number): Reply {
  const filler = `printf '%0${outputCharacters}d\\n' 0`;
  const command = `n=${number}; ${filler}; echo "step $n" >> "step-$n.txt" && echo "done:$n"`;
  return { say: `Step ${number} of ${of}.`, call: bash(command, `Write the file of step ${number}`) };
}

function bash(command: string, description: string) {
  return { tool: "Bash", input: { command, description } };
}

/** Names only files that exist, because an account that names others is not to be trusted. */
function account(done: number, steps: number): Account {
  const numbers = Array.from({ length: done }, (_, index) => index + 1);
  return {
    ...emptyAccount(),
    goal: `Write one numbered file for each of ${steps} steps, in order.`,
    constraints: ["One step at a time, and none of them twice."],
    progress: { done: numbers.map((number) => `done:${number}`), inProgress: [], pending: [] },
    currentState: `${done} of ${steps} steps are done and their files are in the workspace.`,
    decisions: [
      { decision: "Each step appends to its own file", reason: "a step that is done twice then shows" },
    ],
    nextSteps: [done < steps ? `Continue with step ${done + 1}.` : "Nothing is left but to say so."],
    filesChanged: numbers.map((number) => ({ path: `step-${number}.txt`, change: "" })),
  };
}
