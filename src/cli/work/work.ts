import { findProject } from "../../app/project.ts";
import { workOf } from "../../app/work/list.ts";
import {
  claimItem,
  type ItemSteered,
  ignoreItem,
  type NamedItem,
  releaseItem,
} from "../../app/work/steer.ts";
import type { ShownItem, WorkSourceView } from "../../app/work/view.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { oneLine, type Paint, paintFor, printable } from "../../display/style.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { shortDate } from "../../display/when.ts";
import { shortId } from "../../display/words.ts";
import { age } from "../../util/figures.ts";
import { agreeFirst } from "../config/agree.ts";
import { EXIT } from "../exit.ts";

export interface WorkOptions {
  config?: string;
  json?: boolean;
  source?: string;
  agent?: string;
  dryRun?: boolean;
  undo?: boolean;
}

const NONE =
  "No agent takes work from a tracker here. Add one to baton.yaml: work_source: { type: github, repo: owner/name }, or { type: linear, team: ENG }";

/** What would be taken from trackers, and why the rest is not. */
export async function work(options: WorkOptions): Promise<number> {
  const project = findProject(options);
  await agreeFirst(project, options);
  const sources = await workOf(project);
  if (options.json) {
    printJson(sources);
    return sources.some(({ problem }) => problem) ? EXIT.failed : EXIT.completed;
  }
  if (sources.length === 0) printWords(NONE);
  const now = new Date();
  const paint = paintFor(process.stdout, process.env);
  for (const [index, source] of sources.entries()) printSource(source, { paint, now, first: index === 0 });
  return sources.some(({ problem }) => problem) ? EXIT.failed : EXIT.completed;
}

function printSource(
  { source, polledAt, budget, problem, items }: WorkSourceView,
  { paint, now, first }: { paint: Paint; now: Date; first: boolean },
): void {
  const asked =
    polledAt === undefined ? "not asked yet" : `asked ${age(now.getTime() - Date.parse(polledAt))} ago`;
  const left =
    budget?.remaining == null || budget.limit == null
      ? ""
      : `, ${budget.remaining} of ${budget.limit} requests left`;
  printWords(`${first ? "" : "\n"}${paint("bold", oneLine(source))}: ${asked}${left}`);
  if (problem) printWords(paint("red", printable(problem.why)));
  if (items.length === 0 && !problem) printWords("Nothing there is marked as ready.");
  if (items.length > 0)
    print(
      `\n${table(items, columnsOf(paint, now), tableWidth(process.stdout), { last: "below" }).join("\n")}`,
    );
}

function columnsOf(paint: Paint, now: Date): Column<ShownItem>[] {
  return [
    { title: "ITEM", text: ({ id }) => id },
    { title: "PRIO", text: ({ priority }) => String(priority), align: "right", spare: 2 },
    { title: "SINCE", text: ({ createdAt }) => shortDate(createdAt, now), spare: 3 },
    { title: "AGENT", text: ({ agent }) => agent, spare: 1 },
    { title: "TITLE", text: ({ title }) => oneLine(title) },
    {
      title: "",
      text: ({ state, why }) => (state === "take" ? "is next" : oneLine(why ?? state)),
      paint: ({ state }, text) => paint(state === "take" ? "green" : "yellow", text),
    },
  ];
}

const named = (id: string, { source, agent }: WorkOptions): NamedItem => ({
  id,
  ...(source !== undefined && { source }),
  ...(agent !== undefined && { agent }),
});

export async function workClaim(id: string, options: WorkOptions): Promise<number> {
  const project = findProject(options);
  await agreeFirst(project, options);
  const { dryRun = false } = options;
  const claimed = await claimItem(project, named(id, options), { dryRun });
  return say(claimed, options, ({ item, title, job }) =>
    job === undefined
      ? `${item} would be claimed: ${title}`
      : `${item} is claimed: ${title}\n${shortId(job)} works on it when it has a slot. Look at its place with: baton queue`,
  );
}

export async function workRelease(id: string, options: WorkOptions): Promise<number> {
  const project = findProject(options);
  await agreeFirst(project, options);
  const { dryRun = false } = options;
  const released = await releaseItem(project, named(id, options), { dryRun });
  return say(released, options, ({ item, title, job }) => {
    const would = dryRun ? "would be" : "is";
    const cancelled = job === undefined ? "" : `${shortId(job)}, which had it, ${would} cancelled. `;
    return `${cancelled}${item} ${would} free and ready: ${title}`;
  });
}

export async function workIgnore(id: string, options: WorkOptions): Promise<number> {
  const project = findProject(options);
  await agreeFirst(project, options);
  const { undo = false, dryRun = false } = options;
  const ignored = await ignoreItem(project, named(id, options), { undo, dryRun });
  return say(ignored, options, ({ item, title }) => {
    const would = dryRun ? "would be" : "is";
    if (undo) return `${item} ${would} ignored no longer: ${title}`;
    return `${item} ${would} left alone: ${title}${dryRun ? "" : `\nUndo it with: baton work ignore ${item} --undo`}`;
  });
}

function say(steered: ItemSteered, { json }: WorkOptions, words: (steered: ItemSteered) => string): number {
  if (json) printJson(steered);
  else printWords(printable(words({ ...steered, title: oneLine(steered.title) })));
  return EXIT.completed;
}
