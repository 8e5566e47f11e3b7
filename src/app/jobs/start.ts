import { isOfSession } from "../../agents/claude/own/surroundings.ts";
import type { Config } from "../../config/config.ts";
import { newJobId } from "../../jobs/new-id.ts";
import type { JobOrigin } from "../../jobs/new-job.ts";
import type { Project } from "../project.ts";
import { readyAgent } from "./ready.ts";
import type { ReadyJob } from "./ready-job.ts";
import { canStartAhead, startAhead } from "./start-ahead.ts";

interface WantedJob {
  config: Config;
  /** The name of the agent. Needed where there are several. */
  agent: string | undefined;
  prompt: string;
  origin: Omit<JobOrigin, "path">;
  /** Another process is to run it. */
  elsewhere?: boolean;
  /** Told before the job is on record, while its agent's program starts up. */
  begins?: (job: string) => Promise<void>;
}

/** A new job on record, ready to be run: where that is done here, its agent's program starts up while the store is opened. */
export async function startJob(project: Project, wanted: WantedJob): Promise<ReadyJob> {
  const { config, prompt, origin, elsewhere = false, begins } = wanted;
  const agent = await readyAgent(config, wanted.agent);
  const startedBy = origin.startedBy ?? (await startedFrom());
  const reports = startedBy !== undefined;
  const id = newJobId();
  const ahead = !elsewhere && canStartAhead(agent) ? await startAhead(agent, id, { reports }) : undefined;
  const endAhead = async () => ahead?.[Symbol.asyncDispose]();
  try {
    await begins?.(id);
    const { newJobIn } = await import("./ready-job.ts");
    const job = await newJobIn(project, {
      config,
      agent,
      prompt,
      id,
      origin: { ...origin, ...(startedBy && { startedBy }) },
      ...(ahead && { ahead }),
    });
    return {
      ...job,
      async [Symbol.asyncDispose]() {
        await job[Symbol.asyncDispose]();
        await endAhead();
      },
    };
  } catch (error) {
    await endAhead();
    throw error;
  }
}

/** The session of a person's in whose shell this is. Nothing is looked up where there is no sign of one. */
export async function startedFrom(): Promise<string | undefined> {
  if (!isOfSession(process.env)) return undefined;
  const { startingSession } = await import("../sessions/started-jobs.ts");
  return startingSession();
}
