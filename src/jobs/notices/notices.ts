import { dirname } from "node:path";
import type { NotifyEvent } from "../../config/config.ts";
import { configuredSecrets } from "../../config/configured-secrets.ts";
import type { HookNews } from "../../hooks/hook-call.ts";
import type { JournalEvent } from "../../job/events.ts";
import type { Job } from "../../job/job.ts";
import { levelKey, type Noticeable, noticeOf } from "../../job/notices/notice-of.ts";
import { redactor } from "../../secrets/redact.ts";
import { endNews, handoffNews, noticeNews, thresholdNews } from "../hooks/hook-news.ts";
import type { Journal } from "../journal.ts";
import { type NotifyConfig, Post, type Reach } from "./post.ts";

export type { Reach } from "./post.ts";

const TOLD: ReadonlySet<JournalEvent["type"]> = new Set<Noticeable["type"]>([
  "context:warning",
  "handoff:stored",
  "job:paused",
  "job:failed",
  "job:completed",
  "ask:made",
  "stall:suspected",
  "circles:suspected",
  "warning",
]);

function isTold(event: JournalEvent): event is Noticeable {
  return TOLD.has(event.type);
}

/** Tells a person what happens to a job, as far as they asked for it, and nothing twice. */
export function notifyPeople(
  journal: Journal,
  config: NotifyConfig,
  reach: Reach,
  env: Record<string, string>,
): AsyncDisposable {
  const redact = redactor({ ...configuredSecrets(config, env), ...env });
  const post = new Post({
    // The store is in `.baton` of its project.
    project: dirname(dirname(journal.store.path)),
    config,
    reach,
    env,
    onRun: ({ event }, run) => {
      if (run.skipped === undefined) journal.append(redact({ type: "hook", point: "notify", event, ...run }));
    },
  });
  if (post.isIdle) return { async [Symbol.asyncDispose]() {} };
  const said = new Set<string>();
  let work = saidBefore(journal, said).then(() => post.tellDue());
  const unsubscribe = journal.subscribe((event) => {
    if (!isTold(event)) return;
    const { job } = journal;
    const found = noticeOf(event, job, config.notify.events);
    if (!found) return;
    const { notice, key, alike } = found;
    work = work.then(async () => {
      if (said.has(key)) return;
      said.add(key);
      const news = withCommand(newsOf(job, event, notice.event), notice.command);
      await post.tell(alike, redact({ notice, news, at: event.at }));
    });
  });
  return {
    async [Symbol.asyncDispose]() {
      unsubscribe();
      await work;
      await post[Symbol.asyncDispose]();
    },
  };
}

/** A job that is resumed passes the same levels again. */
async function saidBefore(journal: Journal, said: Set<string>): Promise<void> {
  for (const { level } of await journal.all("context:warning")) said.add(levelKey(level));
}

/** The same for hooks, so that their `on_events` can choose. `as`: what the person asked to hear of. */
function newsOf(job: Job, entry: Noticeable, as: NotifyEvent): HookNews {
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
      if (as === "budget") return noticeNews(job, "budget", entry, now);
      return endNews(job, { event: "paused", text: entry.message, code: entry.code }, now);
    case "job:failed":
      return endNews(job, { event: "failed", text: entry.error }, now);
    case "job:completed":
      if (as === "review") return noticeNews(job, "review", entry, now);
      return endNews(job, { event: "completed", text: entry.result }, now);
    case "ask:made":
      return noticeNews(job, "ask", entry, now);
    case "stall:suspected":
    case "circles:suspected":
      return noticeNews(job, "stall", entry, now);
    case "warning":
      return noticeNews(job, "budget", entry, now);
  }
}

function withCommand({ event, payload, message }: HookNews, command: string): HookNews {
  const facts = [...message.facts, { label: "Answer with", value: command }];
  return { event, payload: { ...payload, answer_with: command }, message: { ...message, facts } };
}
