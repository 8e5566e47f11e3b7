import { budgetsIn, budgetView, eachOnce } from "../../app/cost/budgets.ts";
import type { CostsBy } from "../../app/cost/by.ts";
import {
  type AgentCost,
  type ProjectCost,
  projectCost,
  projectCostView,
  type Spending,
  spendingView,
  togetherSpent,
} from "../../app/cost/cost.ts";
import { NEWEST_JOBS } from "../../app/cost/ramp-up.ts";
import { UsageError } from "../../app/usage-error.ts";
import { folded, screenWidth } from "../../display/fold.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { namesIn, rampUpFigures } from "../../display/ramp-up.ts";
import { oneLine } from "../../display/style.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { budgetInWords, isAllSimulated, paidInWords } from "../../display/words.ts";
import { clock, counted, money, tokens } from "../../util/figures.ts";
import { namesOf, projectsIn, type SeveralOptions } from "../fleet/several.ts";
import { costBy } from "./cost-by.ts";

export interface CostOptions extends SeveralOptions {
  json?: boolean;
  rampUp?: boolean;
  by?: CostsBy;
  since?: Date;
  limit?: number;
}

/** Of one of the projects that are shown. */
interface OfProject {
  root: string;
  name: string;
  spent: ProjectCost;
  budgets: Awaited<ReturnType<typeof budgetsIn>>;
}

export async function cost(options: CostOptions): Promise<number> {
  if (options.by !== undefined) return costBy({ ...options, by: options.by });
  if (options.since !== undefined || options.limit !== undefined)
    throw new UsageError("--since and --limit go with --by: baton cost --by day --since 7d");
  const projects = await projectsIn(options);
  const names = namesOf(projects);
  const all: OfProject[] = [];
  for (const project of projects) {
    const { root } = project;
    const spent = await projectCost(project);
    all.push({ root, name: names.get(root) ?? root, spent, budgets: await budgetsIn(project) });
  }
  const total = togetherSpent(all.map(({ spent }) => spent.total));
  if (options.json) printJson(costView(all, total));
  else if (total.jobs === 0) printWords('No jobs yet. Start one with: baton run "what to do"');
  else if (options.rampUp) print(rampUpLines(all).join("\n"));
  else print([...costLines(all, total), ...budgetLines(all)].join("\n"));
  return 0;
}

/** What `baton cost --json` prints: its keys are a promise to users. */
function costView(all: readonly OfProject[], total: Spending) {
  const views = all.map(({ root, spent, budgets }) => ({
    project: root,
    ...projectCostView(spent),
    budgets: budgets.map(budgetView),
  }));
  const [only, ...others] = views;
  if (only && others.length === 0) {
    const { project: _, ...view } = only;
    return view;
  }
  return { projects: views, total: spendingView(total) };
}

function budgetLines(all: readonly OfProject[]): string[] {
  const width = screenWidth(process.stdout);
  const known = all.flatMap(({ name, budgets }) =>
    budgets.map((standing) => ({ name, standing, budget: standing.budget })),
  );
  const lines = eachOnce(known).map(({ name, standing, budget }) => {
    const isOfOne = all.length > 1 && !budget.projects;
    const text = budgetInWords(standing);
    return folded(isOfOne ? `${oneLine(name)}: ${text}` : text, width, 2);
  });
  return lines.length > 0 ? ["", ...lines] : [];
}

type Row = Spending & { agent: string; project: string };

function costLines(all: readonly OfProject[], total: Spending): string[] {
  const agents = all.flatMap(({ name, spent }) => spent.agents.map((agent) => ({ ...agent, project: name })));
  const rows: Row[] = agents.length > 1 ? [...agents, { agent: "all", project: "", ...total }] : agents;
  const columns = [
    ...(all.length > 1 ? [PROJECT] : []),
    ...COST,
    ...(total.simulatedUsd === undefined ? [] : [SIMULATED]),
    ...(total.unknown > 0 ? [UNKNOWN_COST] : []),
  ];
  return table(rows, columns, tableWidth(process.stdout));
}

const PROJECT: Column<{ project: string }> = { title: "PROJECT", text: ({ project }) => oneLine(project) };

const COST: Column<Row>[] = [
  { title: "AGENT", text: ({ agent }) => agent },
  { title: "JOBS", text: ({ jobs }) => String(jobs), align: "right" },
  { title: "TURNS", text: ({ turns }) => String(turns), align: "right", spare: 2 },
  {
    title: "SENT",
    text: ({ usage }) =>
      usage === null ? UNKNOWN : tokens(usage.input + usage.cacheRead + usage.cacheWrite),
    align: "right",
    spare: 1,
  },
  {
    title: "RECEIVED",
    text: ({ usage }) => (usage === null ? UNKNOWN : tokens(usage.output)),
    align: "right",
    spare: 3,
  },
  { title: "COST", text: costOf, align: "right" },
];

const SIMULATED: Column<Row> = {
  title: "SIMULATED",
  text: ({ simulatedUsd }) => (simulatedUsd === undefined ? "" : money(simulatedUsd)),
  align: "right",
};

/** Of which of its jobs. */
const UNKNOWN_COST: Column<Row> = {
  title: "UNKNOWN",
  text: ({ unknown }) => (unknown > 0 ? `of ${counted(unknown, "job")}` : ""),
};

function costOf(spent: Spending): string {
  return spent.unknown === spent.jobs ? "unknown" : paidInWords(spent);
}

function rampUpLines(all: readonly OfProject[]): string[] {
  const agents = all.flatMap(({ name, spent }) => spent.agents.map((agent) => ({ ...agent, project: name })));
  const measured = agents.filter(({ rampUp }) => rampUp.handoffs > 0);
  if (measured.length === 0) return ["No handoff here has been measured yet."];
  const width = screenWidth(process.stdout);
  const words = `Of the newest ${NEWEST_JOBS} jobs of each agent that handed off. Turns, tokens and time until the first new work are medians of at least five handoffs. The rest are totals.`;
  return [
    ...table(measured, [...(all.length > 1 ? [PROJECT] : []), ...RAMP_UP], tableWidth(process.stdout)),
    "",
    folded(words, width),
    ...measured.flatMap(detailsOf).map((line) => folded(line, width, 2)),
  ];
}

const UNKNOWN = "–";

const RAMP_UP: Column<AgentCost>[] = [
  { title: "AGENT", text: ({ agent }) => agent },
  { title: "HANDOFFS", text: ({ rampUp }) => String(rampUp.handoffs), align: "right" },
  { title: "TURNS", text: ({ rampUp: { usual } }) => String(usual?.turns ?? UNKNOWN), align: "right" },
  {
    title: "TOKENS",
    text: ({ rampUp: { usual } }) => (usual?.tokens == null ? UNKNOWN : tokens(usual.tokens)),
    align: "right",
  },
  {
    title: "TIME",
    text: ({ rampUp: { usual } }) => (usual ? clock(usual.ms) : UNKNOWN),
    align: "right",
    spare: 3,
  },
  { title: "COST", text: (agent) => rampUpCost(agent), align: "right" },
  { title: "REREAD", text: ({ rampUp }) => String(rampUp.readAgain), align: "right" },
  { title: "RERUN", text: ({ rampUp }) => String(rampUp.repeated), align: "right", spare: 1 },
  { title: "REDONE", text: ({ rampUp }) => String(rampUp.redone), align: "right", spare: 2 },
  { title: "FAR ABOVE", text: ({ rampUp }) => String(rampUp.farAbove.length), align: "right", spare: 4 },
];

function rampUpCost(agent: AgentCost): string {
  return `${isAllSimulated(agent) ? "sim." : "est."} ${money(agent.rampUp.costUsd)}`;
}

/** What the documents of an agent should have carried. */
function detailsOf({ agent, rampUp: { files, farAbove } }: AgentCost): string[] {
  const often = files.map(({ path, handoffs }) => `${path} (${counted(handoffs, "handoff")})`);
  return [
    ...(often.length > 0 ? ["", `${agent}: read again most often: ${often.join(", ")}`] : []),
    ...farAbove.map(({ job, number, rampUp }) => {
      const again = rampUp.readAgain.count > 0 ? `; read again: ${namesIn(rampUp.readAgain)}` : "";
      return `  ${job}, handoff ${number}, is far above the median: ${rampUpFigures(rampUp)}${again}`;
    }),
  ];
}
