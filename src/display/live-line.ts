import type { AgentConfig } from "../config/config.ts";
import { costInBrief } from "../job/cost.ts";
import type { Job } from "../job/job.ts";
import { spentBy } from "../job/limits.ts";
import { handoffMark, type Thresholds } from "../job/listed/mark.ts";
import { agentInWords } from "../job/status-words.ts";
import { percentInWords, windowUse } from "../job/window.ts";
import { age, clock, counted, money, tokens } from "../util/figures.ts";
import { type Format, oneLine, type Paint } from "./style.ts";
import { fitted, widthOf } from "./width.ts";

export { turnsToHandoff } from "../job/listed/mark.ts";

/** A piece of text in one colour. */
interface Span {
  text: string;
  format?: Format;
}

/** What is shown besides the activity. The first layout that leaves the activity enough room is taken. */
interface Layout {
  bar: number;
  shows: ReadonlySet<"agent" | "session" | "window" | "turns" | "cost" | "time">;
}

const LAYOUTS: Layout[] = [
  { bar: 24, shows: new Set(["agent", "session", "window", "turns", "cost", "time"]) },
  { bar: 16, shows: new Set(["agent", "session", "turns", "cost", "time"]) },
  { bar: 12, shows: new Set(["session", "cost", "time"]) },
  { bar: 8, shows: new Set(["time"]) },
  { bar: 0, shows: new Set() },
];

const ENOUGH_FOR_A_CALL = 16;

/** One line that says how a running job stands. Never wider than `width`. `keys`: Escape is heard. `does`: in place of what the job itself says. `counted`: the time as the job counts it. */
export function liveLine(
  job: Job,
  config: Pick<AgentConfig, "session" | "standIns">,
  now: Date,
  width: number,
  paint: Paint,
  keys = false,
  does?: string,
  counted = now,
): string {
  const own = does ?? ownWords(job, now, keys);
  const doing = own ?? calling(job);
  // Of a call, its beginning tells enough. What Baton says of itself can end with the key to press.
  const wanted = own === undefined ? Math.min(widthOf(doing), ENOUGH_FOR_A_CALL) : widthOf(own);
  let spans: Span[] = [];
  for (const layout of LAYOUTS) {
    const around = spansOf(job, config, counted, layout, "");
    const room = width - columns(around);
    spans = spansOf(job, config, counted, layout, fitted(doing, Math.max(0, room)));
    if (room >= wanted) break;
  }
  return painted(spans, width, paint);
}

function spansOf(
  job: Job,
  config: Pick<AgentConfig, "session" | "standIns">,
  now: Date,
  { bar, shows }: Layout,
  doing: string,
): Span[] {
  const window = job.context?.window;
  const groups: Span[][] = [
    shows.has("agent") ? [{ text: agentInWords(job), format: "bold" }] : [],
    shows.has("session") ? [{ text: `session ${job.sessions.at(-1)?.ordinal ?? 1}` }] : [],
    [
      ...contextBar(job, config, bar),
      ...(window && shows.has("window") ? [{ text: ` of ${tokens(window)}` }] : []),
    ],
    [{ text: doing, format: "cyan" }],
    shows.has("turns") ? [{ text: counted(job.turns, "turn"), format: "dim" }] : [],
    shows.has("cost") ? [{ text: costInBrief(job), format: "dim" }] : [],
    shows.has("time") ? [{ text: clock(spentBy(job, now).durationMs), format: "dim" }] : [],
  ];
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, index): Span[] => (index === 0 ? group : [{ text: " · ", format: "dim" }, ...group]));
}

/** Undefined where the agent is at work by itself. */
function ownWords(job: Job, now: Date, keys: boolean): string | undefined {
  if (job.waiting) return `waiting for the limit, ${clock(job.waiting.until - now.getTime())} left`;
  if (job.status === "waiting") return "waiting for another job";
  if (job.asks?.length) return `waiting for you: baton inbox (${job.asks.map(({ ask }) => ask).join(", ")})`;
  if (job.closing) return "closing the workspace";
  if (job.pendingHandoff) return `writing handoff ${job.pendingHandoff.number}${keys ? ", Esc cancels" : ""}`;
  return undefined;
}

/** What a job at work does now. How long its tool has run stands first, so that it is not cut off. */
export function doingNow(job: Job, now: Date): string {
  const own = ownWords(job, now, false);
  const tool = job.tools.at(-1);
  if (own !== undefined || !tool) return own ?? calling(job);
  return oneLine(`${tool.name} (${age(now.getTime() - Date.parse(tool.startedAt))}) ${tool.summary}`);
}

function calling(job: Job): string {
  const tool = job.tools.at(-1);
  if (tool) return oneLine(`${tool.name} ${tool.summary}`);
  return job.sessions.at(-1)?.model ? "thinking" : "starting";
}

/** The window as a bar, filled as far as it is used, with the mark at which the session hands off. */
export function contextBar(job: Job, config: Thresholds | undefined, width: number): Span[] {
  const { context } = job;
  if (!context?.window) return width === 0 ? [] : [{ text: "░".repeat(width), format: "dim" }];
  const { window } = context;
  const used = windowUse(context)?.tokens ?? 0;
  const percent = percentInWords(context);
  if (width === 0) return [{ text: percent }];
  const trigger = handoffMark(job, context, config);
  const cell = (count: number) => Math.min(width, Math.round((count / window) * width));
  const filled = cell(used);
  const mark = Math.min(width - 1, cell(trigger));
  const share = used / trigger;
  const colour = share >= 1 ? "red" : share >= 0.66 ? "yellow" : "green";
  const cells = (from: number, to: number): Span[] => {
    const full = Math.max(0, Math.min(filled, to) - from);
    return [
      { text: "█".repeat(full), format: colour },
      { text: "░".repeat(to - from - full), format: "dim" },
    ];
  };
  return [
    ...cells(0, mark),
    { text: "┃", format: "bold" },
    ...cells(mark + 1, width),
    { text: ` ${percent}` },
  ];
}

function columns(spans: Span[]): number {
  return spans.reduce((sum, { text }) => sum + widthOf(text), 0);
}

export function painted(spans: readonly Span[], width: number, paint: Paint): string {
  let line = "";
  let room = width;
  for (const { text, format } of spans) {
    const shown = fitted(text, room);
    room -= widthOf(shown);
    if (shown !== "") line += format ? paint(format, shown) : shown;
  }
  return line;
}

/** What it has cost since it was last resumed, of what it may: `est. $1.20/$5.00`. */
export function costOfLimit(job: Job, now: Date): string {
  const limit = job.chosen?.maxCostUsd ?? job.agentConfig?.limits?.costUsd;
  if (limit === undefined || job.costBasis === "unknown") return costInBrief(job);
  const { costUsd, isSimulated, isEstimate } = spentBy(job, now);
  return `${isSimulated ? "sim. " : isEstimate ? "est. " : ""}${money(costUsd)}/${money(limit)}`;
}
