import type { Job } from "../../job/job.ts";

/** Who may run a job, and who of them cannot at the moment. */
export interface Choice {
  /** The first agent, then those that stand in for it, in their order. */
  order: readonly string[];
  /** The one that runs it. */
  current: string;
  out: Job["out"];
  now: number;
}

/** The first of the others that can work, as far as is known. */
export function freeAgent({ order, current, out, now }: Choice): string | undefined {
  return order.find((name) => name !== current && isFree(out, name, now));
}

/** The one of the others that can work first, and when. Undefined where only a person could change that. */
export function soonestAgent({ order, current, out }: Choice): { agent: string; at: number } | undefined {
  return order
    .filter((name) => name !== current)
    .flatMap((agent) => {
      const at = out?.[agent]?.until;
      return at === null || at === undefined ? [] : [{ agent, at }];
    })
    .sort((a, b) => a.at - b.at)
    .at(0);
}

/** The agent that is to have the job back from who runs it, at a handoff. A person who chose another one stays with it. */
export function agentToReturnTo(choice: Choice, runsOn: Job["runsOn"]): string | undefined {
  const { order, current, out, now } = choice;
  if (!runsOn || runsOn.reason === "manual") return undefined;
  return order.slice(0, Math.max(0, order.indexOf(current))).find((name) => isFree(out, name, now));
}

function isFree(out: Job["out"], name: string, now: number): boolean {
  const known = out?.[name];
  return known === undefined || (known.until !== null && known.until <= now);
}
