import { type Halted, type HaltedJob, haltAll, unhalt as unhaltAll } from "../../app/fleet/halt.ts";
import { shortPath } from "../../display/path.ts";
import { printError, printJson, printWords } from "../../display/print.ts";
import { oneLine } from "../../display/style.ts";
import { shortId } from "../../display/words.ts";
import { counted } from "../../util/figures.ts";
import { localMinute } from "../../util/time.ts";
import { EXIT } from "../exit.ts";

interface HaltOptions {
  json?: boolean;
}

/** Stops all work of this user, and forbids more. */
export async function halt({ json = false }: HaltOptions): Promise<number> {
  const halted = await haltAll(new Date());
  if (json) printJson(halted);
  else say(halted);
  return halted.running.length > 0 || halted.problems.length > 0 ? EXIT.failed : EXIT.completed;
}

function say({ since, by, stopped, running, problems }: Halted): void {
  printWords(
    `All work has been halted since ${localMinute(new Date(since))}, by ${oneLine(by)}. Nothing starts until: baton unhalt`,
  );
  if (stopped.length === 0 && running.length === 0) printWords("No job was running.");
  if (stopped.length > 0)
    printWords(`Stopped ${counted(stopped.length, "job")}; no work is lost:\n${list(stopped)}`);
  if (running.length > 0) printError(`Still running:\n${list(running)}\nEnd their processes: kill <pid>`);
  for (const problem of problems) printError(`Not looked into: ${problem}`);
}

function list(jobs: readonly HaltedJob[]): string {
  return jobs
    .map(
      ({ job, agent, store, pid }) =>
        `  ${shortId(job)}  ${oneLine(agent)}  ${shortPath(store)}  process ${pid}`,
    )
    .join("\n");
}

export function unhalt({ json = false }: HaltOptions): number {
  const halt = unhaltAll();
  if (json) printJson({ unhalted: true, since: halt.since });
  else
    printWords(
      "Work may start again. A running fleet continues what was stopped; `baton jobs --status interrupted` lists the rest.",
    );
  return EXIT.completed;
}
