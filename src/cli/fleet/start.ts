import { terminalFor } from "../../app/conversations/terminal.ts";
import { runFleet } from "../../app/fleet/fleet.ts";
import { FLEET_RUNS, type FleetNews } from "../../app/fleet/news.ts";
import { wantedProjects } from "../../app/fleet/projects.ts";
import { fleetOfProject } from "../../app/fleet/view.ts";
import { jobView } from "../../app/jobs/list.ts";
import type { Project } from "../../app/project.ts";
import { reachOf } from "../../app/reach.ts";
import { UsageError } from "../../app/usage-error.ts";
import { folded, screenWidth } from "../../display/fold.ts";
import { statusOf, timeOf } from "../../display/job-report.ts";
import { shortPath } from "../../display/path.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { oneLine, type Paint, paintFor, printable, unpainted } from "../../display/style.ts";
import { fitted } from "../../display/width.ts";
import { costInPassing, headline, shortId, statusInWords } from "../../display/words.ts";
import { agreeFirst } from "../config/agree.ts";
import { EXIT } from "../exit.ts";
import { NeedYouTitle } from "../inbox/title.ts";
import { inProduction } from "../jobs/in-production.ts";
import { hasKeyboard } from "../jobs/terminal-keys.ts";
import { WebBeside, type WebNews, type WebOptions } from "../web/beside.ts";
import { heldBackLines } from "./head.ts";

export interface StartOptions extends WebOptions {
  config?: string;
  json?: boolean;
  /** Folders of projects, where it was given after the command's name. */
  C?: string | string[];
  all?: boolean;
  detach?: boolean;
}

const PROMPT_WIDTH = 60;

/** Runs the fleet in this terminal until it is told to end, or without one. */
export async function start(options: StartOptions): Promise<number> {
  const { json = false, all, config, C: folders = [] } = options;
  const projects = await wantedProjects({
    ...(config !== undefined && { config }),
    ...(all && { all }),
    ...(Array.isArray(folders) && folders.length > 1 && { folders }),
  });
  for (const project of projects) await agreeFirst(project, options);
  if (options.detach) return startBehind(projects, options);
  using ending = listenForEnd(json);
  const paint = paintFor(process.stdout, process.env);
  const roots = projects.map(({ root }) => root);
  const held = json ? [] : await heldBackIn(projects, paint);
  using _title = new NeedYouTitle(projects, options);
  const terminal = json ? undefined : await terminalFor(projects);
  await using room = terminal && (await atTerminal(terminal, paint));
  const say = room ? room.tell : print;
  await using web = new WebBeside(
    projects,
    options,
    json ? tellWebJson : (news) => tellWeb(news, paint, say),
  );
  await using _traces = namesCollector(process.env)
    ? (await import("../../app/traces/beside.ts")).tracesBeside(projects, process.env, (why) =>
        json
          ? printJson({ at: new Date().toISOString(), what: "traces-problem", why })
          : say(paint("yellow", printable(why))),
      )
    : undefined;
  await runFleet({
    projects,
    reach: reachOf(process.stderr, process.env),
    signal: ending.signal,
    begun: () => {
      if (json)
        printJson({ at: new Date().toISOString(), what: "fleet-started", pid: process.pid, projects: roots });
      else
        say(
          [
            `${FLEET_RUNS} ${roots.map((root) => shortPath(root)).join(", ")}`,
            ...held,
            "Ctrl-C ends it; running jobs continue with the next one.",
          ].join("\n"),
        );
      web.begin();
    },
    ...(terminal && { terminal: () => terminal.chat.connector() }),
    tell: json ? tellJson : (news) => say(folded(newsLine(news, paint), screenWidth(process.stdout), HANG)),
  });
  if (json) printJson({ at: new Date().toISOString(), what: "fleet-ended" });
  else printWords("The fleet has ended. Start it again with: baton start");
  return EXIT.completed;
}

/** Why it will start nothing, or not all, as its user may have forgotten. */
async function heldBackIn(projects: readonly Project[], paint: Paint): Promise<string[]> {
  const fleets = await Promise.all(projects.map(fleetOfProject));
  const isOne = projects.length === 1;
  return [
    ...new Set(fleets.flatMap((fleet) => heldBackLines(isOne ? fleet : { ...fleet, paused: [] }, paint))),
  ];
}

/** A person who tries a configuration talks with its agents where the fleet runs. */
async function atTerminal(
  { chat, channels }: NonNullable<Awaited<ReturnType<typeof terminalFor>>>,
  paint: Paint,
): Promise<AsyncDisposable & { tell: (text: string) => void }> {
  if (!process.stdout.isTTY || !hasKeyboard(process.stdin)) {
    throw new UsageError(
      "chat.fake has people talk with the agent at the terminal where `baton start` runs, and this is not a terminal.\nStart it in one, or take fake out of chat.",
    );
  }
  const { Room } = await import("../../chat/room.ts");
  const { showRoom } = await inProduction(() => import("../../chat/room-view.ts"));
  const room = new Room(chat, channels, () => process.kill(process.pid, "SIGINT"));
  const screen = showRoom({ room, paint });
  return {
    tell: (text) => room.tell(unpainted(text)),
    async [Symbol.asyncDispose]() {
      await screen.waitUntilRenderFlush();
      screen.unmount();
      await screen.waitUntilExit();
    },
  };
}

/** No fleet without traces pays for what they load. */
function namesCollector(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}

/** What is said of a job goes on below its time. */
export const HANG = 9;

async function startBehind(
  projects: readonly Project[],
  { config, json = false, web, port }: StartOptions,
): Promise<number> {
  const { startFleetBehind } = await import("../../app/fleet/behind.ts");
  const started = await startFleetBehind(projects, {
    ...(config !== undefined && { config }),
    options: [
      ...(web === undefined ? [] : [web ? "--web" : "--no-web"]),
      ...(port === undefined ? [] : ["--port", String(port)]),
    ],
  });
  if (json) printJson(started);
  else
    printWords(
      [
        `The fleet runs in the background, as process ${started.pid}.`,
        "  baton status   what it runs, and what waits",
        "  baton stop     end it; running jobs continue with the next one",
        `  its log        ${shortPath(started.log)}`,
        ...(await heldBackIn(projects, paintFor(process.stdout, process.env))),
      ].join("\n"),
    );
  return EXIT.completed;
}

function tellWebJson(news: WebNews): void {
  const at = new Date().toISOString();
  if ("url" in news) printJson({ at, what: "web-started", url: news.url });
  else printJson({ at, what: "web-problem", why: "refused" in news ? news.refused : news.trouble });
}

function tellWeb(news: WebNews, paint: Paint, say: (text: string) => void): void {
  if ("url" in news) say(`The API and the dashboard: ${news.url}   sign in with: baton dashboard`);
  else if ("refused" in news)
    say(paint("yellow", `The fleet runs without the API and the dashboard: ${printable(news.refused)}`));
  else say(paint("red", `The API: ${printable(news.trouble)}`));
}

function tellJson(news: FleetNews): void {
  const { at, project, what } = news;
  const more = "job" in news && typeof news.job !== "string" ? { job: jobView(news.job) } : news;
  printJson({ ...more, at: at.toISOString(), what, project });
}

/** What happened in a fleet, in one line. */
export function newsLine(news: FleetNews, paint: Paint): string {
  const clock = paint("dim", news.at.toTimeString().slice(0, 8));
  return `${clock} ${words(news, paint)}`;
}

function words(news: FleetNews, paint: Paint): string {
  switch (news.what) {
    case "started": {
      const { id, agent } = news.job;
      const what = fitted(oneLine(headline(news.job)), PROMPT_WIDTH);
      return `${shortId(id)} ${oneLine(agent)} started: ${what}`;
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
    case "waits":
      return paint(
        "yellow",
        `${shortId(news.job.id)} ${oneLine(news.job.agent)} waits: ${oneLine(news.why)}`,
      );
    case "held":
      return paint("yellow", `${shortId(news.job)} cannot start: ${printable(news.why)}`);
    case "fired":
      return firedWords(news, paint);
    case "watch":
      return [news.session?.slice(0, 8), shortPath(news.project), printable(news.text)]
        .filter(Boolean)
        .join(" ");
    case "work":
      return news.trouble ? paint("yellow", printable(news.text)) : printable(news.text);
    case "chat":
      return printable(news.text);
    case "problem":
      return paint("red", printable(news.why));
    case "reloaded":
      return news.isChanged
        ? `The configuration of ${shortPath(news.project)} was read again, and applies to everything that starts from now on`
        : `The configuration of ${shortPath(news.project)} is in use again`;
  }
}

function firedWords(news: Extract<FleetNews, { what: "fired" }>, paint: Paint): string {
  const { agent, schedule, outcome, reason, count, job } = news;
  const what = `${oneLine(agent)} ${oneLine(schedule)}`;
  if (outcome === "queued")
    return `${what} is due: ${job === undefined ? "queued" : `${shortId(job)} is queued`}`;
  if (outcome === "looking") return `${what} is due: it looks for work`;
  const times = count === 1 ? "a run" : `${count} runs`;
  return paint("yellow", `${what}: ${times} ${outcome}${reason === null ? "" : `, ${reason}`}`);
}

/** The first signal ends the fleet in good order, a second one at once: its agents end with it. */
function listenForEnd(json: boolean): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(EXIT.cancelled);
    if (!json) printWords("Ending running jobs … Ctrl-C again leaves at once; no work is lost.");
    controller.abort();
  };
  // A fleet in the background has no terminal that could go away.
  const onHangUp = process.stdout.isTTY ? onSignal : () => {};
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("SIGHUP", onHangUp);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("SIGHUP", onHangUp);
    },
  };
}
