import type { Chosen } from "../../config/chosen.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import type { JournalEvent } from "../../job/events.ts";
import { emptyJob, type Job } from "../../job/job.ts";
import { newJobId } from "../../jobs/new-id.ts";
import { given } from "../../util/given.ts";
import { configOf, hasStore, openProjectStore, openStoreOfJobs, type Project } from "../project.ts";
import { readyAgent } from "./ready.ts";
import type { ReadyJob } from "./ready-job.ts";
import { type ResumeChoice, type Resumption, resumable } from "./resumable.ts";
import type { Ahead } from "./start-ahead.ts";

/** What a person talks with, and in which job: a new one, or that of an earlier chat. */
export interface ChatSetting {
  project: Project;
  config: Config;
  agent: AgentConfig;
  /** As it is before it was opened. */
  job: Job;
  /** What was said first in the chat that this one continues. */
  earlierPrompt?: string;
  /** The last of what was said in it, oldest first. */
  earlier?: JournalEvent[];
  /** Where there is an earlier one. */
  resumed?: Resumption;
}

/** A chat with the agent of this name, or the first one. */
export async function newChat(
  project: Project,
  name: string | undefined,
  chosen?: Chosen,
): Promise<ChatSetting> {
  const config = await configOf(project, given({ chosen }));
  const agent = await readyAgent(config, name);
  return { project, config, agent, job: jobOf(newJobId(), agent) };
}

/** One that was cut off or cancelled, by its job. */
export async function resumedChat(
  project: Project,
  named: string,
  options: ResumeChoice,
): Promise<ChatSetting> {
  const { earlier, said } = await earlierChat(project, named);
  const { config, agent, resumed } = await resumable(earlier, project, options);
  const job = jobOf(earlier.id, agent);
  return { project, config, agent, job, earlierPrompt: earlier.prompt, earlier: said, resumed };
}

/** The job of the chat, to be run. A new one is recorded first. */
export async function chatJob(setting: ChatSetting, prompt: string, ahead?: Ahead): Promise<ReadyJob> {
  const { project, config, agent, job, resumed } = setting;
  const { newJobIn, readyIn } = await import("./ready-job.ts");
  if (resumed === undefined) {
    const origin = { attended: true as const };
    return newJobIn(project, { config, agent, prompt, origin, id: job.id, ...(ahead && { ahead }) });
  }
  return readyIn(await openProjectStore(project), async () => ({
    config: agent,
    maintenance: config.maintenance,
    job: job.id,
    resumed,
  }));
}

const MOST_REMEMBERED = 200;

/** What people sent in earlier chats of the project, oldest first. */
export async function saidBefore(project: Project): Promise<string[]> {
  if (!hasStore(project)) return [];
  const { saidInChats } = await import("../../store/chat-messages.ts");
  await using store = await openProjectStore(project);
  return await saidInChats(store, MOST_REMEMBERED);
}

/** The files of a folder that git does not ignore, for a person to name. None where there is no repository. */
export async function filesIn(folder: string): Promise<string[]> {
  const { filesBelow } = await import("../../git/files-below.ts");
  return filesBelow(folder);
}

const LAST_SAID = 6;

async function earlierChat(project: Project, id: string): Promise<{ earlier: Job; said: JournalEvent[] }> {
  const [{ findJob }, { lastSaidIn }] = await Promise.all([
    import("../../store/jobs.ts"),
    import("../../store/chat-messages.ts"),
  ]);
  await using store = await openStoreOfJobs(project);
  const earlier = await findJob(store, id);
  return { earlier, said: await lastSaidIn(store, earlier.id, LAST_SAID) };
}

function jobOf(id: string, agent: AgentConfig): Job {
  return { ...emptyJob(id), agent: agent.name };
}
