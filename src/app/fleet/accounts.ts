import { type Account, accountOf } from "../../agents/account.ts";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { agentFor } from "../../agents/registry.ts";
import type { AgentConfig } from "../../config/config.ts";
import { type AccountLimit, limitsIn, phaseOf } from "../../store/fleet/accounts.ts";
import { lookIntoFleetState } from "../../store/sqlite/fleet-state.ts";
import { MINUTE_MS } from "../../util/time.ts";
import type { BarContext } from "./bars.ts";

/** The usage limits that hold jobs of a fleet, by agent. */
export interface LimitedAgents {
  /** Of the account that an agent works for, unless nobody needs to heed it any more. */
  limitOf(project: string, agent: string): AccountLimit | undefined;
  all: AccountLimit[];
}

const NONE: LimitedAgents = { limitOf: () => undefined, all: [] };

/** Where no account is at its limit, nobody asks programs for their sign-in. */
export async function limitedAgents({ state, projects, env, now }: BarContext): Promise<LimitedAgents> {
  const limits = state ? limitsIn(state).filter((limit) => isHeeded(limit, now)) : [];
  if (limits.length === 0) return NONE;
  const found = new Map<string, AccountLimit>();
  for (const { project, config } of projects) {
    for (const agent of config.agents) {
      const { id } = await knownAccount(agent, env ?? ownEnvironment());
      const limit = limits.find(({ account }) => account === id);
      if (limit) found.set(keyOf(project.root, agent.name), limit);
    }
  }
  return {
    limitOf: (project, agent) => found.get(keyOf(project, agent)),
    all: [...new Set(found.values())],
  };
}

/** Every account whose limit some job has met lately, whatever project it was in. */
export function accountsKnown(now: Date) {
  using state = lookIntoFleetState();
  const limits = state ? limitsIn(state).filter((limit) => isHeeded(limit, now)) : [];
  return limits.map((limit) => ({
    account: limit.label,
    state: phaseOf(limit, now),
    until: new Date(limit.until).toISOString(),
    message: limit.message,
  }));
}

const keyOf = (project: string, agent: string) => JSON.stringify([project, agent]);

/** What it held may have to wait for the morning after it was over. */
const HEEDED_MS = 24 * 60 * MINUTE_MS;

function isHeeded(limit: AccountLimit, now: Date): boolean {
  return phaseOf(limit, now) !== "over" || now.getTime() - limit.until < HEEDED_MS;
}

/** Somebody may sign in to another one while a fleet runs. */
const KNOWN_MS = MINUTE_MS;
const known = new WeakMap<AgentConfig, { account: Account; at: number }>();

async function knownAccount(agent: AgentConfig, env: Record<string, string>): Promise<Account> {
  const last = known.get(agent);
  if (last && performance.now() - last.at < KNOWN_MS) return last.account;
  const account = await accountOf(await agentFor(agent), agent, { ...env, ...agent.env });
  known.set(agent, { account, at: performance.now() });
  return account;
}
