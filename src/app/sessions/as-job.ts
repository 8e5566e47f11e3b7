import { startOptions } from "../../agents/claude/own/launch.ts";
import { permissionSettings } from "../../agents/claude/own/permissions/settings.ts";
import { permissionTrail } from "../../agents/claude/own/permissions/trail.ts";
import { waysOf } from "../../agents/claude/own/permissions/ways.ts";
import { userSettings } from "../../agents/claude/own/plugin-settings.ts";
import { folderOf } from "../../agents/claude/own/transcript.ts";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { agentFor } from "../../agents/registry.ts";
import { repositoryAccess } from "../../agents/repository.ts";
import { agentNamed } from "../../config/agent-named.ts";
import type { Chosen } from "../../config/chosen.ts";
import type { Config } from "../../config/config.ts";
import { workingAs } from "../../config/ways.ts";
import type { Job } from "../../job/job.ts";
import { documentOf } from "../../sessions/record/handoff-questions.ts";
import { note } from "../../sessions/record/mail.ts";
import { userRegistry } from "../../sessions/record/registry.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { agentOf, jobFrom, loadDocument } from "../jobs/continue-from.ts";
import { readyAgent } from "../jobs/ready.ts";
import type { ReadyJob } from "../jobs/ready-job.ts";
import { configOf, findProject } from "../project.ts";
import { UsageError } from "../usage-error.ts";

/** A job that continues a person's own session, and works as that did. `refused`: why there can be none. */
export async function jobOfSession(
  id: string,
): Promise<{ job: ReadyJob; chosen: Chosen } | { refused: string }> {
  const session = await userRegistry().find(id);
  const document = documentOf(session?.handoff);
  if (!session || document === undefined) throw new UsageError(`No handoff of a session ${id} is on record.`);
  if (session.role === "orchestrator") return { refused: ORCHESTRATES };
  const project = findProject({}, session.project);
  const found = await waysIn(session, await configOf(project));
  if ("why" in found) return { refused: found.why };
  const { model, permissionMode, ...ways } = found;
  const chosen: Chosen = { ...(model !== undefined && { model }), permissionMode };
  const config = await configOf(project, { chosen });
  const loaded = await loadDocument(document, project);
  const name = agentOf(loaded, config);
  const most = agentNamed(config, name).permissionMode;
  if (most !== permissionMode) return { refused: beyondMaximums(permissionMode, most) };
  const agent = workingAs(await readyAgent(config, name), ways);
  return { job: await jobFrom(loaded, project, config, agent, { ways }), chosen };
}

/** A job has neither the list of workers nor the ear for what they report. */
const ORCHESTRATES = "it orchestrates workers, and a job in the background cannot";

function beyondMaximums(wanted: string, most: string | undefined): string {
  return `it works in permission mode ${wanted}, and your maximums allow a job no more than ${most}`;
}

async function waysIn(session: OwnSession, config: Config): Promise<ReturnType<typeof waysOf>> {
  const { transcript, process, permissionMode } = session;
  if (transcript === null) return { why: "it has no transcript that tells how it works" };
  const env = ownEnvironment();
  const folder = (await folderOf(transcript).catch(() => undefined)) ?? session.cwd;
  const [trail, options] = await Promise.all([permissionTrail(transcript), startOptions(process)]);
  const given = options?.findLast(({ name }) => name === "--settings")?.values[0];
  const settings = await permissionSettings(folder, { own: userSettings(env), given });
  const { reads } = await repositoryAccess(await agentFor(agentNamed(config)), folder);
  return waysOf({ folder, mode: permissionMode, trail, settings, options, env, readsRepository: reads });
}

/** Tells the person in the session how the job ended that continues it. */
export async function tellOfJob(id: string, { id: job, status, deniedToolCalls }: Job): Promise<void> {
  const denied =
    deniedToolCalls > 0
      ? ` ${deniedToolCalls} of its tool calls were denied: it may not have done all of its work.`
      : "";
  await note(
    userRegistry(),
    id,
    `Job ${job}, which continued this session, is ${status}.${denied} See \`baton show ${job}\`.`,
  );
}
