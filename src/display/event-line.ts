import { recordedKind } from "../agents/recorded-tool.ts";
import { inWords } from "../config/reader/duration.ts";
import type { HandoffOutcome } from "../handoff/document.ts";
import type { ContextFigures, JournalEvent } from "../job/events.ts";
import { counted, tokens } from "./figures.ts";
import { oneLine, type Paint, printable } from "./style.ts";
import { fitted } from "./width.ts";

/** What a person is told about an event, in a line or a few. Undefined where there is nothing to tell. */
export function eventLine(event: JournalEvent, paint: Paint): string | undefined {
  switch (event.type) {
    case "job:created":
      return `${paint("bold", event.job)} ${paint("dim", "for")} ${event.agent}${event.continues ? paint("dim", `, continues ${event.continues.document}`) : ""}`;
    case "job:completed":
      return paint("green", "✓ completed");
    case "job:failed":
      return paint("red", `✗ failed: ${printable(event.error)}`);
    case "job:paused":
      return `${paint("yellow", "‖ paused:")} ${printable(event.message)}`;
    case "job:cancelled":
      return paint("yellow", `✗ cancelled: ${event.message}`);
    case "job:interrupted":
      return paint("yellow", `‖ interrupted: ${event.message}`);
    case "job:resumed":
      return paint("dim", event.message);
    case "workspace:ready":
      return paint("dim", `working in ${event.path}${event.branch ? ` on ${event.branch}` : ""}`);
    case "workspace:waiting":
      return paint("yellow", `  ⏳ ${printable(event.message)}`);
    case "workspace:command":
      return event.ok
        ? paint("dim", `  set up with ${oneLine(event.command)} in ${inWords(event.durationMs)}`)
        : paint("red", `  ${oneLine(event.command)} failed: ${lastLine(event.output)}`);
    case "workspace:committed":
      return paint("dim", `  committed ${counted(event.files, "file")} as ${event.commit.slice(0, 9)}`);
    case "workspace:pushed":
      return paint("dim", `  pushed ${printable(event.branch)} to ${printable(event.remote)}`);
    case "workspace:proposed":
      return `  ${event.created ? "pull request" : "open a pull request"}: ${printable(event.url)}`;
    case "workspace:kept":
      return paint("yellow", `  the worktree stays: ${printable(event.reason)}`);
    case "workspace:removed":
      return event.reason ? paint("dim", `  ${printable(event.reason)}`) : undefined;
    case "session:starting":
      return paint("bold", `▶ session ${event.ordinal}${how[event.mode]}`);
    case "session:started":
      return paint("dim", `  ${event.model}, ${event.program}`);
    case "message:sent":
      if (event.kind !== "said") return undefined;
      return `${paint("cyan", "›")} ${firstLines(event.text, paint).trimStart()}`;
    case "text":
      return firstLines(event.text, paint);
    case "tool:start":
      // What the agent tells Baton by its tools, Baton tells in its own words.
      if (recordedKind(event) === "own") return undefined;
      return paint(
        "dim",
        `  ${event.subagent ? "  ↳ " : "⚒ "}${fitted(oneLine(`${event.name} ${event.summary}`), CALL_WIDTH)}`,
      );
    case "tool:end":
      return event.ok ? undefined : paint("red", `    failed: ${firstLine(event.output)}`);
    case "tool:denied":
      return paint("yellow", `  ⚠ denied: ${oneLine(event.name)}. ${firstLine(event.message)}`);
    case "compaction":
      return event.state === "start" ? paint("yellow", "  the agent compacts its window") : undefined;
    case "context:warning":
      return paint("yellow", `  ⚠ window ${used(event.context)}${turns(event.turnsLeft)}`);
    case "context:handoff:start":
      return `${paint("magenta", `⇄ handoff ${event.handoffNumber}`)} ${paint("dim", because[event.trigger])}`;
    case "background:left":
      return paint(
        "yellow",
        `  ⚠ still running: ${event.tasks.map((task) => oneLine(task.description)).join(", ")}`,
      );
    case "handoff:requested":
      return paint(
        "dim",
        `  a handoff is asked for${event.by === "agent" ? " by the agent" : ""}, at the next boundary`,
      );
    case "handoff:refused":
      return paint("yellow", `  ${event.message}`);
    case "handoff:cancelled":
      return paint("yellow", "  Handoff cancelled. The session goes on.");
    case "handoff:failed":
      return paint("red", `  Handoff failed: ${firstLine(event.message)}`);
    case "handoff:asked":
      return event.again
        ? paint(
            "yellow",
            `  the checks found it short, asked once more: ${firstLine(event.again.join("; "))}`,
          )
        : paint("dim", "  the session writes down where it stands …");
    case "handoff:stored":
      return `  ${paint("magenta", "stored")} ${event.documentPath}${storedHow(event.outcome, event.reason, paint)}`;
    case "handoff:archived":
      return paint("dim", `  handoff ${event.handoffNumber} is archived as ${event.documentPath}`);
    case "hook":
      return event.ok
        ? paint("dim", `  ↪ ${oneLine(event.name)} (${event.point}) in ${inWords(event.durationMs)}`)
        : paint(
            "yellow",
            `  ⚠ the hook "${oneLine(event.name)}" of ${event.point} failed: ${firstLine(event.error ?? "")}`,
          );
    case "limit:waiting":
      return paint(
        "yellow",
        `  ⏳ ${firstLine(event.message)} Waiting until ${new Date(event.until).toLocaleTimeString()}.`,
      );
    case "limit:over":
      return paint("dim", "  going on");
    case "retry":
      return paint(
        "yellow",
        `  ↻ ${firstLine(event.message)} Retry ${event.number} of ${event.of} in ${inWords(event.delayMs)}.`,
      );
    case "warning":
      return paint("yellow", `  ⚠ ${printable(event.message)}`);
    case "job:started":
    case "job:closing":
    case "workspace:creating":
    case "workspace:removing":
    case "session:known":
    case "session:ended":
    case "response":
    case "subagent:response":
    case "background":
    case "cost":
    case "checkpoint":
    case "facts:collected":
    case "context:handoff:complete":
      return undefined;
  }
}

const how = { fresh: "", continuation: ", from the handoff", resumed: ", resumed" } as const;

const because = {
  threshold: "the window has reached its threshold",
  forecast: "the next turn would not fit in the window",
  overflow: "a single step overflowed the window",
  resume: "the session was cut off while it handed over",
  manual: "asked for by hand",
  agent: "asked for by the agent",
} as const;

function used({ tokens: count, window, percent }: ContextFigures): string {
  return `${Math.round(percent)}% used (${tokens(count)} of ${tokens(window)})`;
}

function turns(left: number | undefined): string {
  return left === undefined ? "" : `, about ${counted(left, "turn")} left`;
}

function storedHow(outcome: HandoffOutcome, reason: string | undefined, paint: Paint): string {
  switch (outcome) {
    case "written":
      return paint("green", " ✓ checked");
    case "mended":
      return paint("yellow", ` (completed from facts: ${firstLine(reason ?? "")})`);
    case "from-facts":
      return paint("yellow", ` (from facts: ${firstLine(reason ?? "")})`);
    case "cancelled":
    case "failed":
      return "";
  }
}

/** Short enough not to wrap in most windows. */
const CALL_WIDTH = 92;

const LINES_SHOWN = 6;
const LONGEST_LINE = 200;

function firstLines(text: string, paint: Paint): string {
  const lines = printable(text).trim().split("\n");
  const shown = lines.slice(0, LINES_SHOWN).map((line) => `  ${line}`);
  if (lines.length > LINES_SHOWN) shown.push(paint("dim", `  … ${lines.length - LINES_SHOWN} more lines`));
  return shown.join("\n");
}

/** Where a command that failed says why. */
function lastLine(text: string): string {
  return fitted(printable(text).trim().split("\n").at(-1) ?? "", LONGEST_LINE);
}

function firstLine(text: string): string {
  const [line = ""] = printable(text).trim().split("\n");
  return fitted(line, LONGEST_LINE);
}
