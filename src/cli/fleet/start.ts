import { type FleetNews, runFleet } from "../../app/fleet/fleet.ts";
import { jobView } from "../../app/jobs/list.ts";
import { findProject } from "../../app/project.ts";
import { reachOf } from "../../app/reach.ts";
import { statusOf, timeOf } from "../../display/job-report.ts";
import { shortPath } from "../../display/path.ts";
import { print, printJson } from "../../display/print.ts";
import { oneLine, type Paint, paintFor, printable } from "../../display/style.ts";
import { fitted } from "../../display/width.ts";
import { costInPassing, shortId, statusInWords } from "../../display/words.ts";
import { agreeFirst } from "../config/agree.ts";
import { EXIT } from "../exit.ts";

export interface StartOptions {
  config?: string;
  json?: boolean;
}

const PROMPT_WIDTH = 60;

/** Runs the fleet in this terminal until it is told to end. */
export async function start(options: StartOptions): Promise<number> {
  const project = findProject(options);
  await agreeFirst(project, options);
  const { json = false } = options;
  using ending = listenForEnd(json);
  const paint = paintFor(process.stdout, process.env);
  const tell = json ? tellJson : (news: FleetNews) => print(line(news, paint));
  await runFleet({
    projects: [project],
    reach: reachOf(process.stderr, process.env),
    signal: ending.signal,
    begun: () => {
      if (json)
        printJson({
          at: new Date().toISOString(),
          what: "fleet-started",
          pid: process.pid,
          projects: [project.root],
        });
      else
        print(
          `The fleet of ${shortPath(project.root)} runs. Ctrl-C ends it; what runs then continues with the next one.`,
        );
    },
    tell,
  });
  if (json) printJson({ at: new Date().toISOString(), what: "fleet-ended" });
  else print("The fleet has ended. Start it again with: baton start");
  return EXIT.completed;
}

function tellJson(news: FleetNews): void {
  const { at, project, what } = news;
  const more = "job" in news && typeof news.job !== "string" ? { job: jobView(news.job) } : news;
  printJson({ ...more, at: at.toISOString(), what, project });
}

function line(news: FleetNews, paint: Paint): string {
  const clock = paint("dim", news.at.toTimeString().slice(0, 8));
  return `${clock} ${words(news, paint)}`;
}

function words(news: FleetNews, paint: Paint): string {
  switch (news.what) {
    case "started": {
      const { id, agent, prompt } = news.job;
      return `${shortId(id)} ${oneLine(agent)} started: ${fitted(oneLine(prompt), PROMPT_WIDTH)}`;
    }
    case "ended": {
      const { job } = news;
      const how = statusOf(job, statusInWords(job), paint);
      const why = job.error === null ? "" : `: ${oneLine(job.error)}`;
      const figures = `${timeOf(job, news.at)}, ${costInPassing(job)}`;
      return `${shortId(job.id)} ${oneLine(job.agent)} ${how} (${figures})${why}`;
    }
    case "queued-again":
      return `${shortId(news.job.id)} ${oneLine(news.job.agent)} waits in the queue again`;
    case "held":
      return paint("yellow", `${shortId(news.job)} cannot start: ${printable(news.why)}`);
    case "watch":
      return [news.session?.slice(0, 8), shortPath(news.project), printable(news.text)]
        .filter(Boolean)
        .join(" ");
    case "problem":
      return paint("red", printable(news.why));
  }
}

/** The first signal ends the fleet in good order, a second one at once: its agents end with it. */
function listenForEnd(json: boolean): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(EXIT.cancelled);
    if (!json) print("Ending what runs … Ctrl-C again leaves at once; nothing is lost by that.");
    controller.abort();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("SIGHUP", onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("SIGHUP", onSignal);
    },
  };
}
