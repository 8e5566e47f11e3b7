import type { NotifyEvent } from "../../config/config.ts";
import { fingerprint } from "../../util/fingerprint.ts";
import type { JournalEvent } from "../events.ts";
import { shortId } from "../id.ts";
import { isToReview, type Job } from "../job.ts";
import { aboutEvent } from "../message.ts";
import { isOutOfHandoffs } from "../status-words.ts";
import type { Notice } from "./notice.ts";

/** What people can be told of. A warning only where it is about a budget. */
export type Noticeable = Extract<
  JournalEvent,
  {
    type:
      | "context:warning"
      | "handoff:stored"
      | "job:paused"
      | "job:failed"
      | "job:completed"
      | "ask:made"
      | "stall:suspected"
      | "circles:suspected"
      | "warning";
  }
>;

/**
 * What an event says to a person who is not looking. `key`: the same for what was said of this job before. `alike`: for all that
 * say the same, of whichever job. Undefined where they want none of it.
 */
export function noticeOf(
  event: Noticeable,
  job: Job,
  wanted: readonly NotifyEvent[],
): { notice: Notice; key: string; alike: string } | undefined {
  const as = kindsOf(event, job, wanted).find((kind) => wanted.includes(kind));
  if (as === undefined) return undefined;
  const { title, text } = aboutEvent(event, job);
  const said =
    event.type === "context:warning" ? job.id : event.type === "handoff:stored" ? event.documentPath : text;
  const alike = alikeOf(event, title, text);
  return {
    notice: { event: as, title, text: said, command: commandFor(event, job) },
    key: isOnceALevel(event) ? alike : `${alike} ${text}`,
    alike,
  };
}

/** As what somebody may have asked to hear of it. */
function kindsOf(event: Noticeable, job: Job, wanted: readonly NotifyEvent[]): readonly NotifyEvent[] {
  switch (event.type) {
    case "context:warning":
      return ["warning"];
    case "handoff:stored":
      return ["handoff"];
    case "job:paused":
      // Whoever wants to hear of failures hears of work that stopped halfway, too.
      if (isOutOfHandoffs(event.code)) return ["pause", "failure"];
      if (event.code === "budget") return ["pause", "budget"];
      if (event.code === "awaiting") return [];
      // They were told when it was asked.
      return event.code === "asking" && wanted.includes("ask") ? [] : ["pause"];
    case "job:failed":
      return ["failure"];
    case "job:completed":
      return isToReview(job) ? ["completion", "review"] : ["completion"];
    case "ask:made":
      return ["ask"];
    case "stall:suspected":
    case "circles:suspected":
      return ["stall"];
    case "warning":
      return event.about === "budget" ? ["budget"] : [];
  }
}

function isOnceALevel({ type }: Noticeable): boolean {
  return type === "context:warning";
}

/** Of a warning that the window fills. */
export const levelKey = (level: number) => `level ${level}`;

function alikeOf(event: Noticeable, title: string, text: string): string {
  switch (event.type) {
    case "context:warning":
      return levelKey(event.level);
    case "handoff:stored":
      return title;
    case "job:completed":
    case "stall:suspected":
      return event.type;
    case "ask:made":
      return event.digest;
    case "circles:suspected":
      return `${event.kind} ${event.what}`;
    case "job:paused":
    case "job:failed":
    case "warning":
      return fingerprint(`${title} ${text}`);
  }
}

function commandFor(event: Noticeable, job: Job): string {
  const id = shortId(job.id);
  switch (event.type) {
    case "context:warning":
      return `baton handoff ${id}`;
    case "handoff:stored":
      return `baton attach ${id}`;
    case "job:paused":
    case "job:failed":
      return `baton resume ${id}`;
    case "job:completed":
      return isToReview(job) ? `baton diff ${id}` : `baton show ${id}`;
    case "ask:made":
      return event.questions
        ? `baton answer ${event.ask} ${event.questions.map(() => '"…"').join(" ")}`
        : `baton approve ${event.ask}`;
    case "stall:suspected":
      return `baton logs ${id}`;
    case "circles:suspected":
      return `baton send ${id} "…"`;
    case "warning":
      return "baton cost --by agent";
  }
}
