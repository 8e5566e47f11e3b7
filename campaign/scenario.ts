import { type Account, emptyAccount } from "../src/handoff/account.ts";
import type { SimulatedRequest } from "../src/simulator/request.ts";
import type { Reply, Scenario } from "../src/simulator/scenario.ts";
import { handOver, isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import type { WorkspaceKind } from "./plan.ts";

export const STEPS = 8;
/** In tokens. With it a session has room for about three steps. */
export const CONTEXT_THRESHOLD = 90_000;
const FACTOR = 5;
const OUTPUT_CHARACTERS = 14_000;
const LARGE_BYTES = 1_500_000;
/** A model takes its time, so that a kill can come while it answers. */
const ANSWER_MS = 30;

/** Every third step is an edit with the agent's own tool, and in a worktree every other third one commits. */
export const isEdit = (step: number) => step % 3 === 2;
const commits = (step: number, workspace: WorkspaceKind) => workspace === "git_worktree" && step % 3 === 0;

export const fileOf = (step: number) => (isEdit(step) ? `edit-${step}.txt` : `step-${step}.txt`);
export const lineOf = (step: number) => (isEdit(step) ? `edit ${step}` : `step ${step}`);

/** The step that a tool call does, told by what the journal says of the call. */
export function stepOfCall({ name, summary }: { name: string; summary: string }): number | undefined {
  const found = name === "Write" ? /edit-(\d+)\.txt$/.exec(summary) : /^n=(\d+);/.exec(summary);
  return found ? Number(found[1]) : undefined;
}

/** While it is silent, an agent that was left alone waits for it, and shows. */
export class Model {
  speaks = Promise.resolve();
  speak = () => {};

  silence(): void {
    this.speak();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.speaks = promise;
    this.speak = resolve;
  }
}

/**
 * Numbered steps by a careful model: it chooses by what the request holds, and looks at what is there when it takes work
 * up or when a call of its own failed. A step that is done twice leaves two lines in its file.
 */
export function campaignScenario(workspace: WorkspaceKind, model: Model): Scenario {
  return {
    name: "campaign",
    summary: `${STEPS} numbered steps and edits`,
    factor: FACTOR,
    async otherwise(request) {
      await model.speaks;
      return { delayMs: ANSWER_MS, ...replyTo(request, workspace) };
    },
  };
}

const TAKEN_UP = /You were interrupted|You take over|did not go through/;

function replyTo(request: SimulatedRequest, workspace: WorkspaceKind): Reply {
  const done = lastDone(request);
  if (isHandoffRequest(request)) return handOver(request, account(done));
  const folder = folderSeen(request);
  if (folder === undefined || TAKEN_UP.test(request.last) || hasFailed(request)) {
    return { say: "I look at what is there.", call: bash(LOOK, "Look for finished steps") };
  }
  if (done >= STEPS) return { say: `All ${STEPS} steps are done.` };
  const hasLeftPiece = request.results.some(({ text }) => text.includes("has not been read yet"));
  return doStep(done + 1, { folder, workspace, hasLeftPiece });
}

const LOOK = [
  '[ -n "$ZSH_VERSION" ] && setopt no_nomatch',
  'echo "at:$PWD"',
  'for f in step-*.txt edit-*.txt; do n=$(echo "$f" | tr -dc 0-9); grep -qsx "[a-z]* $n" "$f" && echo "done:$n"; done',
  "echo looked",
].join("; ");

function folderSeen({ results }: SimulatedRequest): string | undefined {
  return results.flatMap(({ text }) => /^at:(.+)$/m.exec(text)?.[1] ?? []).at(-1);
}

function hasFailed({ results, last }: SimulatedRequest): boolean {
  const newest = results.at(-1);
  return newest?.isError === true && last.includes(newest.text);
}

/** A document or a look says `done:n`; the agent's own tool names the file. */
function lastDone({ text, results }: SimulatedRequest): number {
  const told = text.matchAll(/\bdone:(\d+)/g);
  const written = results.flatMap(({ text, isError }) => {
    const found = isError ? null : /^(?:File created|The file ).*edit-(\d+)\.txt/.exec(text);
    return found ? [found] : [];
  });
  return Math.max(0, ...[...told, ...written].map(([, number]) => Number(number)));
}

interface Where {
  folder: string;
  workspace: WorkspaceKind;
  hasLeftPiece: boolean;
}

/** The command does not hold the words that it prints: a call that never ran must not look done. */
function doStep(step: number, { folder, workspace, hasLeftPiece }: Where): Reply {
  const say = `Step ${step} of ${STEPS}.`;
  if (isEdit(step)) {
    // The tool refuses to replace what a killed one left half written.
    if (hasLeftPiece)
      return { say, call: bash(`n=${step}; echo "edit $n" > "edit-$n.txt" && echo "done:$n"`, say) };
    const input = { file_path: `${folder}/${fileOf(step)}`, content: `${lineOf(step)}\n` };
    return { say, call: { tool: "Write", input } };
  }
  const filler = `head -c ${OUTPUT_CHARACTERS} /dev/zero | tr '\\0' x; echo`;
  const write = 'sleep 0.05; echo "step $n" >> "step-$n.txt"';
  // What takes git a while to add, so that a kill can come meanwhile.
  const large = workspace === "git_worktree" ? [`head -c ${LARGE_BYTES} /dev/urandom > "large-$n.bin"`] : [];
  const commit = commits(step, workspace) ? ['git add -A && git commit -qm "Step $n"'] : [];
  const command = [`n=${step}; ${filler}; ${write}`, ...large, ...commit, 'sleep 0.03; echo "done:$n"'].join(
    " && ",
  );
  return { say, call: bash(command, `Do step ${step}`) };
}

function bash(command: string, description: string) {
  return { tool: "Bash", input: { command, description } };
}

function account(done: number): Account {
  const steps = Array.from({ length: done }, (_, index) => index + 1);
  return {
    ...emptyAccount(),
    goal: `Do ${STEPS} numbered steps, in order.`,
    constraints: ["One step at a time, and none of them twice."],
    progress: { done: steps.map((step) => `done:${step}`), inProgress: [], pending: [] },
    currentState: `${done} of ${STEPS} steps are done and their files are in the workspace.`,
    decisions: [{ decision: "Each step has a file of its own", reason: "a step that is done twice shows" }],
    nextSteps: [done < STEPS ? `Continue with step ${done + 1}.` : "Nothing is left but to say so."],
    filesChanged: steps.map((step) => ({ path: fileOf(step), change: "" })),
  };
}
