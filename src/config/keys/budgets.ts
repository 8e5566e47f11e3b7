import {
  exampleFix,
  key,
  lacks,
  listOf,
  markOf,
  type Reader,
  section,
  type ValueOf,
} from "../reader/reader.ts";
import { flag, number, oneOf, text } from "../reader/values.ts";

const budgetKeys = {
  scope: key(oneOf("fleet", "agent"), "`fleet`: all agents of the project together; `agent`: one of them"),
  agent: key(text("coder"), "with `scope: agent`, its name"),
  per: key(oneOf("day", "week", "month"), "by the machine's time zone; weeks begin on Monday"),
  cost_usd: key(number({ above: 0 }, "a number above 0", 50), "US dollars, as `baton cost --by` counts them"),
  // biome-ignore lint/suspicious/noThenProperty: users write it, and nobody awaits a reader
  then: key(
    oneOf("warn", "hold", "pause"),
    "once it is used up: `warn` says so, `hold` starts nothing more, `pause` also pauses what runs",
    "pause",
  ),
  simulated: key(
    flag,
    "whether it counts what the simulator answers, too: to try a budget without paying",
    false,
  ),
};

const EXAMPLE = "{ scope: fleet, per: day, cost_usd: 50, then: pause }";
const written = section(budgetKeys, EXAMPLE);

const NEEDED = ["scope", "per", "cost_usd"] as const;

const budget: Reader<ValueOf<typeof written>> = {
  ...written,
  whole: true,
  schema: { ...written.schema, title: "budget", required: [...NEEDED] },
  read(spot, report) {
    const read = written.read(spot, report);
    const missing = NEEDED.filter((name) => lacks(spot.value, name));
    if (missing.length > 0)
      report(markOf(spot), `${spot.name} has no ${missing.join(" and no ")}`, exampleFix(spot, EXAMPLE));
    const namesAgent = !lacks(spot.value, "agent");
    if (read?.scope === "agent" && !namesAgent)
      report(markOf(spot), `${spot.name} is of one agent and names none`, "add its name: agent: coder");
    if (read?.scope === "fleet" && namesAgent)
      report(
        markOf(spot),
        `${spot.name} is of all agents and names one`,
        "leave agent out, or write scope: agent",
      );
    return missing.length > 0 ? undefined : read;
  },
};

export const budgets = listOf(budget, `[${EXAMPLE}]`);

/** In the user's own file: of all its projects together. */
export const budgetsOfAll = listOf(
  {
    ...budget,
    read(spot, report) {
      const read = budget.read(spot, report);
      if (read?.scope !== "agent") return read;
      report(
        markOf(spot),
        `${spot.name} is of one agent, and your own file has none`,
        "write scope: fleet, for all projects together; or put it into the baton.yaml of a project",
      );
      return undefined;
    },
  } satisfies typeof budget,
  `[${EXAMPLE}]`,
);

export type BudgetsLayer = ValueOf<typeof budgets>;
