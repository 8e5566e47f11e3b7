import {
  type JobsTime,
  NO_TIME,
  type ProjectTime,
  projectTime,
  TIME_IN_WORDS,
  TIME_KINDS,
  type TimeKind,
  together,
  totalTime,
} from "../../app/records/time.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { type Paint, paintFor } from "../../display/style.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { longDate } from "../../display/when.ts";
import { clock, counted, percent } from "../../util/figures.ts";
import { DAY_MS } from "../../util/time.ts";
import { namesOf, projectsIn, type SeveralOptions } from "../fleet/several.ts";
import { refuseUnknown } from "./jobs.ts";

export interface TimeOptions extends SeveralOptions {
  json?: boolean;
  agent?: string;
  since?: Date;
}

const USUALLY_MS = 7 * DAY_MS;

/** Where the time of the jobs went: a row for each thing that took some, a column for each agent. */
export async function time(options: TimeOptions): Promise<number> {
  const now = new Date();
  const { agent, since = new Date(now.getTime() - USUALLY_MS) } = options;
  const wanted = { ...(agent !== undefined && { agent }), createdSince: since };
  const projects = await projectsIn(options);
  const names = namesOf(projects);
  const all: OfProject[] = [];
  for (const project of projects) {
    const name = names.get(project.root) ?? project.root;
    all.push({ root: project.root, name, ...(await projectTime(project, wanted, now)) });
  }
  const total = all.map(({ total }) => total).reduce(together, NO_TIME);
  const isOne = all.length === 1;
  if (options.json) {
    printJson(viewOf(all, total));
    return 0;
  }
  const agents = all.flatMap(({ name, agents }) =>
    agents.map((each) => (isOne ? each : { ...each, agent: `${name}: ${each.agent}` })),
  );
  const spent = { agents, total };
  const { jobs, unknown, timeMs } = spent.total;
  const begun = `since ${longDate(since.toISOString())}`;
  if (jobs === 0) {
    for (const project of projects) if (isOne) await refuseUnknown(agent, project);
    printWords(`No job was started ${begun}. Look further back with: baton time --since 30d`);
    return 0;
  }
  const paint = paintFor(process.stdout, process.env);
  printWords(`${counted(jobs, "job")}, started ${begun}, took ${clock(totalTime(timeMs))} in total.\n`);
  const kinds = TIME_KINDS.filter((kind) => (timeMs[kind] ?? 0) >= 1_000);
  print(table(kinds, columnsOf(spent, paint), tableWidth(process.stdout)).join("\n"));
  if (unknown > 0)
    printWords(paint("dim", `\nWithout ${counted(unknown, "job")} that an earlier Baton began.`));
  return 0;
}

interface OfProject extends ProjectTime {
  root: string;
  name: string;
}

/** What `baton time --json` prints: its keys are a promise to users. */
function viewOf(all: readonly OfProject[], total: JobsTime) {
  const views = all.map(({ root, name: _, ...spent }) => ({ project: root, ...spent }));
  const [only, ...others] = views;
  if (!only) return { projects: [], total };
  const { project: __, ...view } = only;
  return others.length === 0 ? view : { since: only.since, projects: views, total };
}

/** What is no part of the whole has no share of it. */
const APART: ReadonlySet<TimeKind> = new Set(["stopped", "asleep"]);

function columnsOf(
  { agents, total }: Pick<ProjectTime, "agents" | "total">,
  paint: Paint,
): Column<TimeKind>[] {
  const all = totalTime(total.timeMs);
  const share = (kind: TimeKind) => percent(((total.timeMs[kind] ?? 0) / Math.max(1, all)) * 100);
  return [
    { title: "SPENT ON", text: (kind) => TIME_IN_WORDS[kind] },
    { title: "TIME", text: (kind) => clock(total.timeMs[kind] ?? 0), align: "right" },
    {
      title: "SHARE",
      text: (kind) => (APART.has(kind) ? "" : share(kind)),
      align: "right",
      paint: (_kind, text) => paint("bold", text),
    },
    ...(agents.length < 2 ? [] : agents).map(
      ({ agent, timeMs }, index): Column<TimeKind> => ({
        title: agent.toUpperCase(),
        text: (kind) => (timeMs[kind] === undefined ? "" : clock(timeMs[kind])),
        align: "right",
        spare: index + 1,
      }),
    ),
  ];
}
