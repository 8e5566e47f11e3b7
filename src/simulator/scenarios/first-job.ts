import { emptyAccount } from "../../handoff/account.ts";
import type { SimulatedRequest } from "../request.ts";
import type { Reply, Scenario } from "../scenario.ts";
import { DENIED, wasDenied } from "./denied.ts";
import { handOver, isHandoffRequest } from "./hand-over.ts";

const NOTE = "first-job.md";

/** What `baton init` lets an agent do, done once: the tests are run, and a file is written. */
export function firstJob(): Scenario {
  return {
    name: "first-job",
    summary: `runs the tests that baton init found, and writes ${NOTE}`,
    otherwise(request) {
      if (isHandoffRequest(request)) return handOver(request, ACCOUNT);
      if (wasDenied(request)) return DENIED;
      const tests = testsIn(request);
      const steps = [...(tests === undefined ? [] : [runTests(tests)]), writeNote(request, tests)];
      const { results } = request;
      return steps[results.length] ?? { say: results.at(-1)?.isError ? NOT_WRITTEN : farewell(tests) };
    },
  };
}

const NOT_WRITTEN = `I could not write ${NOTE}. If it is left from an earlier try, remove it.`;

const ACCOUNT = {
  ...emptyAccount(),
  goal: `Run the tests, and write ${NOTE}.`,
  currentState: "It has started.",
  nextSteps: ["Start again: both take a moment."],
};

/** As the first baton.yaml tells the agent in its prompt. */
function testsIn({ system }: SimulatedRequest): string | undefined {
  return /Run the tests with `([^`\n]+)`/.exec(system)?.[1];
}

function runTests(command: string): Reply {
  return {
    say: `I run the tests: ${command}`,
    call: { tool: "Bash", input: { command, description: "Run the tests" } },
  };
}

function writeNote({ results }: SimulatedRequest, tests: string | undefined): Reply {
  const said = results.at(-1);
  const outcome = said?.isError ? "They fail" : "They pass";
  const found =
    tests === undefined || !said
      ? "Baton found no command that runs the tests, so none were run.\n"
      : `\`${tests}\` was run. ${outcome}:\n\n${indented(said.text)}\n`;
  const content = `# A first job\n\nWritten by a scripted model, to try Baton. Nothing else was changed.\n\n${found}`;
  return { say: `I write down what I saw.`, call: { tool: "Write", input: { file_path: NOTE, content } } };
}

const LINES = 20;

function indented(output: string): string {
  return output.trim().split("\n").slice(-LINES).join("\n").replaceAll(/^/gm, "    ");
}

function farewell(tests: string | undefined): string {
  const ran = tests === undefined ? "" : `I ran ${tests}. `;
  return `${ran}What I saw is in ${NOTE}: read it, then remove it. I am a scripted model, so nothing was fixed. With an account, the same job does the work.`;
}
