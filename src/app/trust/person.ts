import { agentBehind, insideAgent } from "../../agents/inside-agent.ts";
import { UsageError } from "../usage-error.ts";

/** How it is told whether an agent asks. Tests, which agents run too, put another answer in its place. */
export const asker = {
  insideAgent: () => insideAgent(),
  /** The same of another process, which asks something of this one. */
  agentBehind: (pid: number) => agentBehind(pid),
};

/** An agent must not agree to what it wrote itself, nor answer for whoever it has to ask. */
export async function refuseInsideAgent(what = "trust a project"): Promise<void> {
  const why = await asker.insideAgent();
  if (why === undefined) return;
  throw new UsageError(
    `Only a person can ${what}, and this process is not a person's: ${why}. Run it in a terminal of your own.`,
  );
}
