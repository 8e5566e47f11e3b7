import type { ChatOutput } from "../../config/chat-config.ts";
import type { Button, Said } from "../../connectors/connector.ts";
import type { Ask } from "../../job/asks/asks.ts";
import type { JournalEvent } from "../../job/events.ts";
import { INTERRUPTED } from "../../jobs/run/talk.ts";
import type { Conversation } from "../../store/conversations/conversations.ts";
import type { ConversationKind } from "../../store/tables.ts";
import { shortLine } from "../../util/frame.ts";
import { printable } from "../../util/printable.ts";

/**
 * Something to be said. `edits`: in place of what was said from that source. `adds`: to what an unfinished message shows. `to`: where
 * there may be no conversation.
 */
export type Utterance = Pick<Said, "text" | "buttons" | "file"> & {
  edits?: string;
  adds?: true;
  to?: Pick<Conversation, "place" | "service" | "agent">;
};

/** Below what an agent was writing when its process ended. */
export const CUT_OFF = "_I was cut off here._";

export interface Words {
  /** The event that it says. */
  source: string;
  said: Utterance;
  /** Of the text that the agent wrote, where it is one: a message may show that already, as it came. */
  text?: number;
}

interface Listener {
  kind: ConversationKind;
  output: ChatOutput;
  /** What it all came to so far. */
  summary?: string;
}

/**
 * What people are told of these events, and up to which of them that is all. What may be an answer and may be followed by more work
 * waits, where only answers are wanted.
 */
export function wordsOf(
  events: readonly JournalEvent[],
  { kind, output, summary }: Listener,
): { words: Words[]; upTo: number | undefined } {
  const words: Words[] = [];
  let hasAnswered = false;
  let last: Extract<JournalEvent, { type: "text" }> | undefined;
  const sayLast = () => {
    if (last) words.push({ source: sourceOf(last), said: { text: printable(last.text) }, text: last.seq });
    last = undefined;
  };
  for (const event of events) {
    switch (event.type) {
      case "text":
        if (kind === "result") break;
        last = event;
        hasAnswered = true;
        if (output.assistantMessages === "all") sayLast();
        break;
      case "tool:start":
        if (event.subagent === undefined) last = undefined;
        break;
      case "person:awaited":
        sayLast();
        if (output.resultSummary && summary !== undefined && hasAnswered)
          words.push({ source: `${sourceOf(event)}:summary`, said: { text: `_${summary}_` } });
        hasAnswered = false;
        break;
      case "job:completed":
      case "job:paused":
      case "job:failed":
      case "job:cancelled":
      case "context:handoff:start":
        sayLast();
    }
    words.push(...plainWords(event, { kind, output }));
  }
  const end = events.at(-1)?.seq;
  return { words, upTo: last ? last.seq - 1 : end };
}

function plainWords(event: JournalEvent, { kind, output }: Listener): Words[] {
  const said = (utterance: Utterance, source = sourceOf(event)): Words[] => [{ source, said: utterance }];
  const line = (text: string) => said({ text: `_${text}_` });
  const isTalk = kind === "talk";
  switch (event.type) {
    case "context:handoff:complete":
      return kind !== "result" && output.systemStatus
        ? said(
            { text: `_A fresh session continues (handoff ${event.handoffNumber})._` },
            // Where it was cut off at its end, it is completed twice.
            `${event.job}:handoff:${event.handoffNumber}`,
          )
        : [];
    case "agent:switched":
      return kind !== "result" && output.systemStatus ? line(`${inLine(event.to)} continues the work.`) : [];
    case "warning":
      if (!isTalk || event.about !== "turn") return [];
      if (event.message === INTERRUPTED) return line("Stopped.");
      return output.errors ? said({ text: `⚠️ ${inLine(event.message)}` }) : [];
    case "handoff:refused":
      return isTalk && output.errors ? line(`No handoff: ${inLine(event.message)}.`) : [];
    case "limit:waiting":
      return output.errors ? said({ text: `⚠️ ${inLine(event.message)}` }) : [];
    case "job:paused": {
      if (event.code === "awaiting" || event.code === "asking" || !output.errors) return [];
      const next = isTalk ? " Write again to have me continue." : "";
      return said({ text: `⚠️ I stopped: ${inLine(event.message)}${next}` });
    }
    case "job:failed":
      return output.errors ? said({ text: `⚠️ It failed: ${inLine(event.error)}` }) : [];
    case "job:cancelled":
      return isTalk ? [] : line(`Cancelled: ${inLine(event.message)}`);
    case "job:completed":
      if (isTalk) return [];
      return kind === "result" ? said({ text: printable(event.result) }) : line("It is completed.");
    case "ask:made":
      return kind === "talk" ? said(questionOf(event), askSource(event.job, event.ask)) : [];
    case "ask:answered":
    case "ask:withdrawn":
    case "ask:expired": {
      if (kind !== "talk") return [];
      const edits = askSource(event.job, event.ask);
      return said({ text: `_${event.ask}: ${overInWords(event)}_`, edits }, `${edits}:over`);
    }
    default:
      return [];
  }
}

function sourceOf({ job, seq }: Pick<JournalEvent, "job" | "seq">): string {
  return `${job}:${seq}`;
}

function askSource(job: string, ask: string): string {
  return `${job}:ask:${ask}`;
}

const LONGEST_INPUT = 1_500;
const MOST_OPTIONS = 8;

/** What its agent asks. What it would do is shown as it is, in a block that nothing in it can end. */
function questionOf({ ask, name, input, cut = 0, why, questions }: Ask): Utterance {
  const [question, ...others] = questions ?? [];
  if (question && others.length === 0 && question.options.length <= MOST_OPTIONS) {
    const options = question.options.map(({ label, description }, index) => {
      const more = description ? `: ${inLine(description)}` : "";
      return `${index + 1}. ${inLine(label)}${more}`;
    });
    const text = [`**${inLine(question.question)}**`, ...options, `_Or: !answer ${ask} …_`].join("\n");
    return {
      text,
      buttons: question.options.map(({ label }, index) =>
        button(ask, String(index + 1), shortLine(label, 60)),
      ),
    };
  }
  if (questions) {
    const list = questions.map((each) => `- ${inLine(each.question)}`).join("\n");
    return {
      text: `**I have ${questions.length} questions:**\n${list}\n_Answer them with \`baton answer ${ask}\`._`,
    };
  }
  const shown = printable(input);
  const left = cut + Math.max(0, shown.length - LONGEST_INPUT);
  const rest = left > 0 ? `\n_${left} more characters: see them with \`baton inbox\`._` : "";
  const reason = why ? `\n${inLine(why)}` : "";
  return {
    text: `**May I use ${inLine(name)}?**${reason}\n${fenced(shown.slice(0, LONGEST_INPUT))}${rest}`,
    buttons: [button(ask, "yes", "Allow once", "primary"), button(ask, "no", "Deny", "danger")],
  };
}

function button(ask: string, says: string, label: string, style?: Button["style"]): Button {
  return { id: `ask:${ask}:${says}`, label, ...(style && { style }) };
}

/** What a press of a button of ours means. */
export function pressIn(id: string): { ask: string; says: string } | undefined {
  const [, ask, says] = /^ask:([\w-]+):(\w+)$/.exec(id) ?? [];
  return ask !== undefined && says !== undefined ? { ask, says } : undefined;
}

function overInWords(
  event: Extract<JournalEvent, { type: "ask:answered" | "ask:withdrawn" | "ask:expired" }>,
): string {
  if (event.type !== "ask:answered") return inLine(event.message);
  const { answer } = event;
  const by = answer.by === undefined ? "" : ` by ${inLine(answer.by)}`;
  switch (answer.answer) {
    case "no":
      return `denied${by}`;
    case "said":
      return `answered${by}: ${inLine(answer.texts.join("; "))}`;
    case "once":
    case "always":
      return `allowed${by}`;
  }
}

/** With more backticks than are in it. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const marks = "`".repeat(longest + 1);
  return `${marks}\n${text.replace(/\s+$/, "")}\n${marks}`;
}

const LONGEST_LINE = 600;

/** Somebody's words within a line of ours: no Markdown of theirs ends it. */
export function inLine(text: string): string {
  return shortLine(text, LONGEST_LINE).replace(/([_*`~])/g, "\\$1");
}
