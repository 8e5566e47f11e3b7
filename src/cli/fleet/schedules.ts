import { enqueue } from "../../app/fleet/enqueue.ts";
import { scheduleNamed } from "../../app/fleet/schedules.ts";
import {
  type FireView,
  fireHistory,
  pauseSchedule,
  type ScheduleView,
  schedulesOf,
  upcoming,
} from "../../app/fleet/schedules-view.ts";
import { fleetOfProject } from "../../app/fleet/view.ts";
import { trustedAgent } from "../../app/jobs/ready.ts";
import { configOf, findProject, type Project } from "../../app/project.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { oneLine, type Paint, paintFor } from "../../display/style.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { longDate, shortDate } from "../../display/when.ts";
import { shortId } from "../../display/words.ts";
import { age } from "../../util/figures.ts";
import { DAY_MS } from "../../util/time.ts";
import { agreeFirst } from "../config/agree.ts";
import { sayWithheld } from "../config/withheld.ts";
import { EXIT } from "../exit.ts";
import { refuseUnknown } from "../records/jobs.ts";
import { sayEnqueued } from "./enqueued.ts";
import { heldBackLines, NOT_RUNNING_WORDS } from "./head.ts";

interface SchedulesOptions {
  config?: string;
  json?: boolean;
  limit: number;
}

const NONE =
  'No agent has a schedule. Add one to baton.yaml: schedules: { nightly: { cron: "0 3 * * *", prompt: … } }';

async function sayNone(project: Project): Promise<void> {
  if (!(await sayWithheld(project))) printWords(NONE);
}

export async function schedules(options: SchedulesOptions): Promise<number> {
  const project = findProject(options);
  const now = new Date();
  const views = await schedulesOf(project, now);
  if (options.json) printJson(views);
  else if (views.length === 0) await sayNone(project);
  else {
    const paint = paintFor(process.stdout, process.env);
    print(table(views, columnsOf(paint, now), tableWidth(process.stdout)).join("\n"));
    await sayIfNothingFires(project, paint);
  }
  return EXIT.completed;
}

function columnsOf(paint: Paint, now: Date): Column<ScheduleView>[] {
  return [
    { title: "AGENT", text: ({ agent }) => agent },
    { title: "SCHEDULE", text: ({ name }) => name },
    { title: "WHEN", text: ({ when }) => when },
    { title: "ZONE", text: ({ timezone }) => timezone ?? "", spare: 2 },
    {
      title: "STATE",
      text: ({ state, pausedUntil }) =>
        pausedUntil === undefined ? state : `${state} until ${shortDate(pausedUntil, now)}`,
      paint: ({ state }, text) => (state === "on" ? text : paint("yellow", text)),
    },
    { title: "NEXT", text: ({ next }) => (next === undefined ? "" : comes(next, now)) },
    {
      title: "LAST",
      text: ({ last }) => (last ? `${shortDate(last.due, now)} ${outcomeWords(last)}` : ""),
      spare: 1,
    },
  ];
}

function comes(next: string, now: Date): string {
  const left = Date.parse(next) - now.getTime();
  return left <= 0 ? "now" : `${shortDate(next, now)} (in ${age(left)})`;
}

function outcomeWords({ outcome, count, reason, job }: FireView): string {
  const what = count === 1 ? outcome : `${outcome} ${count}`;
  const which = job === undefined ? "" : ` as ${shortId(job)}`;
  return oneLine(`${what}${which}${reason === undefined ? "" : `: ${reason}`}`);
}

async function sayIfNothingFires(project: Project, paint: Paint): Promise<void> {
  await sayWithheld(project);
  const fleet = await fleetOfProject(project);
  const lines = heldBackLines(fleet, paint);
  if (fleet.state === "not running") lines.unshift(paint("yellow", NOT_RUNNING_WORDS));
  if (lines.length > 0) printWords(`\n${lines.join("\n")}`);
}

export async function schedulesNext(options: SchedulesOptions): Promise<number> {
  const project = findProject(options);
  const now = new Date();
  const until = new Date(now.getTime() + 400 * DAY_MS);
  const config = await configOf(project);
  const times = upcoming(config, await schedulesOf(project, now), { until, most: options.limit });
  if (options.json) printJson(times);
  else if (times.length === 0) await sayNone(project);
  else {
    for (const { at, agent, schedule } of times) {
      const due = at.toISOString();
      printWords(
        `${longDate(due)}  ${comes(due, now)
          .replace(/^.*\(|\)$/g, "")
          .padEnd(10)}  ${oneLine(agent)} ${oneLine(schedule)}`,
      );
    }
    await sayIfNothingFires(project, paintFor(process.stdout, process.env));
  }
  return EXIT.completed;
}

export async function schedulesHistory(
  { agent, name }: { agent: string | undefined; name: string | undefined },
  options: SchedulesOptions,
): Promise<number> {
  const project = findProject(options);
  const fires = await fireHistory(project, options.limit, {
    ...(agent !== undefined && { agent }),
    ...(name !== undefined && { schedule: name }),
  });
  if (fires.length === 0 && agent !== undefined) await refuseUnknownSchedule(project, agent, name);
  if (options.json) {
    printJson(fires);
    return EXIT.completed;
  }
  if (fires.length === 0) printWords("Nothing has come due yet.");
  for (const fire of fires) {
    const from = fire.firstDue === undefined ? "" : `${longDate(fire.firstDue)} to `;
    printWords(
      `${from}${longDate(fire.due)}  ${oneLine(fire.agent)} ${oneLine(fire.schedule)}  ${outcomeWords(fire)}`,
    );
  }
  await sayIfNothingFires(project, paintFor(process.stdout, process.env));
  return EXIT.completed;
}

/** What was due once is on record, also of an agent that is there no more. */
async function refuseUnknownSchedule(
  project: Project,
  agent: string,
  name: string | undefined,
): Promise<void> {
  await refuseUnknown(agent, project);
  const config = (await configOf(project)).agents.find((each) => each.name === agent);
  if (config && name !== undefined) scheduleNamed(config, name);
}

export async function schedulesRun(agent: string, name: string, options: SchedulesOptions): Promise<number> {
  const project = findProject(options);
  await agreeFirst(project, options);
  const config = await configOf(project);
  const { prompt } = scheduleNamed(await trustedAgent(config, agent), name);
  return sayEnqueued(await enqueue(project, { config, agent, prompt, origin: { schedule: name } }), options);
}

export async function schedulesPause(
  agent: string,
  name: string,
  isPaused: boolean,
  { until, ...options }: SchedulesOptions & { until?: Date },
): Promise<number> {
  const now = new Date();
  const paused = isPaused ? { at: now, ...(until && { until }) } : null;
  await pauseSchedule(findProject(options), agent, name, paused, now);
  if (options.json) {
    printJson({ agent, schedule: name, paused: isPaused, ...(until && { until: until.toISOString() }) });
    return EXIT.completed;
  }
  const resume = `baton schedules resume ${agent} ${name}`;
  const lasts = until ? `${longDate(until.toISOString())}, or ${resume}` : resume;
  printWords(
    isPaused
      ? `${name} of ${agent} is paused: its runs are skipped until ${lasts}`
      : `${name} of ${agent} runs again.`,
  );
  return EXIT.completed;
}
