import type { HookNews } from "../../hooks/hook-call.ts";
import { counted } from "../../util/figures.ts";
import { shortLine } from "../../util/frame.ts";
import type { Notice } from "./notice.ts";

/** A notice, and what hooks are told of it. */
export interface Told {
  notice: Notice;
  news: HookNews;
  /** When it came up. */
  at: string;
}

const LISTED = 20;
const LONGEST = 80;

/** What was held back, as one. */
export function together(agent: string, held: readonly [Told, ...Told[]]): Told {
  const [first, ...others] = held;
  if (others.length === 0) return first;
  const worst = held.toSorted((a, b) => rank(a) - rank(b))[0] ?? first;
  const titles = held.map(({ notice }) => notice.title);
  const isAlike = new Set(titles).size === 1;
  const title = isAlike
    ? `${first.notice.title} (${counted(held.length, "time")})`
    : `${agent}: ${counted(held.length, "notice")} since ${clock(first.at)}`;
  const lines = held.map(({ notice: { title, text, command }, at }) =>
    [`${clock(at)} ${title}`, shortLine(text, LONGEST), `→ ${command}`].filter(Boolean).join("  "),
  );
  const more = lines.length > LISTED ? [`and ${lines.length - LISTED} more`] : [];
  const text = [...lines.slice(0, LISTED), ...more].join("\n");
  const notices = held.map(({ notice: { event, title, text, command }, at }) => ({
    ...{ event, title, text, at },
    answer_with: command,
  }));
  const { news } = worst;
  return {
    at: first.at,
    notice: { event: worst.notice.event, title, text, command: INBOX },
    news: {
      event: news.event,
      payload: { ...news.payload, answer_with: INBOX, notices },
      message: { ...news.message, title, text, facts: [{ label: "Answer with", value: INBOX }] },
    },
  };
}

/** Where all that waits for a person is listed. */
const INBOX = "baton inbox";

const WORST_FIRST = [
  "ask",
  "failure",
  "pause",
  "budget",
  "stall",
  "missed",
  "review",
  "completion",
  "handoff",
];

function rank({ notice }: Told): number {
  const at = WORST_FIRST.indexOf(notice.event);
  return at === -1 ? WORST_FIRST.length : at;
}

function clock(at: string): string {
  return at.slice(0, 16).replace("T", " ");
}
