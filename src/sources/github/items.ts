import type { WorkSourceConfig } from "../../config/work-source.ts";
import type { Author, Item } from "../source.ts";
import type { Issue, IssueEvent } from "./shapes.ts";

type Labels = WorkSourceConfig["labels"];

/** As words, also of names like `priority:high`: a workflow is not low. */
const PRIORITIES: readonly [RegExp, Item["priority"]][] = [
  [/(?<![a-z\d])(?:critical|p0|urgent)(?![a-z\d])/i, 1],
  [/(?<![a-z\d])(?:high|p1|important)(?![a-z\d])/i, 2],
  [/(?<![a-z\d])(?:low|p3)(?![a-z\d])/i, 4],
];

/** By the words of its labels; the most urgent of them counts. */
function priorityOf(labels: readonly string[]): Item["priority"] {
  return PRIORITIES.find(([words]) => labels.some((label) => words.test(label)))?.[1] ?? 3;
}

/** A label is the same in capitals and in small letters. */
export function hasLabel(labels: readonly string[], name: string): boolean {
  return labels.some((label) => label.toLowerCase() === name.toLowerCase());
}

interface Read {
  by: Author;
  /** The account that Baton writes with: what is assigned to it is assigned to nobody else. */
  ours: string | undefined;
  labels: Labels;
}

export function itemOf(issue: Issue, { by, ours, labels }: Read): Item {
  return {
    id: String(issue.number),
    nodeId: issue.node_id,
    title: issue.title,
    text: issue.body,
    url: issue.html_url,
    priority: priorityOf(issue.labels),
    labels: issue.labels,
    isOpen: issue.state === "open",
    isReady: hasLabel(issue.labels, labels.ready),
    isMarkedTaken: hasLabel(issue.labels, labels.inProgress),
    blockedBy: unnamedBlockers(issue),
    assignees: (issue.assignees ?? [])
      .map(({ login }) => login)
      .filter((login) => login.toLowerCase() !== ours?.toLowerCase()),
    by,
    createdAt: issue.created_at,
    updatedAt: issue.updated_at,
  };
}

/** A list says how many there are, and not which. */
export function unnamedBlockers({ issue_dependencies_summary: summary }: Issue): string[] {
  const open = summary?.blocked_by ?? 0;
  return open === 0 ? [] : [open === 1 ? "1 open issue" : `${open} open issues`];
}

/**
 * The event by which it is ready, of events from the oldest to the newest. An App puts the label back where its run failed, which
 * is nobody's decision: the one before counts then.
 */
export function readyEvent(
  events: readonly IssueEvent[],
  label: string,
  app?: string,
): IssueEvent | undefined {
  const set = events.filter(
    ({ event, label: of }) => event === "labeled" && hasLabel([of?.name ?? ""], label),
  );
  const byPeople = app === undefined ? set : set.filter(({ actor }) => actor?.login !== app);
  return byPeople.at(-1) ?? set.at(-1);
}

/** `acme/app` of `https://api.github.com/repos/acme/app`. */
export function repoIn(url: string | null | undefined): string | undefined {
  return /\/repos\/([\w.-]+\/[\w.-]+)$/.exec(url ?? "")?.[1];
}
