import type { Run } from "../processes/run.ts";
import { type GitOptions, tryGit } from "./git.ts";

/** Git repeats an option that it does not know in its place among the answers. A path may hold line ends. */
const NEXT = "--next-answer";

/**
 * Several questions to `git rev-parse` in one, because to start git takes longer than its answers. Git answers up to the
 * first that it cannot: the others are missing, and the run is not ok.
 */
export async function revParse(
  folder: string,
  questions: readonly (readonly string[])[],
  options?: GitOptions,
): Promise<{ run: Run; answers: string[] }> {
  const asked = questions.flatMap((question, index) => (index === 0 ? question : [NEXT, ...question]));
  const run = await tryGit(folder, ["--no-optional-locks", "rev-parse", ...asked], options);
  const answers = run.stdout.split(`${NEXT}\n`).map((answer) => answer.replace(/\n$/, ""));
  // What it was asked and could not answer it may have begun to repeat.
  return { run, answers: run.ok ? answers : answers.slice(0, -1) };
}
