import { type ChatSetting, chatJob, filesIn, newChat, resumedChat, saidBefore } from "../../app/jobs/chat.ts";
import { canStartAhead, startAhead } from "../../app/jobs/start-ahead.ts";
import { findProject } from "../../app/project.ts";
import { UsageError } from "../../app/usage-error.ts";
import { Chat } from "../../chat/chat.ts";
import { screenWidth } from "../../display/fold.ts";
import { printWords } from "../../display/print.ts";
import { paintFor } from "../../display/style.ts";
import type { Job } from "../../job/job.ts";
import { agreeFirst } from "../config/agree.ts";
import { EXIT, exitCodeOf } from "../exit.ts";
import { type ChosenOptions, chosenIn } from "./chosen.ts";
import { inProduction } from "./in-production.ts";
import { warnOfModel } from "./misspelt-names.ts";
import { newestToResume } from "./resume-newest.ts";
import { hasKeyboard } from "./terminal-keys.ts";

export interface ChatOptions extends ChosenOptions {
  config?: string;
  /** True for the newest. */
  resume?: string | true;
  json?: boolean;
}

/** Talks with an agent on this terminal until the person ends it. */
export async function chat(name: string | undefined, options: ChatOptions): Promise<number> {
  refuseWithoutTerminal(options);
  const setting = await settingOf(name, options);
  const { agent } = setting;
  await warnOfModel(agent, options);
  const paint = paintFor(process.stdout, process.env);
  const leave = () => process.exit(EXIT.cancelled);
  const person = new Chat({
    job: setting.job,
    isResumed: setting.earlierPrompt !== undefined,
    ...(setting.earlier && { earlier: setting.earlier }),
    paint,
    width: () => screenWidth(process.stdout),
    files: (folder = agent.workingDirectory) => filesIn(folder),
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
  const [{ jobReport }, { howToAllow, nextStep }] = await Promise.all([
    import("../../display/job-report.ts"),
    import("../../display/job-end.ts"),
  ]);
  printWords(
    [
      "",
      jobReport(job, paint, { width: screenWidth(process.stdout) }),
      ...[howToAllow(job) ?? [], nextStep(job, "chat --resume") ?? []].flat(),
    ].join("\n"),
  );
  return exitCodeOf(job);
}

async function settingOf(name: string | undefined, options: ChatOptions): Promise<ChatSetting> {
  const project = findProject(options);
  await agreeFirst(project, options);
  const { chosen } = chosenIn(options);
  if (options.resume === undefined) return newChat(project, name, chosen);
  const id = options.resume === true ? await newestToResume(project, { attended: true }) : options.resume;
  return resumedChat(project, id, { ...options, ...(chosen && { chosen }) });
}

/** Undefined where nothing was said. */
async function talk(person: Chat, setting: ChatSetting): Promise<Job | undefined> {
  const { project, agent, job, earlierPrompt } = setting;
  const isNew = earlierPrompt === undefined;
  await using ahead =
    isNew && canStartAhead(agent) ? await startAhead(agent, job.id, { isAttended: true }) : undefined;
  person.remember(await saidBefore(project));
  const { drive } = await import("./drive.ts");
  const prompt = earlierPrompt ?? (await person.opening);
  if (prompt === undefined || person.signal.aborted) return undefined;
  await using ready = await chatJob(setting, prompt, ahead);
  return await drive(ready, { json: false, attended: person });
}

function refuseWithoutTerminal({ json }: ChatOptions): void {
  if (!json && process.stdout.isTTY && hasKeyboard(process.stdin)) return;
  throw new UsageError(
    "`baton chat` is for a person at a terminal, and this is not a terminal.\n" +
      'Without a terminal: `baton run "what to do"`, with --json for programs.',
  );
}
