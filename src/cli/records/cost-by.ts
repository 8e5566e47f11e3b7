import { type CostsBy, costIn, type SpentBy, type SpentOn, spentBy, spentByView } from "../../app/cost/by.ts";
import { findProject } from "../../app/project.ts";
import { print, printJson } from "../../display/print.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { paidInWords } from "../../display/words.ts";
import { counted, money, tokens } from "../../util/figures.ts";

interface CostByOptions {
  config?: string;
  json?: boolean;
  by: CostsBy;
  since?: Date;
  limit?: number;
}

const ROWS = 30;

export async function costBy(options: CostByOptions): Promise<number> {
  const { by, since, limit = ROWS } = options;
  const spent = await spentBy(findProject(options), by, since);
  if (options.json) printJson(spentByView(by, spent));
  else if (spent.rows.length === 0) print(nothing(since));
  else print(lines(by, spent, limit).join("\n"));
  return 0;
}

function nothing(since: Date | undefined): string {
  return since ? "Nothing was spent since then." : 'No jobs yet. Start one with: baton run "what to do"';
}

function lines(by: CostsBy, { rows, total }: SpentBy, limit: number): string[] {
  const shown: SpentOn[] = rows.slice(0, limit);
  const all = rows.length > 1 ? [...shown, { on: "all", amounts: total }] : shown;
  const columns = [
    { title: by.toUpperCase(), text: ({ on }: SpentOn) => on },
    { ...RESPONSES, ...(by === "job" && { title: "TURNS" }) },
    ...COST,
    ...(total.simulatedUsd > 0 ? [SIMULATED] : []),
    ...(total.unknown > 0 ? [UNKNOWN] : []),
  ];
  const left = rows.length - shown.length;
  const more =
    left > 0 ? ["", `${counted(left, `more ${by}`)}: baton cost --by ${by} -n ${rows.length}`] : [];
  return [...table(all, columns, tableWidth(process.stdout)), ...more];
}

const RESPONSES: Column<SpentOn> = {
  title: "RESPONSES",
  text: ({ amounts }) => String(amounts.responses),
  align: "right",
  spare: 2,
};

const COST: Column<SpentOn>[] = [
  {
    title: "SENT",
    text: ({ amounts: { input, cacheRead, cacheWrite } }) => tokens(input + cacheRead + cacheWrite),
    align: "right",
    spare: 1,
  },
  { title: "RECEIVED", text: ({ amounts }) => tokens(amounts.output), align: "right", spare: 3 },
  { title: "COST", text: ({ amounts }) => paidInWords(costIn(amounts)), align: "right" },
];

const SIMULATED: Column<SpentOn> = {
  title: "SIMULATED",
  text: ({ amounts }) => (amounts.simulatedUsd > 0 ? money(amounts.simulatedUsd) : ""),
  align: "right",
};

/** Beside which the figure is too low. */
const UNKNOWN: Column<SpentOn> = {
  title: "UNKNOWN",
  text: ({ amounts }) => (amounts.unknown > 0 ? `of ${amounts.unknown}` : ""),
};
