import type { AgentConfig } from "../../config/config.ts";

/** Whether a person is asked about what the agent's rules do not allow: one who takes part is, unless the user says otherwise. */
export function asksPerson({ approvals }: Pick<AgentConfig, "approvals">, isAttended: boolean): boolean {
  return (approvals.prompts ?? (isAttended ? "ask" : "deny")) === "ask";
}
