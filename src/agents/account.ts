import type { AgentConfig } from "../config/config.ts";
import { digest } from "../util/digest.ts";
import type { Agent } from "./agent.ts";

/** Whose allowance a session uses up. Jobs of one account meet the same usage limits. */
export interface Account {
  /** Tells nothing of the sign-in itself. */
  id: string;
  /** For people. */
  label: string;
}

/** By the name that the configuration gives it, or by what the program signs in with. */
export async function accountOf(
  agent: Pick<Agent, "name" | "signIn">,
  { account, runtime, command }: Pick<AgentConfig, "account" | "runtime" | "command">,
  env: Record<string, string>,
): Promise<Account> {
  if (account !== undefined) return { id: `name:${account}`, label: account };
  // Where a program does not tell, all that this user runs on it has one account.
  const signIn = (await agent.signIn?.(env)) ?? [runtime, ...(command ?? []), env.HOME ?? ""];
  return { id: `sign-in:${digest(...signIn)}`, label: agent.name };
}
