import type { TokenUsage } from "../../agents/agent.ts";
import {
  type CostsBy,
  costIn,
  type SpentBy,
  type SpentOn,
  spentBy,
  spentByView,
  tokensIn,
} from "../../app/cost/by.ts";
import { findProject } from "../../app/project.ts";
import { print, printJson } from "../../display/print.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { paidInWords } from "../../display/words.ts";
import { money, tokens } from "../../util/figures.ts";

interface CostByOptions {
  config?: string;
  json?: boolean;
  by: CostsBy;
  since?: Date;
  limit?: number;
}

const ROWS = 30;

export async function costBy(options: CostByOptions): Promise<number> {
  const { by, since, limit = options.json ? Number.MAX_SAFE_INTEGER : ROWS } = options;
  const spent = await spentBy(findProject(options), by, { limit, ...(since && { since }) });
  if (options.json) printJson(spentByView(by, spent));
  else if (spent.rows.length === 0) print(nothing(since));
  else print(lines(by, spent).join("\n"));
  return 0;
}

function nothing(since: Date | undefined): string {
  return since ? "Nothing was spent since then." : 'No jobs yet. Start one with: baton run "what to do"';
}

function lines(by: CostsBy, { rows, hasMore, total }: SpentBy): string[] {
  const all = rows.length > 1 || hasMore ? [...rows, { on: "all", amounts: total }] : rows;
  const columns = [
    { title: by.toUpperCase(), text: ({ on }: SpentOn) => on },
    { ...RESPONSES, ...(by === "job" && { title: "TURNS" }) },
    ...COST,
    ...(total.simulatedUsd > 0 ? [SIMULATED] : []),
    ...(total.unknown > 0 ? [UNKNOWN] : []),
  ];
  const more = hasMore ? ["", `More of them: baton cost --by ${by} -n ${rows.length * 10}`] : [];
  return [...table(all, columns, tableWidth(process.stdout)), ...more];
}

/** Not every program tells them. */
function tokensInWords(amounts: SpentOn["amounts"], of: (usage: TokenUsage) => number): string {
  const usage = tokensIn(amounts);
  return usage === null ? "–" : tokens(of(usage));
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
    text: ({ amounts }) =>
      tokensInWords(amounts, ({ input, cacheRead, cacheWrite }) => input + cacheRead + cacheWrite),
    align: "right",
    spare: 1,
  },
  {
    title: "RECEIVED",
    text: ({ amounts }) => tokensInWords(amounts, ({ output }) => output),
    align: "right",
    spare: 3,
  },
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
