import {
  configOf,
  findProject,
  hasStore,
  openProjectStore,
  openStoreOfJobs,
  type Project,
} from "../../app/project.ts";
import { readyAgent } from "../../app/ready.ts";
import { resumable } from "../../app/resumable.ts";
import { canStartAhead, startAhead } from "../../app/start-ahead.ts";
import { UsageError } from "../../app/usage-error.ts";
import { Chat } from "../../chat/chat.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import { paintFor } from "../../display/style.ts";
import { newJobId } from "../../job/id.ts";
import type { Job } from "../../job/job.ts";
import { EXIT, exitCodeOf } from "../exit.ts";
import { hasKeyboard } from "./keyboard.ts";

export interface ChatOptions {
  config?: string;
  resume?: string;
  json?: boolean;
}

/** Where a chat takes place. `earlier`: the job of a chat that it continues. */
interface Setting {
  project: Project;
  config: Config;
  agent: AgentConfig;
  earlier?: Job;
  /** Said in the journal first where there is an earlier one. */
  resumed?: string;
}

/** Talks with an agent on this terminal until the person ends it. */
export async function chat(name: string | undefined, options: ChatOptions): Promise<number> {
  refuseWithoutTerminal(options);
  const setting = await settingOf(name, options);
  const { agent, earlier } = setting;
  const paint = paintFor(process.stdout, process.env);
  const leave = () => process.exit(EXIT.cancelled);
  const person = new Chat({
    job: earlier?.id ?? newJobId(),
    agent: agent.name,
    isResumed: earlier !== undefined,
    paint,
    leave,
  });
  // The screen first: what the job needs is loaded while the person writes.
  const showChat = await inProduction(async () => (await import("../../chat/view.ts")).showChat);
  const screen = showChat({ chat: person, config: agent, paint });
  let job: Job | undefined;
  try {
    job = await talk(person, setting);
  } finally {
    person.close();
    await screen.waitUntilRenderFlush();
    screen.unmount();
    await screen.waitUntilExit();
  }
  if (!job) return EXIT.completed;
  const [{ jobReport }, { nextStep }] = await Promise.all([
    import("../../display/job-report.ts"),
    import("../../display/job-end.ts"),
  ]);
  console.log(["", jobReport(job, paint), ...[nextStep(job, "chat --resume") ?? []].flat()].join("\n"));
  return exitCodeOf(job.status);
}

async function settingOf(name: string | undefined, options: ChatOptions): Promise<Setting> {
  const project = findProject(options);
  if (options.resume !== undefined) {
    const earlier = await earlierJob(project, options.resume);
    return { project, earlier, ...(await resumable(earlier, project, options)) };
  }
  const config = await configOf(project);
  return { project, config, agent: await readyAgent(config, name) };
}

async function earlierJob(project: Project, id: string): Promise<Job> {
  const { findJob } = await import("../../store/jobs.ts");
  await using store = await openStoreOfJobs(project);
  return await findJob(store, id);
}

/** Undefined where nothing was said. */
async function talk(person: Chat, setting: Setting): Promise<Job | undefined> {
  const { project, config, agent, earlier, resumed } = setting;
  const { id } = person.state.job;
  await using ahead = !earlier && canStartAhead(agent) ? await startAhead(agent, id) : undefined;
  if (hasStore(project)) person.remember(await earlierMessages(project));
  const [{ drive }, { newJob }] = await Promise.all([import("./drive.ts"), import("../../jobs/new-job.ts")]);
  const prompt = earlier?.prompt ?? (await person.opening);
  if (prompt === undefined || person.signal.aborted) return undefined;
  await using store = await openProjectStore(project);
  if (!earlier) await newJob(store, config, agent, prompt, id);
  return await drive({
    store,
    config: agent,
    maintenance: config.maintenance,
    job: id,
    json: false,
    attended: person,
    ...(resumed !== undefined && { resumed }),
    ...(ahead && { ahead }),
  });
}

const MOST_REMEMBERED = 200;

async function earlierMessages(project: Project): Promise<string[]> {
  const { saidInChats } = await import("../../store/said.ts");
  await using store = await openProjectStore(project);
  return await saidInChats(store, MOST_REMEMBERED);
}

/** React reads the variable once, when it is loaded: its other build is slow, and keeps a record of every drawing. */
async function inProduction<T>(load: () => Promise<T>): Promise<T> {
  const { NODE_ENV: before } = process.env;
  process.env.NODE_ENV = "production";
  try {
    return await load();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

function refuseWithoutTerminal({ json }: ChatOptions): void {
  if (!json && process.stdout.isTTY && hasKeyboard(process.stdin)) return;
  throw new UsageError(
    "`baton chat` is for a person at a terminal, and this is not one.\n" +
      'For work without one: `baton run "what to do"`, with --json for programs.',
  );
}
