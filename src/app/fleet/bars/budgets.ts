import type { WaitReason } from "../../../fleet/admission.ts";
import { usedUpInBrief } from "../../../job/budgets.ts";
import { usedUpIn } from "../../../jobs/budgets.ts";
import { messageOf } from "../../../util/errors.ts";
import type { Bar, BarContext } from "../bars.ts";

/** Nothing starts of an agent whose budget is used up, or cannot be read. */
export async function barOfBudgets({ projects, now }: Pick<BarContext, "projects" | "now">): Promise<Bar> {
  const reasons = new Map<string, WaitReason>();
  const key = (project: string, agent: string) => JSON.stringify([project, agent]);
  const open = projects.map(({ store }) => store);
  for (const { project, config, store } of projects) {
    if (config.budgets.length === 0) continue;
    for (const { name, budgets } of config.agents) {
      const text = await usedUpIn(store, budgets, now, open).then(
        (used) => used && usedUpInBrief(used),
        (error: unknown) => `what ${name} may still spend cannot be read: ${messageOf(error)}`,
      );
      if (text !== undefined) reasons.set(key(project.root, name), { code: "budget", text });
    }
  }
  return ({ project, agent }) => reasons.get(key(project, agent));
}
