import { outcomeInWords } from "../handoff/outcome.ts";
import { containerInWords, deniedHostsInWords } from "../job/container.ts";
import { costInPassing, isAllSimulated, usageFigure } from "../job/cost.ts";
import type { ConversationOrigin, Parent } from "../job/events.ts";
import {
  type ContainerRecord,
  endOf,
  fullestWindow,
  type HandoffRecord,
  type Job,
  type JobStatus,
  type SessionRecord,
  type SwitchRecord,
} from "../job/job.ts";
import { timeAtWork } from "../job/limits.ts";
import type { RampUp, UsualRampUp } from "../job/ramp-up.ts";
import type { HandoffBill } from "../job/replay/bill.ts";
import { CHAT_SERVICES, isOutOfHandoffs, SWITCHED, statusInWords } from "../job/status-words.ts";
import { timeInWords, timeSplitAt } from "../job/time-split.ts";
import { percentInWords, windowInWords } from "../job/window.ts";
import { clock, counted, money, percent, tokens } from "../util/figures.ts";
import type { WorkItem, WorkspaceRecord } from "../workspace/workspace.ts";
import { folded } from "./fold.ts";
import { farAboveInWords, rampUpInWords } from "./ramp-up.ts";
import { oneLine, type Paint, printable } from "./style.ts";
import { todoLines } from "./todos.ts";
import { dates, longDate } from "./when.ts";

/** How long it has been at work, without the time that it waited. */
export function timeOf(job: Job, now: Date): string {
  return clock(timeAtWork(job, now));
}

/** What was chosen for this job alone, as it is typed. */
function flagsOf({ model, permissionMode, maxCostUsd, worktree }: Job["chosen"] = {}): string[] {
  return [
    ...(model ? [`--model ${model}`] : []),
    ...(permissionMode ? [`--permission-mode ${permissionMode}`] : []),
    ...(maxCostUsd ? [`--max-cost ${maxCostUsd}`] : []),
    ...(worktree ? ["--worktree"] : []),
  ];
}

/** An estimate, and called one. */
function billInWords(job: Job, { costUsd, savedUsd }: HandoffBill): string {
  const { handoffs } = job;
  const est = isAllSimulated(job) ? "sim." : "est.";
  const against = savedUsd < 0 ? "more than" : "less than";
  return `${handoffs.length}, for ${est} ${money(costUsd)}; the job cost ${est} ${money(Math.abs(savedUsd))} ${against} in a single window of any size`;
}

/** How full its fullest window was, of whichever session. */
export function peakOf(job: Job): string {
  const peak = fullestWindow(job);
  if (!peak) return "";
  const about = peak.isEstimate ? "~" : "";
  return `${about}${tokens(peak.tokens)} (${about}${percent((peak.tokens / peak.window) * 100)})`;
}

/** The same of one session. Empty where nobody knows. */
export function peakOfSession({ peakTokens, peakIsEstimate, contextWindow }: SessionRecord): string {
  if (!contextWindow || peakTokens === 0) return "";
  return `peak ${peakIsEstimate ? "~" : ""}${tokens(peakTokens)} of ${tokens(contextWindow)}`;
}

/** `open`: the word for a session that has not. */
export function howEnded(job: Job, session: SessionRecord, open = "running"): string {
  return endOf(job, session) ?? open;
}

function containerLine(job: Job, container: ContainerRecord): string {
  return [containerInWords(container), deniedHostsInWords(job)].filter(Boolean).join("; ");
}

interface ReportOptions {
  /** The handoffs whose documents are. */
  deleted?: ReadonlySet<number>;
  /** What its agent spends at a handoff, where that is known. */
  usual?: UsualRampUp | undefined;
  /** What its handoffs cost and saved, where that is known. */
  bill?: HandoffBill | undefined;
  /** Its retries and forks. */
  children?: readonly { job: string; by: "retry" | "fork"; status: JobStatus }[];
  /** Why its item may not have to be worked on any more. */
  conflict?: { why: string; since: string } | undefined;
  /** What its process printed, where that had no terminal. */
  log?: string | undefined;
  /** Of the screen, where there is one. */
  width?: number | undefined;
  /** A job that has not come to rest spends its time on something up to now. */
  now?: Date;
}

function conflictInWords({ why, since }: { why: string; since: string }): string {
  return `${oneLine(why)} ${longDate(since)}, and the job continues: end it with \`baton cancel\``;
}

const LABEL = 10;

/** The chain of sessions and handoffs of a job, for people. */
export function jobReport(job: Job, paint: Paint, options: ReportOptions = {}): string {
  return reportLines(job, paint, options)
    .map((line) => folded(line, options.width, line.startsWith(" ") ? 2 : LABEL))
    .join("\n");
}

function reportLines(job: Job, paint: Paint, options: ReportOptions): string[] {
  const { deleted, usual, bill, conflict, log, now, children = [] } = options;
  const label = (text: string) => (text === "" ? " ".repeat(LABEL) : paint("dim", text.padEnd(LABEL)));
  const lines = [
    `${label("job")}${paint("bold", job.id)} ${statusOf(job, statusInWords(job), paint)}`,
    `${label("agent")}${oneLine([job.agent, ...flagsOf(job.chosen)].join(" "))}`,
    ...(job.runsOn && job.runsOn.agent !== job.agent
      ? [`${label("runs on")}${oneLine(job.runsOn.agent)}, ${SWITCHED[job.runsOn.reason]}`]
      : []),
    ...(job.switches ?? []).map((each) => `${label("switched")}${switchInWords(each)}`),
    ...(job.epic ? [`${label("epic")}${oneLine(job.epic)}`] : []),
    ...(job.continues ? [`${label("continues")}${oneLine(job.continues.document)}`] : []),
    ...(job.parent ? [`${label("from")}${parentInWords(job.parent)}`] : []),
    ...children.map(({ job: id, by, status }) => `${label(by)}${id}, ${status}`),
    ...(job.workItem ? [`${label("work item")}${oneLine(job.workItem.id)}${title(job.workItem)}`] : []),
    ...(job.conversation ? [`${label("talk")}${talkInWords(job.conversation)}`] : []),
    ...(conflict ? [paint("yellow", `${label("conflict")}${conflictInWords(conflict)}`)] : []),
    ...(job.workspace ? workspaceLines(job.workspace, label) : []),
    ...(job.container ? [`${label("container")}${containerLine(job, job.container)}`] : []),
    `${label("usage")}${tokensInWords(job)}, ${costInPassing(job)}`,
    ...(job.createdAt === "" ? [] : [`${label("when")}${whenOf(job)}`]),
    `${label("time")}${timeOf(job, now ?? new Date(job.updatedAt))}, ${counted(job.turns, "turn")}`,
  ];
  const spent = timeInWords(timeSplitAt(job, now ?? new Date(job.updatedAt)) ?? {});
  if (spent !== "") lines.push(`${label("spent on")}${spent}`);
  if (job.startedBy) lines.push(`${label("for")}session ${oneLine(job.startedBy)}`);
  if (job.report) lines.push(`${label("reported")}${oneLine(job.report.status)}`);
  if (log !== undefined) lines.push(`${label("log")}${oneLine(log)}`);
  if (bill) lines.push(`${label("handoffs")}${billInWords(job, bill)}`);
  for (const [index, line] of todoLines(job.todos ?? [], paint).entries())
    lines.push(`${label(index === 0 ? "todos" : "")}${line}`);
  if (job.compacted) {
    const { events, at } = job.compacted;
    lines.push(
      `${label("journal")}compacted on ${at.slice(0, 10)}: ${counted(events, "event")} removed; this is the summary`,
    );
  }
  for (const [index, line] of deniedLines(job).entries())
    lines.push(paint("yellow", `${label(index === 0 ? "denied" : "")}${line}`));
  if (job.error) lines.push(`${label("why")}${printable(job.error)}`);
  const isShared = job.sessions.some(({ agent = job.agent }) => agent !== job.agent);
  for (const session of job.sessions) {
    const parts = [
      isShared ? oneLine(session.agent ?? job.agent) : "",
      oneLine(session.model ?? "not started"),
      counted(session.turns, "turn"),
      peakOfSession(session),
      nowOf(job, session),
      howEnded(job, session),
    ];
    lines.push(
      `${label(`session ${session.ordinal}`)}${session.id}  ${paint("dim", parts.filter(Boolean).join(", "))}`,
    );
    for (const handoff of job.handoffs.filter(({ fromSession }) => fromSession === session.id)) {
      const how = `${outcomeInWords(handoff.outcome)}, at ${handoff.isEstimate ? "~" : ""}${percent(handoff.percent)}${withResults(handoff)}, in ${(handoff.durationMs / 1_000).toFixed(1)} s`;
      const where = deleted?.has(handoff.number)
        ? "(its document is deleted)"
        : oneLine(handoff.documentPath);
      lines.push(
        `${label("")}${paint("magenta", `⇄ handoff ${handoff.number}`)} ${where}  ${paint("dim", how)}`,
      );
      if (handoff.rampUp)
        lines.push(...rampUpLines(handoff.rampUp, usual, paint).map((line) => label("") + line));
    }
  }
  return lines;
}

function switchInWords({ at, from, to, reason, until }: SwitchRecord): string {
  const again =
    until === undefined
      ? ""
      : ` (${oneLine(from)} can work again from ${longDate(new Date(until).toISOString())})`;
  return `${longDate(at)}: ${oneLine(from)} → ${oneLine(to)}, ${SWITCHED[reason]}${again}`;
}

/** Where a job that came from another began. */
function parentInWords(parent: Parent): string {
  if (parent.by === "retry") return `${parent.job}, tried again from the beginning`;
  const { job, handoff, checkpoint } = parent;
  const at =
    checkpoint === undefined
      ? "as it stood"
      : `at checkpoint ${checkpoint}${handoff === undefined ? "" : `, with the document of handoff ${handoff}`}`;
  return `${job}, forked ${at}`;
}

function whenOf({ createdAt, updatedAt, status }: Job): string {
  const isOpen = status === "created" || status === "queued" || status === "running" || status === "waiting";
  return isOpen ? `since ${longDate(createdAt)}` : dates(createdAt, updatedAt);
}

const MOST_DENIED = 5;

/** Calls that the rules did not allow. Those that people said no to, or that were made later, are only counted. */
function deniedLines({ denied = [], deniedToolCalls }: Job): string[] {
  const listed = denied.slice(0, MOST_DENIED).map(({ tool, summary, times }) => {
    const often = times > 1 ? ` (${counted(times, "time")})` : "";
    return `${oneLine(`${tool} ${summary}`)}${often}`;
  });
  const rest = deniedToolCalls - denied.slice(0, MOST_DENIED).reduce((sum, { times }) => sum + times, 0);
  if (rest <= 0) return listed;
  return [...listed, `${counted(rest, listed.length > 0 ? "more tool call" : "tool call")}`];
}

function rampUpLines(rampUp: RampUp, usual: UsualRampUp | undefined, paint: Paint): string[] {
  const farAbove = farAboveInWords(rampUp, usual);
  return [
    `  ${paint("dim", `ramp-up: ${rampUpInWords(rampUp)}`)}`,
    ...(farAbove === undefined ? [] : [`  ${paint("yellow", farAbove)}`]),
  ];
}

/** Not every program tells them. */
function tokensInWords(job: Job): string {
  const usage = usageFigure(job.usage, job.turns);
  if (usage === null) return "tokens unknown";
  const { input, cacheRead, cacheWrite, output } = usage;
  const sent = input + cacheRead + cacheWrite;
  const more = job.uncounted ? ` and those of ${counted(job.uncounted, "answer")} that are unknown` : "";
  return `${tokens(sent)} tokens sent (${tokens(cacheRead)} from the cache), ${tokens(output)} received${more}`;
}

/** Of a session at work: its peak is what the model's server counted last. */
function nowOf(job: Job, session: SessionRecord): string {
  const { context } = job;
  return endOf(job, session) === null && context ? `now ${windowInWords(context)}` : "";
}

/** The last results filled it further than what was counted when it handed off. */
function withResults({ tokens, contextWindow: window, percent, pending }: HandoffRecord): string {
  return pending ? ` (${percentInWords({ tokens, window, percent, pending })} with the last results)` : "";
}

function talkInWords({ service, channel, by, url }: ConversationOrigin): string {
  return `in ${CHAT_SERVICES[service]}, begun by ${oneLine(by.name)} (${oneLine(by.id)}): ${oneLine(url ?? channel)}`;
}

function title({ title }: WorkItem): string {
  return title ? `: ${oneLine(title)}` : "";
}

function workspaceLines(workspace: WorkspaceRecord, label: (text: string) => string): string[] {
  const { path, repo, branch, state, pushed, proposal, reason, branchKept } = workspace;
  if (repo === null) return [`${label("folder")}${oneLine(path)}`];
  const isGone = state === "removed" && !branchKept;
  const where = pushed !== null ? ", pushed" : isGone ? " (removed)" : "";
  return [
    `${label("folder")}${oneLine(state === "removed" ? `${repo} (its worktree is removed)` : path)}`,
    `${label("branch")}${oneLine(branch ?? "")}${where}`,
    ...(proposal === null ? [] : [`${label("")}pull request ${oneLine(proposal)}`]),
    ...(reason === null ? [] : [`${label("")}${printable(reason)}`]),
  ];
}

/** The status of a job, or what stands for it, in its colour. */
export function statusOf({ status: value, pauseCode, denied = [] }: Job, text: string, paint: Paint): string {
  const isBad = value === "paused" && isOutOfHandoffs(pauseCode);
  if (value === "completed" && denied.length > 0) return paint("yellow", text);
  return isBad ? paint("red", text) : status(value, text, paint);
}

/** A status, or what stands for it, in its colour. */
export function status(value: JobStatus, text: string, paint: Paint): string {
  switch (value) {
    case "completed":
      return paint("green", text);
    case "failed":
      return paint("red", text);
    case "running":
    case "waiting":
      return paint("cyan", text);
    case "created":
    case "queued":
    case "paused":
    case "cancelled":
    case "interrupted":
      return paint("yellow", text);
  }
}
