import type { TokenUsage } from "../../agents/events.ts";
import {
  type CostsBy,
  costIn,
  type SpentBy,
  type SpentOn,
  spentBy,
  spentByView,
  tokensIn,
  totalOf,
} from "../../app/cost/by.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { oneLine } from "../../display/style.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { paidInWords } from "../../display/words.ts";
import type { Amounts } from "../../job/spend.ts";
import { money, tokens } from "../../util/figures.ts";
import { namesOf, projectsIn, type SeveralOptions } from "../fleet/several.ts";

interface CostByOptions extends SeveralOptions {
  json?: boolean;
  by: CostsBy;
  since?: Date;
  limit?: number;
}

type Row = SpentOn & { project: string };

interface OfProjects {
  rows: Row[];
  hasMore: boolean;
  total: Amounts;
}

const ROWS = 30;

export async function costBy(options: CostByOptions): Promise<number> {
  const { by, since, limit = options.json ? Number.MAX_SAFE_INTEGER : ROWS } = options;
  const projects = await projectsIn(options);
  const names = namesOf(projects);
  const all: (SpentBy & { root: string })[] = [];
  for (const project of projects) {
    const spent = await spentBy(project, by, { limit, ...(since && { since }) });
    all.push({ root: project.root, ...spent });
  }
  const found: OfProjects = {
    rows: all.flatMap(({ root, rows }) => rows.map((row) => ({ ...row, project: names.get(root) ?? root }))),
    hasMore: all.some(({ hasMore }) => hasMore),
    total: totalOf(all),
  };
  const isOne = all.length === 1;
  if (options.json) printJson(isOne ? spentByView(by, found) : viewOf(by, all, found.total));
  else if (found.rows.length === 0) printWords(nothing(since));
  else print(lines(by, found, isOne).join("\n"));
  return 0;
}

/** Of several projects: its keys are a promise to users. */
function viewOf(by: CostsBy, all: readonly (SpentBy & { root: string })[], total: Amounts) {
  return {
    by,
    projects: all.map(({ root, ...spent }) => ({ project: root, ...spentByView(by, spent) })),
    total: spentByView(by, { rows: [], hasMore: false, total }).total,
  };
}

function nothing(since: Date | undefined): string {
  return since ? "Nothing was spent since then." : 'No jobs yet. Start one with: baton run "what to do"';
}

function lines(by: CostsBy, { rows, hasMore, total }: OfProjects, isOne: boolean): string[] {
  const sums = { on: "all", amounts: total, project: "" };
  const all = rows.length > 1 || hasMore ? [...rows, sums] : rows;
  const columns = [
    ...(isOne ? [] : [{ title: "PROJECT", text: ({ project }: Row) => oneLine(project) }]),
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
