import type { AgentConfig } from "../../../config/config.ts";
import type { WaitReason } from "../../../fleet/admission.ts";
import { type AccountLimit, isTrying, phaseOf } from "../../../store/fleet/accounts.ts";
import { age } from "../../../util/figures.ts";
import { clock, outside } from "../../../util/hours.ts";
import { limitedAgents } from "../accounts.ts";
import type { Bar, BarContext } from "../bars.ts";

/** Nothing starts of an account that is at its usage limit; after the reset one job at a time does. */
export async function barOfAccounts(context: BarContext): Promise<Bar> {
  const { projects, now } = context;
  const { limitOf, all } = await limitedAgents(context);
  if (all.length === 0) return () => undefined;
  const configs = new Map(projects.map(({ project, config }) => [project.root, config.agents]));
  return ({ project, agent, queuedAt }) => {
    const config = configs.get(project)?.find(({ name }) => name === agent);
    const limit = limitOf(project, agent);
    if (!limit || !config) return undefined;
    const reason = reasonOf(limit, { config, queuedAt }, now);
    const { onLimit, fallback } = config.session;
    const isFree = (other: string) => {
      const its = limitOf(project, other);
      return !its || phaseOf(its, now) === "over";
    };
    // Whoever stands in for it can begin.
    return onLimit === "switch" && fallback.some(isFree) ? undefined : reason;
  };
}

function reasonOf(
  limit: AccountLimit,
  { config, queuedAt }: { config: AgentConfig; queuedAt: string },
  now: Date,
): WaitReason | undefined {
  const { until, label, trying } = limit;
  const { notAfter } = config.session;
  const phase = phaseOf(limit, now);
  const reset = new Date(Math.max(until, now.getTime()));
  const starts = outside(notAfter, reset);
  if (phase === "limited") {
    const later = starts > reset ? `, and what waits starts at ${clock(starts)} (session.not_after)` : "";
    const left = age(until - now.getTime());
    return reasonWith(
      `${label} is at its usage limit, which resets at ${clock(new Date(until))}, in ${left}${later}`,
    );
  }
  // What came after the reset did not wait for it.
  if (starts > now && Date.parse(queuedAt) < until) {
    return reasonWith(
      `the limit of ${label} has reset, and what waited for it starts at ${clock(starts)} (session.not_after)`,
    );
  }
  if (phase === "over" || !isTrying(trying, now)) return undefined;
  return reasonWith(
    `the limit of ${label} has reset, and jobs start one by one: ${trying.job} is tried first`,
  );
}

const reasonWith = (text: string): WaitReason => ({ code: "limit", text });
