import type { AnswerOf } from "../../../src/http/contract.ts";
import { Bar } from "../../parts/bar.tsx";
import { Status } from "../../parts/status.tsx";
import { lasting, moment, money, percent } from "../../parts/words.ts";

type Budget = AnswerOf<"listBudgets">["budgets"][number];

const ACTIONS: Record<string, string> = {
  warn: "Baton warns",
  hold: "nothing more starts",
  pause: "running jobs pause",
};

export function Budgets({ budgets, now }: { budgets: readonly Budget[]; now: Date }) {
  return (
    <div class="rows">
      <div class="group">
        <h2>Budgets</h2>
      </div>
      {budgets.length === 0 && (
        <p class="entry inset soft">
          No budget caps what is spent. Add one to baton.yaml:{" "}
          <code>{"budgets: [{ scope: fleet, per: day, cost_usd: 50 }]"}</code>
        </p>
      )}
      {budgets.map((budget) => (
        <BudgetLine
          key={`${budget.project} ${budget.agent} ${budget.per} ${budget.costUsd}`}
          budget={budget}
          now={now}
        />
      ))}
    </div>
  );
}

function BudgetLine({ budget, now }: { budget: Budget; now: Date }) {
  const { agent, per, costUsd, spentUsd, usedUp, action, problem } = budget;
  const share = (spentUsd ?? 0) / costUsd;
  return (
    <div class="entry">
      <div class="line budget">
        <Status
          status={usedUp ? "failed" : share >= 0.85 ? "paused" : "completed"}
          word={usedUp ? "used up" : share >= 0.85 ? "nearly" : "within"}
        />
        <span class="wide">
          <span class="title">
            {agent ?? "All agents"}, {money(costUsd)} a {per}
          </span>
          <span class="meta">When it is used up, {ACTIONS[action] ?? action}.</span>
        </span>
        <span class="gauge wide">
          <Bar share={share} />
          <span>
            {money(spentUsd ?? 0)} · {percent(share)}
          </span>
        </span>
        <span class="meta wide">{problem ?? forecast(budget, now)}</span>
      </div>
    </div>
  );
}

/** If the rest of the time is like what has passed of it. */
function forecast({ from, to, spentUsd = 0, costUsd, usedUp, per }: Budget, at: Date): string {
  if (from === undefined || to === undefined) return "";
  const [start, end] = [Date.parse(from), Date.parse(to)];
  if (usedUp) return `the next ${per} begins ${moment(end, at)}`;
  const passed = Math.max(0, at.getTime() - start);
  // A tenth of the time says little about the rest.
  if (passed < (end - start) / 10 || spentUsd === 0) return `until ${moment(end, at)}`;
  const whole = (spentUsd / passed) * (end - start);
  if (whole < costUsd) return `at this pace ${money(whole)} by ${moment(end, at)}`;
  const left = ((costUsd - spentUsd) / spentUsd) * passed;
  return `at this pace used up in ${lasting(left)}`;
}
