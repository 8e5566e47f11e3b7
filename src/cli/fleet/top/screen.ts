import type { TopView } from "../../../app/fleet/top.ts";
import { status, timeOf } from "../../../display/job-report.ts";
import { contextBar, costOfLimit, doingNow, painted, turnsToHandoff } from "../../../display/live-line.ts";
import { oneLine, type Paint, plain } from "../../../display/style.ts";
import { fitted, widthOf } from "../../../display/width.ts";
import { agentInWords, budgetInWords, shortId, statusInWords } from "../../../display/words.ts";
import type { Job, JobStatus } from "../../../job/job.ts";
import { age } from "../../../util/figures.ts";
import { heldBackLines, limitLine, NOT_RUNNING_WORDS } from "../head.ts";
import { namesOf } from "../several.ts";
import { jobsOf, type TopState } from "./keys.ts";
import { openedLines } from "./opened.ts";

export interface Size {
  columns: number;
  rows: number;
}

/** The whole screen: never more lines than rows, none wider than the columns. */
export function topScreen(view: TopView, state: TopState, size: Size, paint: Paint): string[] {
  const { columns, rows } = size;
  const foot = footer(state, view, columns, paint);
  const room = Math.max(1, rows - foot.length);
  const opened = state.opened === undefined ? undefined : jobsOf(view).find(({ id }) => id === state.opened);
  const body = opened
    ? scrolled(openedLines(opened, view, columns, paint), state.scrolled, room)
    : listed(view, state, { columns, rows: room }, paint);
  return [...body.slice(0, room), ...foot];
}

/** Never past its end. */
function scrolled(lines: string[], by: number, room: number): string[] {
  return lines.slice(Math.max(0, Math.min(by, lines.length - room)));
}

interface Line {
  text: string;
  /** The job that it is of. */
  job?: string;
}

function listed(view: TopView, state: TopState, { columns, rows }: Size, paint: Paint): string[] {
  const groups: [string, Job[]][] = [
    ["AT WORK", view.atWork],
    ["QUEUED", view.queued.map(({ job }) => job)],
    ["STOPPED TODAY", view.stopped],
    ["COMPLETED TODAY", view.completed],
  ];
  const layout = layoutOf(columns, namesIn(view).size < 2);
  const head = [
    fleetLine(view, columns, paint),
    ...troubleLines(view, columns, paint),
    ...budgetLines(view, columns, paint),
  ];
  const lines = groups.flatMap(([title, jobs]): Line[] => {
    if (jobs.length === 0) return [];
    const rowsOf = jobs.map((job) => ({ text: row(job, view, state, layout, columns, paint), job: job.id }));
    return [{ text: "" }, { text: paint("dim", `${title} ${jobs.length}`) }, ...rowsOf];
  });
  if (lines.length === 0) {
    return [...head, "", fitted('No jobs today. Queue one with: baton run "what to do" --queue', columns)];
  }
  return [...head, ...around(lines, state.selected, rows - head.length, paint)];
}

/** As many lines as there is room for, with the selected one among them. */
function around(lines: readonly Line[], selected: string | undefined, room: number, paint: Paint): string[] {
  if (lines.length <= room) return lines.map(({ text }) => text);
  const at = Math.max(
    0,
    lines.findIndex(({ job }) => job !== undefined && job === selected),
  );
  const shown = Math.max(1, room - 1);
  const first = Math.max(0, Math.min(at - Math.floor(shown / 2), lines.length - shown));
  const texts = lines.slice(first, first + shown).map(({ text }) => text);
  const hidden = lines.filter(({ job }, index) => job !== undefined && !isWithin(index, first, shown)).length;
  return [...texts, paint("dim", `… ${hidden} more`)];
}

const isWithin = (index: number, first: number, count: number) => index >= first && index < first + count;

/** What keeps the fleet from its work, each in a line. */
function troubleLines({ fleet, at }: TopView, columns: number, paint: Paint): string[] {
  const { configurationProblem, limits = [] } = fleet;
  const lines = [
    ...heldBackLines(fleet, plain).map((line) => paint("yellow", fitted(line, columns))),
    ...limits.map((limit) => paint("yellow", fitted(limitLine(limit, at), columns))),
  ];
  if (!configurationProblem) return lines;
  const text = `The current baton.yaml is not used: ${oneLine(configurationProblem.problem)}`;
  return [paint("red", fitted(text, columns)), ...lines];
}

function budgetLines({ budgets }: TopView, columns: number, paint: Paint): string[] {
  return budgets.map((standing) =>
    paint(
      "problem" in standing || standing.isUsedUp ? "yellow" : "dim",
      fitted(oneLine(budgetInWords(standing)), columns),
    ),
  );
}

/** The fleet in a line: what is left out where there is no room stands at its end. */
function fleetLine(view: TopView, columns: number, paint: Paint) {
  const { fleet, isPaused, atWork, queued, stopped, at, needYou } = view;
  if (fleet.state === "not running" && atWork.length === 0) {
    return paint("yellow", fitted(NOT_RUNNING_WORDS, columns));
  }
  const { slots, since } = fleet;
  const waiting = atWork.filter((job) => job.status === "waiting").length;
  const lasts = since === undefined ? "" : ` ${age(at.getTime() - Date.parse(since))}`;
  const parts = [
    fleet.state === "not running" ? "no fleet: nothing will start" : `fleet ${fleet.state}${lasts}`,
    ...(fleet.work ?? []).flatMap(({ source, problem }) =>
      problem ? [`${oneLine(source)} does not answer`] : [],
    ),
    ...(needYou > 0 ? [`${needYou} ${needYou === 1 ? "needs" : "need"} you: baton inbox`] : []),
    `${atWork.length - waiting} running`,
    ...(isPaused ? ["queue paused"] : []),
    ...(queued.length > 0 ? [`${queued.length} queued`] : []),
    ...(stopped.length > 0 ? [`${stopped.length} stopped`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(fleet.work ?? []).map(({ source, ready }) => `${oneLine(source)}: ${ready} ready`),
    ...(slots ? [`${slots.taken} of ${slots.total} slots`] : []),
  ];
  const isBad = isPaused || needYou > 0 || fleet.state !== "running";
  return paint(isBad ? "yellow" : "bold", fitted(parts.join(" · "), columns));
}

/** How wide each part of a row is. 0: it is left out. */
interface Layout {
  agent: number;
  status: number;
  bar: number;
  turns: number;
  cost: number;
  time: number;
}

/** The agent of one of several projects stands after the name of that. */
function layoutOf(columns: number, isOne: boolean): Layout {
  const agent = (alone: number, after: number) => (isOne ? alone : after);
  if (columns >= 140) return { agent: agent(16, 28), status: 13, bar: 24, turns: 10, cost: 18, time: 8 };
  if (columns >= 96) return { agent: agent(10, 18), status: 13, bar: 10, turns: 9, cost: 14, time: 0 };
  if (columns >= 76) return { agent: agent(8, 14), status: 13, bar: 6, turns: 0, cost: 12, time: 0 };
  return { agent: agent(0, 10), status: 13, bar: 5, turns: 0, cost: 0, time: 0 };
}

const ID = 6;
const PERCENT = 5;

/** Only a job at work has a window and turns left, and only one that ran a cost: what is said of others has their room. */
function row(
  job: Job,
  view: TopView,
  state: TopState,
  layout: Layout,
  columns: number,
  paint: Paint,
): string {
  const isSelected = job.id === state.selected;
  const place = view.queued.find((each) => each.job.id === job.id)?.place;
  const id = cell(shortId(job.id), ID);
  const before = [
    { text: isSelected ? paint("cyan", "›") : " ", width: 1 },
    { text: isSelected ? paint("bold", id) : id, width: ID },
    { text: cell(whose(job, view), layout.agent), width: layout.agent },
    {
      text: status(job.status, cell(`${ICONS[job.status]} ${statusWord(job)}`, layout.status), paint),
      width: layout.status,
    },
    ...(job.status === "running" || job.status === "waiting" ? windowCells(job, view, layout, paint) : []),
  ];
  const after = place
    ? []
    : [
        { text: paint("dim", cell(costOfLimit(job, view.at), layout.cost, "right")), width: layout.cost },
        { text: paint("dim", cell(timeOf(job, view.at), layout.time, "right")), width: layout.time },
      ];
  const beside = [...before, ...after].filter(({ width }) => width > 0);
  const room = columns - beside.reduce((sum, { width }) => sum + width + 1, 0);
  const what = cell(
    place ? `${place.position}. ${place.reason.text}` : doing(job, view.at),
    Math.max(0, room),
  );
  const text = { text: place ? paint("yellow", what) : what, width: 1 };
  const shown = [...before, text, ...after].filter(({ width }) => width > 0);
  return shown.map((each) => each.text).join(" ");
}

function windowCells(job: Job, view: TopView, { bar: width, turns }: Layout, paint: Paint) {
  const left = turnsToHandoff(job, thresholdsOf(job, view));
  return [
    { text: bar(job, view, width, paint), width: width + PERCENT },
    { text: cell(left === undefined ? "" : `~${left} turns`, turns), width: turns },
  ];
}

/** Its agent, after its project where several are shown. */
function whose(job: Job, view: TopView): string {
  const names = namesIn(view);
  const project = names.size < 2 ? undefined : names.get(view.projects.get(job.id) ?? "");
  return project === undefined ? agentInWords(job) : `${project}/${agentInWords(job)}`;
}

function namesIn({ projects }: TopView): Map<string, string> {
  return namesOf([...new Set(projects.values())].map((root) => ({ root })));
}

/** Told apart without their colours, too. */
const ICONS: Record<JobStatus, string> = {
  created: "○",
  queued: "○",
  running: "●",
  waiting: "◐",
  paused: "‖",
  interrupted: "!",
  failed: "✗",
  cancelled: "–",
  completed: "✓",
};

/** One word: what else there is to say stands beside it. */
function statusWord(job: Job): string {
  return statusInWords(job).split(",")[0] ?? job.status;
}

function bar(job: Job, view: TopView, width: number, paint: Paint): string {
  const spans = contextBar(job, thresholdsOf(job, view), width);
  const used = spans.reduce((sum, { text }) => sum + widthOf(text), 0);
  return painted(spans, width + PERCENT, paint) + " ".repeat(Math.max(0, width + PERCENT - used));
}

/** By what its sessions hand off: as it was when the job began, or what the agent has that took over. */
function thresholdsOf({ agent, runsOn, agentConfig }: Job, { agents }: TopView) {
  const session =
    runsOn && runsOn.agent !== agent
      ? agents.find(({ name }) => name === runsOn.agent)?.session
      : agentConfig?.session;
  return session && { session };
}

function doing(job: Job, now: Date): string {
  switch (job.status) {
    case "running":
    case "waiting":
      return job.pauseRequested ? `pausing, ${doingNow(job, now)}` : doingNow(job, now);
    case "completed":
      return job.result ?? "";
    case "created":
    case "queued":
    case "failed":
    case "paused":
    case "cancelled":
    case "interrupted":
      return job.error ?? job.prompt;
  }
}

function cell(text: string, width: number, align: "left" | "right" = "left"): string {
  const shown = fitted(oneLine(text), width);
  const spaces = " ".repeat(Math.max(0, width - widthOf(shown)));
  return align === "left" ? shown + spaces : spaces + shown;
}

const AGREE = { cancel: "Cancel", "hand-off": "Hand off", approve: "Allow", deny: "Deny" } as const;

function footer(
  { asks, note, opened, selected }: TopState,
  view: TopView,
  columns: number,
  paint: Paint,
): string[] {
  if (asks) {
    const whom = "ask" in asks ? `${asks.ask} as it is shown` : shortId(asks.job);
    return ["", paint("yellow", fitted(`${AGREE[asks.what]} ${whom}?  y yes  n no`, columns))];
  }
  const job = jobsOf(view).find(({ id }) => id === (opened ?? selected));
  const answers = job?.asks && job.asks.length > 0 ? ["a allow", "d deny"] : [];
  const queue = `p ${view.isPaused ? "resume" : "pause"} queue`;
  // The first ones are those that are seen in a narrow terminal.
  const keys =
    opened === undefined
      ? ["↑↓ ⏎ show", ...answers, "c cancel", "h hand off", queue, "q quit", "f first", "l last"]
      : ["↑↓ scroll", "esc back", ...answers, "c cancel", "h hand off", "q quit"];
  const told = note === undefined ? [] : [paint("yellow", fitted(oneLine(note), columns))];
  return ["", ...told, paint("dim", fitted(keys.join("  "), columns))];
}
