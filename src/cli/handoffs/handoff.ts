import { callOffById, type HandoffAnswer, handOffById } from "../../app/jobs/hand-off.ts";
import { namedOrRunning } from "../../app/jobs/which.ts";
import { findProject, openStoreOfJobs } from "../../app/project.ts";
import { cancelOwn } from "../../app/sessions/cancel.ts";
import { UsageError } from "../../app/usage-error.ts";
import { printJson, printWords } from "../../display/print.ts";
import { outcomeInWords } from "../../display/words.ts";
import { EXIT } from "../exit.ts";

export interface HandoffOptions {
  config?: string;
  json?: boolean;
  focus?: string;
  to?: string;
  cancel?: boolean;
}

/** Asks the process that runs the job, and waits for what comes of it. A job that nobody runs is handed off from facts. */
export async function handoff(named: string | undefined, options: HandoffOptions): Promise<number> {
  const given = options.focus !== undefined ? "--focus" : options.to !== undefined ? "--to" : undefined;
  if (options.cancel && given) {
    throw new UsageError(`${given} is for a handoff to be made, --cancel for one that is no longer wanted.`);
  }
  const own = options.cancel && named !== undefined ? await cancelOwn(named) : undefined;
  if (own) {
    if (options.json) printJson(own);
    else printWords(own.message);
    return own.cancelled ? EXIT.completed : EXIT.failed;
  }
  const project = findProject(options);
  await using store = await openStoreOfJobs(project);
  const { id } = await namedOrRunning(store, named, options.cancel ? "handoff --cancel" : "handoff");
  const { focus, to, config } = options;
  const wanted = {
    ...(focus !== undefined && { focus }),
    ...(to !== undefined && { to }),
    ...(config !== undefined && { config }),
  };
  const answer = await (options.cancel ? callOffById(store, id) : handOffById(store, project, id, wanted));
  if (options.json) printJson(answer);
  else printWords(inWords(answer, to));
  const asWanted = options.cancel ? answer.outcome === "cancelled" : "documentPath" in answer;
  return asWanted ? EXIT.completed : EXIT.failed;
}

function inWords(result: HandoffAnswer, to: string | undefined): string {
  if ("message" in result) return result.message;
  const failed = result.checks.filter(({ ok }) => !ok).map(({ name }) => name);
  const short = failed.length > 0 ? `; failed checks: ${failed.join(", ")}` : "";
  const next = to === undefined ? "" : ` ${to} has the job from here on.`;
  return `Handoff ${result.number} (${outcomeInWords(result.outcome)}${short}) is stored: ${result.documentPath}${next}`;
}
