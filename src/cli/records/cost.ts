import {
  type AgentCost,
  type ProjectCost,
  projectCost,
  projectCostView,
  type Spending,
} from "../../app/cost/cost.ts";
import { findProject } from "../../app/project.ts";
import { print, printJson } from "../../display/print.ts";
import { namesIn, rampUpFigures } from "../../display/ramp-up.ts";
import { type Column, table } from "../../display/table.ts";
import { costInWords } from "../../display/words.ts";
import { clock, counted, money, tokens } from "../../util/figures.ts";

export interface CostOptions {
  config?: string;
  json?: boolean;
  rampUp?: boolean;
}

export async function cost(options: CostOptions): Promise<number> {
  const spent = await projectCost(findProject(options));
  if (options.json) printJson(projectCostView(spent));
  else if (spent.total.jobs === 0) print('No jobs yet. Start one with: baton run "what to do"');
  else print((options.rampUp ? rampUpLines(spent) : costLines(spent)).join("\n"));
  return 0;
}

type Row = Spending & { agent: string };

function costLines({ agents, total }: ProjectCost): string[] {
  const rows: Row[] = agents.length > 1 ? [...agents, { agent: "all", ...total }] : agents;
  return table(rows, COST, Number.POSITIVE_INFINITY);
}

const COST: Column<Row>[] = [
  { title: "AGENT", text: ({ agent }) => agent },
  { title: "JOBS", text: ({ jobs }) => String(jobs), align: "right" },
  { title: "TURNS", text: ({ turns }) => String(turns), align: "right" },
  {
    title: "SENT",
    text: ({ usage }) => tokens(usage.input + usage.cacheRead + usage.cacheWrite),
    align: "right",
  },
  { title: "RECEIVED", text: ({ usage }) => tokens(usage.output), align: "right" },
  { title: "COST", text: costOf },
];

function costOf(spent: Spending): string {
  const { jobs, unknown } = spent;
  if (unknown === jobs) return "unknown";
  const known = costInWords(spent);
  return unknown > 0 ? `${known}, and ${counted(unknown, "job")} of unknown cost` : known;
}

function rampUpLines({ agents }: ProjectCost): string[] {
  const measured = agents.filter(({ rampUp }) => rampUp.handoffs > 0);
  if (measured.length === 0) return ["No handoff here has been measured yet."];
  return [
    ...table(measured, RAMP_UP, Number.POSITIVE_INFINITY),
    "",
    "Turns, tokens and time until the first new work are medians, of five handoffs at least. All else is the sum.",
    ...measured.flatMap(detailsOf),
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
  { title: "TIME", text: ({ rampUp: { usual } }) => (usual ? clock(usual.ms) : UNKNOWN), align: "right" },
  { title: "COST", text: ({ rampUp }) => `est. ${money(rampUp.costUsd)}`, align: "right" },
  { title: "READ AGAIN", text: ({ rampUp }) => String(rampUp.readAgain), align: "right" },
  { title: "REPEATED", text: ({ rampUp }) => String(rampUp.repeated), align: "right" },
  { title: "REDONE", text: ({ rampUp }) => String(rampUp.redone), align: "right" },
  { title: "FAR ABOVE", text: ({ rampUp }) => String(rampUp.farAbove.length) },
];

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
