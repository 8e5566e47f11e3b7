import { agentOf, jobFrom, type Loaded, loadDocument, strangeness } from "../../app/jobs/continue-from.ts";
import { readyAgent } from "../../app/jobs/ready.ts";
import { startedFrom } from "../../app/jobs/start.ts";
import { configOf, findProject } from "../../app/project.ts";
import { UsageError } from "../../app/usage-error.ts";
import { folded, screenWidth } from "../../display/fold.ts";
import { oneLine } from "../../display/style.ts";
import { fitted } from "../../display/width.ts";
import { agreeFirst, answerTo } from "../config/agree.ts";
import { BrokenOffError } from "../exit.ts";
import { type ChosenOptions, chosenIn } from "./chosen.ts";
import { refuseWhere, runHereOrDetached, type WhereOptions } from "./here-or-detached.ts";

export interface ContinueOptions extends ChosenOptions, WhereOptions {
  yes?: boolean;
  agent?: string;
}

/** Starts a new job from a handoff document. */
export async function continueFrom(
  named: string,
  name: string | undefined,
  options: ContinueOptions,
): Promise<number> {
  await refuseWhere(options);
  if (name !== undefined && options.agent !== undefined && name !== options.agent) {
    throw new UsageError(`Name one agent: ${name}, or --agent ${options.agent}.`);
  }
  const project = findProject(options);
  const loaded = await loadDocument(named, project);
  await agreeFirst(project, options);
  const config = await configOf(project, chosenIn(options));
  const agent = await readyAgent(config, name ?? options.agent ?? agentOf(loaded, config));
  if (!options.json && !options.yes) await confirm(loaded, await strangeness(loaded, project));

  await using job = await jobFrom(loaded, project, config, agent, { startedBy: await startedFrom() });
  return await runHereOrDetached(project, job, options);
}

const LONGEST_TASK = 200;

async function confirm({ account }: Loaded, warning: string | undefined): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return;
  const task = fitted(oneLine(account.goal || account.nextSteps[0] || "not said"), LONGEST_TASK);
  const question = `${warning ? `${warning}\n` : ""}Handoff loaded. Current task: ${task}\nContinue? [Y/n] `;
  const answer = await answerTo(folded(question, screenWidth(process.stdout)));
  if (!/^(?:y(?:es)?)?$/i.test(answer)) throw new BrokenOffError("Nothing was started.");
}
