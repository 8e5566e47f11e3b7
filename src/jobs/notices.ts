import type { AgentConfig } from "../config/config.ts";
import { configuredSecrets } from "../config/configured-secrets.ts";
import { grantsOf } from "../hooks/grants.ts";
import type { HookNews } from "../hooks/hook-call.ts";
import type { HookRun } from "../hooks/hook-run.ts";
import { runHooks } from "../hooks/run.ts";
import type { JournalEvent } from "../job/events.ts";
import type { Job } from "../job/job.ts";
import { messageAbout } from "../job/message.ts";
import type { Notice } from "../job/notice.ts";
import { isOutOfHandoffs } from "../job/status-words.ts";
import { redactor } from "../secrets/redact.ts";
import { endNews, handoffNews, thresholdNews } from "./hooks/hook-news.ts";
import type { Journal } from "./journal.ts";

/** Ways to reach the person at this machine. */
export interface Reach {
  bell: () => void;
  desktop: (notice: Notice) => Promise<void>;
}

const TOLD = ["context:warning", "handoff:stored", "job:paused", "job:failed", "job:completed"] as const;
type Told = Extract<JournalEvent, { type: (typeof TOLD)[number] }>;

function isTold(event: JournalEvent): event is Told {
  return TOLD.some((type) => type === event.type);
}

/** What an event says to a person who is not looking. The key tells apart what is new from what was said before. */
function noticeOf(event: Told, job: Job): Notice & { key: string } {
  const { title, text } = messageAbout(event, job, new Date(event.at));
  switch (event.type) {
    case "context:warning":
      return { event: "warning", key: warningKey(event.level), title, text: job.id };
    case "handoff:stored":
      return { event: "handoff", key: title, title, text: event.documentPath };
    case "job:paused":
      return { event: "pause", key: `pause ${text}`, title, text };
    case "job:failed":
      return { event: "failure", key: `failure ${text}`, title, text };
    case "job:completed":
      return { event: "completion", key: "completion", title, text };
  }
}

type NotifyConfig = Pick<
  AgentConfig,
  "agreed" | "env" | "hooks" | "mcpServers" | "notify" | "workingDirectory" | "workspace"
>;

/** Tells a person what happens to a job, as far as they asked for it, and nothing twice. */
export function notifyPeople(
  journal: Journal,
  config: NotifyConfig,
  reach: Reach,
  env: Record<string, string>,
): AsyncDisposable {
  const { events, desktop, bell, hooks } = config.notify;
  const redact = redactor({ ...configuredSecrets(config), ...env });
  const said = new Set<string>();
  /** Whoever wants to hear of failures hears of work that stopped halfway, too. */
  const isWanted = (event: Told, notice: Notice) =>
    events.includes(notice.event) ||
    (event.type === "job:paused" && isOutOfHandoffs(event.code) && events.includes("failure"));
  let work = saidBefore(journal, said);
  const tell = async (notice: Notice, entry: Told): Promise<void> => {
    if (bell) reach.bell();
    if (desktop) await reach.desktop(redact(notice));
    if (hooks.length === 0) return;
    const news = redact(newsOf(journal.job, entry));
    const onRun = (run: HookRun) => {
      if (run.skipped === undefined)
        journal.append(redact({ type: "hook", point: "notify", event: news.event, ...run }));
    };
    const { signal } = new AbortController();
    await runHooks(hooks, news, {
      cwd: config.workingDirectory,
      env,
      grants: grantsOf(config),
      signal,
      onRun,
      ...(config.agreed && { agreed: config.agreed }),
    });
  };
  const unsubscribe = journal.subscribe((event) => {
    if (!isTold(event)) return;
    const notice = noticeOf(event, journal.job);
    if (!isWanted(event, notice)) return;
    work = work.then(() => {
      if (said.has(notice.key)) return;
      said.add(notice.key);
      return tell(notice, event);
    });
  });
  return {
    async [Symbol.asyncDispose]() {
      unsubscribe();
      await work;
    },
  };
}

/** A job that is resumed passes the same levels again. */
async function saidBefore(journal: Journal, said: Set<string>): Promise<void> {
  for (const { level } of await journal.all("context:warning")) said.add(warningKey(level));
}

const warningKey = (level: number) => `warning ${level}`;

/** The same for hooks, so that their `on_events` can choose. */
function newsOf(job: Job, entry: Told): HookNews {
  const now = new Date(entry.at);
  switch (entry.type) {
    case "context:warning":
      return thresholdNews(job, { session: entry.session, context: entry.context, trigger: "warning" }, now);
    case "handoff:stored": {
      const stored = job.handoffs.find(({ number }) => number === entry.handoffNumber);
      if (!stored) throw new Error(`handoff ${entry.handoffNumber} is not on record`);
      return handoffNews(job, stored, now);
    }
    case "job:paused":
      return endNews(job, { event: "paused", text: entry.message, code: entry.code }, now);
    case "job:failed":
      return endNews(job, { event: "failed", text: entry.error }, now);
    case "job:completed":
      return endNews(job, { event: "completed", text: entry.result }, now);
  }
}
