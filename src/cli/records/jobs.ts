import { unknownAgent } from "../../app/config/unknown-agent.ts";
import type { FleetView, QueuedView } from "../../app/fleet/view.ts";
import { jobView, newestJobs } from "../../app/jobs/list.ts";
import { configOf, findProject, type Project } from "../../app/project.ts";
import { statusOf, timeOf } from "../../display/job-report.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { oneLine, type Paint, paintFor } from "../../display/style.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { shortDate } from "../../display/when.ts";
import { agentInWords, costInWords, headline, shortId, statusInWords } from "../../display/words.ts";
import type { Job, JobStatus } from "../../job/job.ts";
import { NOT_RUNNING_WORDS } from "../fleet/head.ts";

export interface JobsOptions {
  config?: string;
  json?: boolean;
  limit: number;
  status?: JobStatus[];
  agent?: string;
  since?: Date;
  text?: string;
  file?: string;
  /** What to say where there are none. */
  none?: string;
}

export async function jobs(options: JobsOptions): Promise<number> {
  const { status, agent, since: createdSince, text, file, limit } = options;
  const wanted = {
    ...(status && { status }),
    ...(agent && { agent }),
    ...(createdSince && { createdSince }),
    ...(text !== undefined && { text }),
    ...(file !== undefined && { file }),
  };
  const project = findProject(options);
  const list = await newestJobs(project, limit, wanted);
  if (options.json) {
    const queue = (await queueOf(project, list))?.queue ?? [];
    printJson(list.map((job) => withPlaceOf(job, queue)));
  } else if (list.length === 0) printWords(options.none ?? (await noneOf(wanted, project)));
  else {
    const queue = await queueOf(project, list);
    const paint = paintFor(process.stdout, process.env);
    print(table(list, columnsOf(paint, new Date(), queue?.queue), tableWidth(process.stdout)).join("\n"));
    if (queue?.state === "not running") printWords(paint("yellow", `\n${NOT_RUNNING_WORDS}`));
  }
  return 0;
}

/** What waits says where it stands. */
function withPlaceOf(job: Job, queue: readonly QueuedView[]) {
  const queued = queue.find((each) => each.job === job.id);
  return { ...jobView(job), ...(queued && { queued }) };
}

/** Only where something waits. */
async function queueOf(project: Project, list: readonly Job[]): Promise<FleetView | undefined> {
  if (!list.some(({ status }) => status === "queued")) return undefined;
  const { fleetOfProject } = await import("../../app/fleet/view.ts");
  return fleetOfProject(project);
}

async function noneOf(wanted: { agent?: string }, project: Project): Promise<string> {
  if (Object.keys(wanted).length === 0) return 'No jobs yet. Start one with: baton run "what to do"';
  await refuseUnknown(wanted.agent, project);
  return "No such job. `baton jobs` lists them all.";
}

/** An agent that is not configured and has no jobs is one that was misspelt. */
export async function refuseUnknown(agent: string | undefined, project: Project): Promise<void> {
  if (agent === undefined) return;
  const config = await configOf(project);
  if (!config.agents.some(({ name }) => name === agent)) throw unknownAgent(agent, config);
}

function columnsOf(paint: Paint, now: Date, queue: readonly QueuedView[] = []): Column<Job>[] {
  const queued = new Map(queue.map((each) => [each.job, each]));
  const because = ({ id }: Job) => {
    const place = queued.get(id);
    return place ? `${place.position}. ${oneLine(place.reason.text)}` : "";
  };
  return [
    { title: "JOB", text: (job) => shortId(job.id) },
    { title: "AGENT", text: agentInWords, spare: 2 },
    { title: "STATUS", text: statusInWords, paint: (job, text) => statusOf(job, text, paint) },
    { title: "STARTED", text: (job) => shortDate(job.createdAt, now) },
    { title: "SESSIONS", text: (job) => String(job.sessions.length), align: "right", spare: 4 },
    { title: "COST", text: costInWords, align: "right", spare: 1 },
    { title: "TIME", text: (job) => timeOf(job, now), align: "right", spare: 3 },
    ...(queue.length > 0 ? [{ title: "WAITS BECAUSE", text: because }] : []),
    { title: "REQUEST", text: (job) => oneLine(headline(job)), paint: (_job, text) => paint("dim", text) },
  ];
}
