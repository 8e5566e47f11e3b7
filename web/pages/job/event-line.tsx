import { lazy, Suspense } from "preact/compat";
import { EventBody } from "../../parts/event-body.tsx";
import { bytes, clock, moment } from "../../parts/words.ts";
import type { Line } from "./lines.ts";

const Markdown = lazy(async () => (await import("../../parts/markdown.tsx")).Markdown);

interface EventLineProps {
  job: string;
  line: Line;
  now: Date;
  isFound: boolean;
  isOpen: boolean;
  toggle: () => void;
}

const SIGNS: Record<Line["kind"], string> = { says: "▸", person: "›", tool: "⚒", handoff: "⇄", baton: "·" };

/** One line of a transcript. What is behind it is fetched when it is opened. */
export function EventLine({ job, line, now, isFound, isOpen, toggle }: EventLineProps) {
  const { kind, tone, title, text, output } = line;
  const classes = [
    "event",
    kind,
    tone,
    ...(line.sub !== undefined && !line.folds ? ["sub"] : []),
    ...(isFound ? ["found"] : []),
    ...(isOpen ? ["open"] : []),
  ];
  const opens = line.folds !== undefined || output !== undefined || line.endedAt !== undefined;
  return (
    <div class={classes.join(" ")} id={`event-${line.seq}`}>
      <a
        class="at"
        href={`/jobs/${job}?event=${Math.abs(line.seq)}`}
        aria-label={`Link to this event, ${moment(line.at, now)}`}
      >
        {moment(line.at, now)}
      </a>
      <span class={`sign${line.isRunning ? " live" : ""}`} aria-hidden="true">
        {signOf(line)}
      </span>
      <span class="what">
        {kind === "says" ? (
          <Suspense fallback={text}>
            <Markdown text={text} />
          </Suspense>
        ) : (
          <>
            <b>{title}</b> {text}
          </>
        )}
      </span>
      <span class="end faint">
        {line.isRunning && clock(now.getTime() - Date.parse(line.at))}
        {line.endedAt !== undefined && `${took(line)}${output ? ` · ${bytes(output.bytes)}` : ""} `}
        {opens && (
          <button type="button" class="plain link" aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? "close" : "open"}
            <span class="hidden-from-eyes"> {title}</span>
          </button>
        )}
      </span>
      {isOpen && output && <EventBody job={job} seq={output.seq} />}
    </div>
  );
}

function signOf({ kind, tone, isRunning, type }: Line): string {
  if (isRunning) return "●";
  if (tone === "bad") return "✕";
  if (type === "tool:denied") return "⊘";
  return SIGNS[kind];
}

function took({ at, endedAt = at }: Line): string {
  return `${((Date.parse(endedAt) - Date.parse(at)) / 1_000).toFixed(1)} s`;
}
