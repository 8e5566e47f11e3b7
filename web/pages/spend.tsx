import type { AnswerOf } from "../../src/http/contract.ts";
import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { now } from "../data/clock.ts";
import { rowOf, rows } from "../data/fleet.ts";
import { useKeys } from "../data/keys.ts";
import { filter, query } from "../data/place.ts";
import { Answer, Nothing } from "../parts/answer.tsx";
import { Bar } from "../parts/bar.tsx";
import { DayBars } from "../parts/day-bars.tsx";
import { csv, download } from "../parts/download.ts";
import { count, counted, lasting, moment, money, percent } from "../parts/words.ts";
import { Budgets } from "./spend/budgets.tsx";
import { Times } from "./spend/times.tsx";

type Spent = AnswerOf<"getCost">["projects"][number]["total"];
type SpentRow = AnswerOf<"getCost">["projects"][number]["rows"][number];
type Account = AnswerOf<"listAccounts">["accounts"][number];
type By = "day" | "agent" | "model" | "job";

const PERIODS = [
  { days: 1, name: "today", key: "1" },
  { days: 7, name: "7 days", key: "2" },
  { days: 30, name: "30 days", key: "3" },
] as const;

/** With models that were not paid for, what they would have cost. */
const usdOf = ({ costUsd, simulatedCostUsd = 0 }: Spent) => (costUsd ?? 0) + simulatedCostUsd;

/** What it costs: by day, agent and model, what is left of budgets, which accounts are at their limit, and where the time went. */
export default function Spend() {
  const days = PERIODS.find((period) => String(period.days) === query.value.get("days"))?.days ?? 7;
  const since = startOf(days, now.value);
  const newest = rows.value[0]?.updatedAt.slice(0, 16);
  const answer = useAsked((signal) => asked(since, signal), [since, newest]);
  const choose = (wanted: number) => filter({ days: wanted === 7 ? "" : String(wanted) });
  const save = () => answer.value && download("spend.csv", "text/csv", asTable(answer.value));
  useKeys([
    ...PERIODS.map(({ days, name, key }) => ({ key, does: `spend of ${name}`, run: () => choose(days) })),
    { key: "D", does: "save it as CSV", run: save },
  ]);
  return (
    <section>
      <h1>Spend</h1>
      <div class="filters periods">
        <fieldset class="segments">
          <legend class="hidden-from-eyes">Since when</legend>
          {PERIODS.map((period) => (
            <label key={period.days}>
              <input
                type="radio"
                name="days"
                checked={period.days === days}
                onChange={() => choose(period.days)}
              />
              {period.name}
            </label>
          ))}
        </fieldset>
        <button type="button" onClick={save}>
          Save as CSV<kbd>D</kbd>
        </button>
      </div>
      <Answer of={answer}>
        {({ total, byDay, byAgent, byModel, byJob, budgets, accounts, times }) => (
          <>
            <Accounts accounts={accounts} now={now.value} />
            {total.responses === 0 ? (
              <>
                <Nothing
                  says="Nothing was spent in this time. What jobs cost is counted with every answer of a model:"
                  command="baton cost --by day"
                />
                <Times times={times} />
              </>
            ) : (
              <>
                <p class="lead">{totalInWords(total)}</p>
                {days > 1 && <DayBars days={daysOf(byDay, days, now.value)} />}
                <div class="pair">
                  <Shares name="By agent" rows={byAgent} of="agent" />
                  <Shares name="By model" rows={byModel} of="model" />
                </div>
                <div class="pair">
                  <Shares name="The jobs that cost most" rows={byJob} of="job" />
                  <Times times={times} />
                </div>
              </>
            )}
            <Budgets budgets={budgets} now={now.value} />
          </>
        )}
      </Answer>
    </section>
  );
}

async function asked(since: string, signal: AbortSignal) {
  const cost = (by: By) => api.getCost({ by, since, limit: 100 }, undefined, { signal });
  const [day, agent, model, job, { budgets }, { accounts }, { projects: times }] = await Promise.all([
    cost("day"),
    cost("agent"),
    cost("model"),
    cost("job"),
    api.listBudgets({}, undefined, { signal }),
    api.listAccounts({}, undefined, { signal }),
    api.getTime({ since }, undefined, { signal }),
  ]);
  return {
    total: model.projects.map(({ total }) => total).reduce(sum, NOTHING),
    byDay: merged(day, "day"),
    byAgent: merged(agent, "agent"),
    byModel: merged(model, "model"),
    byJob: merged(job, "job"),
    budgets,
    accounts,
    times: times.map(({ total }) => total),
  };
}

/** Every row that is on the page, with its tokens. */
function asTable({ byDay, byAgent, byModel, byJob }: Awaited<ReturnType<typeof asked>>): string {
  const lines = (
    [
      ["day", byDay],
      ["agent", byAgent],
      ["model", byModel],
      ["job", byJob],
    ] as const
  ).flatMap(([by, its]) =>
    its.map((row) => {
      const { responses, usage, costUsd, simulatedCostUsd = 0, costEstimated } = row;
      const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = usage ?? {};
      const cost = [costUsd ?? "", simulatedCostUsd, costEstimated ? "yes" : "no"];
      return [by, row[by] ?? "", ...cost, responses, input, output, cacheRead, cacheWrite];
    }),
  );
  const heads = "by,name,cost_usd,simulated_usd,estimated,responses,input,output,cache_read,cache_write";
  return csv([heads.split(","), ...lines]);
}

/** Midnight, by the clock of this browser. */
function startOf(days: number, at: Date): string {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() - days + 1).toISOString();
}

const NOTHING: Spent = { responses: 0, usage: null, costUsd: 0, costEstimated: false, ofUnknownCost: 0 };

function sum(a: Spent, b: Spent): Spent {
  const usage = (key: "input" | "output" | "cacheRead" | "cacheWrite") =>
    (a.usage?.[key] ?? 0) + (b.usage?.[key] ?? 0);
  return {
    responses: a.responses + b.responses,
    usage: {
      input: usage("input"),
      output: usage("output"),
      cacheRead: usage("cacheRead"),
      cacheWrite: usage("cacheWrite"),
    },
    costUsd: (a.costUsd ?? 0) + (b.costUsd ?? 0),
    costEstimated: a.costEstimated || b.costEstimated,
    simulatedCostUsd: (a.simulatedCostUsd ?? 0) + (b.simulatedCostUsd ?? 0),
    ofUnknownCost: a.ofUnknownCost + b.ofUnknownCost,
  };
}

/** Of all projects together. */
function merged({ projects }: AnswerOf<"getCost">, by: By): SpentRow[] {
  const rows = projects.flatMap((project) => project.rows);
  return [...Map.groupBy(rows, (row) => row[by] ?? "")].map(([name, its]) => ({
    [by]: name,
    ...its.reduce<Spent>(sum, NOTHING),
  }));
}

function totalInWords(total: Spent): string {
  const { responses, usage, costEstimated, simulatedCostUsd = 0, costUsd, ofUnknownCost } = total;
  const read = (usage?.input ?? 0) + (usage?.cacheRead ?? 0) + (usage?.cacheWrite ?? 0);
  const parts = [
    simulatedCostUsd > 0 && (costUsd ?? 0) === 0
      ? `${money(simulatedCostUsd)} by simulated models, which cost nothing`
      : `${money(costUsd ?? 0)}${costEstimated ? ", partly estimated" : ""}`,
    ...(simulatedCostUsd > 0 && (costUsd ?? 0) > 0
      ? [`and ${money(simulatedCostUsd)} by simulated models, which cost nothing`]
      : []),
    counted(responses, "answer"),
    ...(read > 0
      ? [`${count(read)} tokens read, ${percent((usage?.cacheRead ?? 0) / read)} of them from the cache`]
      : []),
    ...(ofUnknownCost > 0 ? [`the cost of ${counted(ofUnknownCost, "session")} is not known`] : []),
  ];
  return `${parts.join(" · ")}.`;
}

/** Every day of the time, also those on which nothing was spent. */
function daysOf(spent: readonly SpentRow[], days: number, at: Date) {
  return Array.from({ length: days }, (_, index) => {
    const date = new Date(at.getFullYear(), at.getMonth(), at.getDate() - days + 1 + index);
    const two = (figure: number) => String(figure).padStart(2, "0");
    const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
    const row = spent.find((each) => each.day === day);
    return { date, usd: row ? usdOf(row) : 0 };
  });
}

const MOST_SHARES = 10;

function Shares({
  name,
  rows: spent,
  of,
}: {
  name: string;
  rows: readonly SpentRow[];
  of: "agent" | "model" | "job";
}) {
  const sorted = spent
    .filter((row) => usdOf(row) > 0)
    .toSorted((a, b) => usdOf(b) - usdOf(a))
    .slice(0, MOST_SHARES);
  const most = Math.max(1e-9, ...sorted.map(usdOf));
  return (
    <div class="card">
      <h2>{name}</h2>
      <ul class="plain-list shares">
        {sorted.map((row) => (
          <li key={row[of]} class="share">
            {of === "job" && row.job ? (
              <a class="title" href={`/jobs/${row.job}`}>
                {rowOf(row.job)?.title ?? row.job}
              </a>
            ) : (
              <span class="title" title={row[of]}>
                {row[of] || "not known"}
              </span>
            )}
            <Bar share={usdOf(row) / most} isNear={false} />
            <span class="num">
              {row.costEstimated && "est. "}
              {money(usdOf(row))}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Accounts({ accounts, now }: { accounts: readonly Account[]; now: Date }) {
  return (
    <>
      {accounts
        .filter(({ state }) => state !== "over")
        .map(({ account, state, until, message }) => (
          <div class="notice" key={account}>
            {state === "limited" ? (
              <>
                <b>{account}</b> is at its usage limit, which resets {moment(until, now)}, in{" "}
                {lasting(Date.parse(until) - now.getTime())}.
              </>
            ) : (
              <>
                The limit of <b>{account}</b> has reset: jobs continue one by one.
              </>
            )}{" "}
            <span class="soft">{message}</span>
          </div>
        ))}
    </>
  );
}
