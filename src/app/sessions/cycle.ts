import { agentNamed } from "../../config/agent-named.ts";
import { type Ending, type Limits, runCycle } from "../../sessions/handoff/cycle.ts";
import { hookLogPath, logHook } from "../../sessions/hooks/log.ts";
import { note } from "../../sessions/record/mail.ts";
import { userRegistry } from "../../sessions/record/registry.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { announce } from "../../sessions/terminal/tmux.ts";
import { messageOf } from "../../util/errors.ts";
import { configOf, findProject } from "../project.ts";
import { reachOf } from "../reach.ts";
import { UsageError } from "../usage-error.ts";
import { elsewhereFor } from "./elsewhere.ts";
import { handoffSettings } from "./handoff-settings.ts";
import { noticesFor } from "./notices.ts";

/** What comes after the stored handoff of a person's session, wherever that is to be. */
export async function cycleOf(
  id: string,
  options: { limits?: Partial<Limits>; signal?: AbortSignal },
): Promise<Ending> {
  const registry = userRegistry();
  const session = await registered(id);
  const config = await configOf(findProject({}, session.project));
  const handoff = await handoffSettings(session, config);
  return runCycle(id, {
    registry,
    handoff,
    elsewhere: elsewhereFor(session, registry),
    notify: noticesFor(session, agentNamed(config), reachOf(process.stderr, process.env)),
    ...options,
  });
}

/** The same behind a person's back, as a hook starts it: what goes wrong is put where they will see it. */
export async function cycleBehind(id: string, limits: Partial<Limits>): Promise<Ending> {
  await registered(id);
  try {
    return await cycleOf(id, { limits });
  } catch (error) {
    await tell(id, messageOf(error));
    throw error;
  }
}

async function registered(id: string): Promise<OwnSession> {
  const session = await userRegistry().find(id);
  if (session) return session;
  throw new UsageError(`No session ${id} is registered. \`baton status\` lists them.`);
}

async function tell(id: string, why: string): Promise<void> {
  logHook(hookLogPath(), `cycle: ${why}`);
  const registry = userRegistry();
  const session = await registry.find(id);
  if (!session?.handoff) return;
  const text = `Handoff ${session.handoff.number} is stored, but it could not continue: ${why}`;
  const isSaid = session.mail.some((mail) => mail.text === text);
  if (!isSaid) await note(registry, id, text);
  if (session.pane) await announce(session.pane, `Baton: ${text}`);
}
