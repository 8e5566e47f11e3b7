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
import type { Config } from "../../config/config.ts";
import { type Ways, workingAs } from "../../config/ways.ts";
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
export async function jobOfSession(id: string): Promise<{ job: ReadyJob; ways: Ways } | { refused: string }> {
  const session = await userRegistry().find(id);
  const document = documentOf(session?.handoff);
  if (!session || document === undefined) throw new UsageError(`No handoff of a session ${id} is on record.`);
  const project = findProject({}, session.project);
  const config = await configOf(project);
  const ways = await waysIn(session, config);
  if ("why" in ways) return { refused: ways.why };
  const loaded = await loadDocument(document, project);
  const agent = workingAs(await readyAgent(config, agentOf(loaded, config)), ways);
  return { job: await jobFrom(loaded, project, config, agent, ways), ways };
}

async function waysIn(session: OwnSession, config: Config): Promise<Ways | { why: string }> {
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
