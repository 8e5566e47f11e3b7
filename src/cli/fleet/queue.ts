import { moveJob, pauseQueue, resumeQueue } from "../../app/fleet/queue.ts";
import { fleetOfProject, type QueuedView } from "../../app/fleet/view.ts";
import { newestJobs } from "../../app/jobs/list.ts";
import { findProject } from "../../app/project.ts";
import { UsageError } from "../../app/usage-error.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { oneLine, type Paint, paintFor } from "../../display/style.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { headline, shortId } from "../../display/words.ts";
import { age } from "../../util/figures.ts";
import { EXIT } from "../exit.ts";
import { fleetHead } from "./head.ts";
import { type PlaceOptions, placeIn } from "./place.ts";

interface QueueOptions {
  config?: string;
  json?: boolean;
}

const MOST = 10_000;

/** What waits, in its order, and why. */
export async function queue(options: QueueOptions): Promise<number> {
  const project = findProject(options);
  const fleet = await fleetOfProject(project);
  if (options.json) {
    printJson(fleet);
    return EXIT.completed;
  }
  const now = new Date();
  const paint = paintFor(process.stdout, process.env);
  printWords(fleetHead(fleet, paint, now));
  if (fleet.queue.length === 0) {
    printWords('Nothing is queued. Queue a job with: baton run "what to do" --queue');
    return EXIT.completed;
  }
  const jobs = await newestJobs(project, MOST, { status: "queued" });
  const headlines = new Map(jobs.map((job) => [job.id, headline(job)]));
  const columns = columnsOf(paint, now, (job) => headlines.get(job) ?? "");
  print(`\n${table(fleet.queue, columns, tableWidth(process.stdout)).join("\n")}`);
  return EXIT.completed;
}

function columnsOf(paint: Paint, now: Date, headlineOf: (job: string) => string): Column<QueuedView>[] {
  return [
    { title: "#", text: ({ position }) => String(position), align: "right" },
    { title: "JOB", text: ({ job }) => shortId(job) },
    { title: "AGENT", text: ({ agent }) => agent, spare: 2 },
    { title: "PRIO", text: ({ priority }) => String(priority), align: "right", spare: 3 },
    { title: "FOR", text: ({ queuedAt }) => age(now.getTime() - Date.parse(queuedAt)), spare: 1 },
    {
      title: "WAITS BECAUSE",
      text: ({ reason }) => oneLine(reason.text),
      paint: (_row, text) => paint("yellow", text),
    },
    {
      title: "REQUEST",
      text: ({ job }) => oneLine(headlineOf(job)),
      paint: (_row, text) => paint("dim", text),
    },
  ];
}

export async function queuePause(agent: string | undefined, options: QueueOptions): Promise<number> {
  const paused = await pauseQueue(findProject(options), agent);
  if (options.json) printJson({ paused: true, ...paused });
  else
    printWords(
      `${whose(agent)} paused: ${agent === undefined ? "nothing more starts" : "none of its jobs start"}, and running jobs continue. Undo it with: baton queue resume${agent === undefined ? "" : ` ${agent}`}`,
    );
  return EXIT.completed;
}

export async function queueResume(agent: string | undefined, options: QueueOptions): Promise<number> {
  const resumed = await resumeQueue(findProject(options), agent);
  if (options.json) printJson({ paused: false, ...resumed });
  else printWords(`${whose(agent)} no longer paused.`);
  return EXIT.completed;
}

const whose = (agent: string | undefined) => (agent === undefined ? "The queue is" : `${oneLine(agent)} is`);

interface MoveOptions extends QueueOptions, PlaceOptions {
  free?: boolean;
}

export async function queueMove(
  job: string,
  place: string | undefined,
  options: MoveOptions,
): Promise<number> {
  if (place !== undefined && place !== "first" && place !== "last") {
    throw new UsageError(`A job is moved first or last, not "${place}". Or give it a --priority.`);
  }
  const { free, priority, after } = options;
  if (place === undefined && priority === undefined && !after && !free) {
    throw new UsageError(
      `Where to? baton queue move ${job} first, or last, --priority <n>, --after <job>, --free`,
    );
  }
  if (place !== undefined && priority !== undefined) {
    throw new UsageError("first and last are priorities of their own. Leave --priority out, or the place.");
  }
  if (free && after) throw new UsageError("--free lets it wait for no job, and --after for one. Choose one.");
  const moved = await moveJob(findProject(options), job, {
    ...(place && { to: place }),
    ...(free && { free }),
    ...placeIn(options),
  });
  const { id } = moved.job;
  const queued = moved.fleet.queue.find((each) => each.job === id);
  if (options.json) printJson(queued ?? null);
  else if (queued)
    printWords(
      `${id} is at place ${queued.position}, with priority ${queued.priority}: ${oneLine(queued.reason.text)}`,
    );
  else printWords(`${id} has just got a slot.`);
  return EXIT.completed;
}
