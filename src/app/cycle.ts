import { agentNamed } from "../config/agent-named.ts";
import { type Ending, type Limits, runCycle } from "../sessions/handoff/cycle.ts";
import { userRegistry } from "../sessions/record/registry.ts";
import { elsewhereFor } from "./elsewhere.ts";
import { configOf, findProject } from "./project.ts";
import { reachOf } from "./reach.ts";
import { UsageError } from "./usage-error.ts";

/** What comes after the stored handoff of a person's session, wherever that is to be. */
export async function cycleOf(
  id: string,
  options: { limits?: Partial<Limits>; signal?: AbortSignal },
): Promise<Ending> {
  const registry = userRegistry();
  const session = await registry.find(id);
  if (!session) throw new UsageError(`No session ${id} is registered. \`baton status\` lists them.`);
  const { handoff, notify } = agentNamed(await configOf(findProject({}, session.project)));
  return runCycle(id, {
    registry,
    handoff,
    elsewhere: elsewhereFor(session, registry),
    notify: async (notice) => {
      const reach = reachOf(process.stderr, process.env);
      if (notify.desktop && notify.events.includes(notice.event)) await reach.desktop(notice);
    },
    ...options,
  });
}
