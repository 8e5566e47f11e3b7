import type { Tone } from "../hooks/message.ts";
import { type Description, describe } from "../job/describe.ts";
import type { JobEvent, JobEventType, JournalEvent } from "../job/events.ts";
import { withoutEnding } from "../util/text.ts";
import { folded } from "./fold.ts";
import { rendered } from "./markdown/render.ts";
import { type Format, oneLine, type Paint, printable } from "./style.ts";
import { fitted, widthOf } from "./width.ts";

/**
 * What a person is told about an event, in a line or a few. Undefined where there is nothing to tell. `width`: of their screen, where
 * they have one.
 */
export function eventLine(event: JournalEvent, paint: Paint, width?: number): string | undefined {
  const line = unfoldedLine(event, paint, width);
  return line === undefined || event.type === "text" ? line : folded(line, width, HANG);
}

/** What the agent said, up to a few lines. */
export function saidLines(said: string, paint: Paint, width?: number): { lines: string; isWhole: boolean } {
  const lines = rendered(said, paint, width && width - INDENT.length).split("\n");
  const most = width === undefined ? LINES_SHOWN : ROWS_SHOWN;
  const shown = lines.slice(0, most).map((line) => INDENT + line);
  const isWhole = lines.length <= most;
  if (!isWhole) shown.push(paint("dim", `${INDENT}… ${lines.length - most} more lines`));
  return { lines: shown.join("\n"), isWhole };
}

function unfoldedLine(event: JournalEvent, paint: Paint, width?: number): string | undefined {
  const told = describe(event);
  if (!told) return undefined;
  const title = printable(told.title);
  const text = printable(told.text).trim();
  switch (event.type) {
    case "job:created":
      return `${paint("bold", event.job)} ${paint("dim", "for")} ${oneLine(event.agent)}${event.continues ? paint("dim", `, continues ${oneLine(event.continues.document)}`) : ""}`;
    case "job:started":
    case "context:handoff:complete":
      return undefined;
    case "job:completed":
      return told.tone === "good" ? paint("green", `✓ ${title}`) : paint("yellow", `⚠ ${title}`);
    case "session:starting":
      return paint("bold", `▶ ${title}`);
    case "message:sent":
      if (event.kind !== "said") return undefined;
      return `${paint("cyan", "›")} ${firstLines(text, paint).trimStart()}`;
    case "text":
      return saidLines(text, paint, width).lines;
    case "tool:start": {
      const lead = `  ${event.subagent ? "  ↳ " : "⚒ "}`;
      return paint("dim", `${lead}${fitted(title, (width ?? CALL_WIDTH) - widthOf(lead))}`);
    }
    case "tool:denied":
      return paint("yellow", `  ⚠ ${title}. ${firstLine(text)}`);
    case "context:handoff:start":
      return `${paint("magenta", `⇄ ${title}`)} ${paint("dim", text)}`;
    case "handoff:stored": {
      const how = text === "" ? paint("green", "✓ checked") : paint("yellow", `(${firstLine(text)})`);
      return `  ${paint("magenta", "stored")} ${oneLine(event.documentPath)} ${how}`;
    }
    case "workspace:ignored": {
      const lines = [title, ...text.split("\n").map((line) => `  ${line}`)].map((line) => `  ${line}`);
      return told.tone === "plain" ? lines.join("\n") : paint(COLOURS[told.tone], lines.join("\n"));
    }
    case "limit:waiting":
      return paint("yellow", `${leadOf(event)}${firstLine(text)} ${sentence(title)}`);
    case "retry":
      return paint("yellow", `${leadOf(event)}${withoutEnding(firstLine(text), ".")}; ${title}`);
    default:
      return toned({ ...told, text: shownOf(event, text) }, paint, leadOf(event));
  }
}

/** All that a description says, in the colour of its tone. */
export function toned({ tone, title, text }: Description, paint: Paint, lead = ""): string {
  const line = `${lead}${printable(title)}${text === "" ? "" : `: ${printable(text)}`}`;
  return tone === "plain" ? line : paint(COLOURS[tone], line);
}

const COLOURS: Record<Exclude<Tone, "plain">, Format> = {
  good: "green",
  bad: "red",
  caution: "yellow",
  quiet: "dim",
};

/** What stands before an event's words. What belongs to something above it is moved to the right. */
const LEADS: Partial<Record<JobEventType, string>> = {
  "job:failed": "✗ ",
  "job:cancelled": "✗ ",
  "job:paused": "‖ ",
  "job:interrupted": "‖ ",
  "job:resumed": "",
  "workspace:ready": "",
  "workspace:waiting": "  ⏳ ",
  "limit:waiting": "  ⏳ ",
  retry: "  ↻ ",
  "tool:end": "    ",
  "ask:made": "  ? ",
  "ask:answered": "    ",
  "ask:used": "    ",
  "ask:withdrawn": "    ",
  "ask:expired": "    ",
  "tool:permitted": "    ",
  "context:warning": "  ⚠ ",
  "background:left": "  ⚠ ",
  "repository:left-out": "  ⚠ ",
  warning: "  ⚠ ",
};

function leadOf(event: JobEvent): string {
  if (event.type === "hook") return event.ok ? "  ↪ " : "  ⚠ ";
  return LEADS[event.type] ?? "  ";
}

/** Why a job stopped is told whole. A command that failed says why at its end, everything else at its beginning. */
function shownOf({ type }: JobEvent, text: string): string {
  switch (type) {
    case "job:failed":
    case "job:paused":
    case "job:cancelled":
    case "job:interrupted":
    case "workspace:kept":
    case "workspace:proposed":
    case "background:left":
      return text;
    case "workspace:command":
      return fitted(text.split("\n").at(-1) ?? "", LONGEST_LINE);
    default:
      return firstLine(text);
  }
}

/** Short enough not to wrap in most windows. */
const CALL_WIDTH = 97;

const INDENT = "  ";
const HANG = 2;
const LINES_SHOWN = 6;
/** On a screen, where a paragraph is several of them. */
const ROWS_SHOWN = 10;
const LONGEST_LINE = 200;

function firstLines(text: string, paint: Paint): string {
  const lines = text.split("\n");
  const shown = lines.slice(0, LINES_SHOWN).map((line) => `  ${line}`);
  if (lines.length > LINES_SHOWN) shown.push(paint("dim", `  … ${lines.length - LINES_SHOWN} more lines`));
  return shown.join("\n");
}

function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return fitted(line, LONGEST_LINE);
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
