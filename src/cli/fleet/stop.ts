import { type How, type Stopped, stopFleet } from "../../app/fleet/stop.ts";
import { findProject } from "../../app/project.ts";
import { UsageError } from "../../app/usage-error.ts";
import { printJson, printWords } from "../../display/print.ts";
import { oneLine } from "../../display/style.ts";
import { shortId } from "../../display/words.ts";
import { counted } from "../../util/figures.ts";
import { EXIT } from "../exit.ts";

export interface StopOptions {
  config?: string;
  json?: boolean;
  drain?: boolean;
  now?: boolean;
}

export async function stop({ drain = false, now = false, ...options }: StopOptions): Promise<number> {
  if (drain && now)
    throw new UsageError("--drain waits for running jobs, and --now waits for nothing. Choose one.");
  const how: How = drain ? "drain" : now ? "now" : "stop";
  const leaving = new AbortController();
  process.once("SIGINT", () => leaving.abort());
  try {
    const stopped = await stopFleet(
      findProject(options),
      how,
      (begun) => {
        if (!options.json) printWords(inWords(begun));
      },
      leaving.signal,
    );
    if (options.json) printJson(stopped);
    else printWords("The fleet has ended.");
    return EXIT.completed;
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    if (!options.json) printWords("Not waiting any longer: it will still end.");
    return EXIT.cancelled;
  }
}

function inWords({ pid, how, jobs }: Stopped): string {
  const list = jobs.map(({ job, agent }) => `  ${shortId(job)}  ${oneLine(agent)}`).join("\n");
  const those = jobs.length === 0 ? "" : `\n${list}`;
  const what = counted(jobs.length, "job");
  const [have, them] = jobs.length === 1 ? ["has", "it"] : ["have", "them"];
  if (how === "drain" && jobs.length > 0)
    return `Process ${pid} starts nothing more, and ends when ${what} ${have} ended.${those}`;
  if (jobs.length === 0) return `Process ${pid} ends; it runs no job.`;
  return `Process ${pid} ends, and ${what} with it. The next \`baton start\` continues ${them}.${those}`;
}
