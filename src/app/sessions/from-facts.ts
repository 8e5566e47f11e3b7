import { ownEnvironment } from "../../agents/own-environment.ts";
import { agentNamed } from "../../config/agent-named.ts";
import { configWithoutFile } from "../../config/without-file.ts";
import { storeFromFacts } from "../../sessions/handoff/submit.ts";
import { note } from "../../sessions/record/mail.ts";
import { userRegistry } from "../../sessions/record/registry.ts";
import { announce } from "../../sessions/terminal/tmux.ts";
import { configOf, findProject } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { handoffSettings } from "./handoff-settings.ts";
import { lookUpJobs } from "./started-jobs.ts";

/**
 * Writes the document of a person's session from what a machine knows of it, and tells them where it is unless somebody
 * else does. Undefined where there is nothing to write.
 */
export async function writeFromFacts(
  id: string,
  { tell }: { tell: boolean },
): Promise<{ number: number; documentPath: string } | undefined> {
  const registry = userRegistry();
  const session = await registry.find(id);
  if (!session) throw new UsageError(`No session ${id} is registered. \`baton status\` lists them.`);
  // A mistake in a file must not cost the document of a session that is about to be compacted.
  const config = await configOf(findProject({}, session.project)).catch(() =>
    configWithoutFile(session.project),
  );
  const { env } = agentNamed(config);
  const stored = await storeFromFacts(id, {
    registry,
    handoff: await handoffSettings(session, config),
    env: { ...ownEnvironment(), ...env },
    checkMessage: config.watch.message,
    lookUpJobs,
  });
  if (!stored || !tell) return stored;
  const text = `Baton wrote handoff ${stored.number} from facts, because the agent did not: ${stored.documentPath}`;
  await note(registry, id, text);
  if (session.pane) await announce(session.pane, `Baton: ${text}`);
  return stored;
}
