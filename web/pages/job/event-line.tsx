import { lazy, Suspense } from "preact/compat";
import { useJob } from "../../data/job.ts";
import { EventBody } from "../../parts/event-body.tsx";
import { bytes, clock, counted, moment } from "../../parts/words.ts";
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
    ...(line.handoff === undefined ? [] : ["made"]),
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
            <Title of={line} /> {kind === "tool" && text !== "" ? <span class="came">· {text}</span> : text}
            {line.handoff !== undefined && <Made job={job} number={line.handoff} />}
          </>
        )}
      </span>
      <span class="end faint">
        {line.isRunning && clock(now.getTime() - Date.parse(line.at))}
        {line.endedAt !== undefined && (
          <span class="only-wide">{`${took(line)}${output ? ` · ${bytes(output.bytes)}` : ""} `}</span>
        )}
        {line.handoff !== undefined && (
          <a class="link" href={`/jobs/${job}/handoffs?n=${line.handoff}`}>
            read<span class="hidden-from-eyes"> {title}</span>
          </a>
        )}
        {opens && line.handoff === undefined && (
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

/** What became of a handoff, as far as it is known by now. */
function Made({ job: id, number }: { job: string; number: number }) {
  const handoff = useJob(id).job?.handoffs.find((each) => each.number === number);
  if (!handoff) return null;
  const { percent, checks, rampUp } = handoff;
  const short = checks.filter(({ ok }) => !ok).length;
  const parts = [
    `at ${Math.round(percent)} %`,
    ...(checks.length === 0 ? [] : [short === 0 ? "checked" : `${counted(short, "check")} fell short`]),
    ...(rampUp
      ? [rampUp.turns === 0 ? "new work at once" : `first new work after ${counted(rampUp.turns, "turn")}`]
      : []),
  ];
  return <>{parts.join(" · ")}</>;
}

/** Of a call, its tool: what that was called with is for whoever reads on. */
function Title({ of: { kind, title } }: { of: Line }) {
  const [tool = "", ...input] = kind === "tool" ? title.split(" ") : [title];
  return (
    <>
      <b>{tool}</b>
      {input.length > 0 && ` ${input.join(" ")}`}
    </>
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
