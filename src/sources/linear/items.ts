import type { WorkSourceConfig } from "../../config/work-source.ts";
import type { Author, Item } from "../source.ts";
import type { Change, Issue, Person } from "./shapes.ts";
import type { TeamStates } from "./team.ts";

/** What cannot be worked on any more, and what is none of ours. */
const OVER = new Set(["completed", "canceled", "duplicate"]);
/** Where an issue waits for somebody to begin it. */
const WAITING = new Set(["unstarted", "backlog", "triage"]);

export const isOver = (type: string) => OVER.has(type);

/** Linear counts from 1, urgent, to 4, low; 0 is none, which is neither. */
const priorityOf = (priority: number): Item["priority"] =>
  priority === 1 ? 1 : priority === 2 ? 2 : priority === 4 ? 4 : 3;

/** Members may write; guests see a part of the workspace, and those who left are nobody. */
export function authorOf(
  person: Person | null | undefined,
  bot?: { name?: string | null | undefined } | null,
): Author {
  if (!person) return { name: bot?.name ?? "an integration", trusted: false };
  const trusted = person.isMe === true || (person.active === true && person.guest === false);
  return { name: person.displayName ?? person.name, trusted };
}

/**
 * Of those who changed its title or its text one who may not write, whoever wrote it first: a guest, or an integration that brings in
 * what strangers write elsewhere.
 */
export function outsiderIn(history: readonly Change[]): Author | undefined {
  const editors = history.flatMap(({ fromTitle, updatedDescription, descriptionUpdatedBy, actor }) => [
    ...(fromTitle == null ? [] : [actor]),
    ...(updatedDescription ? (descriptionUpdatedBy?.length ? descriptionUpdatedBy : [actor]) : []),
  ]);
  // A member who has left was one when they wrote it.
  const isOutside = (person: (typeof editors)[number]) => person?.isMe !== true && person?.guest !== false;
  const index = editors.findIndex(isOutside);
  return index === -1 ? undefined : { ...authorOf(editors[index]), trusted: false };
}

/**
 * The change by which it is ready, of changes in any order. Baton puts the label back where a job failed, and takes its own away with
 * it, which is nobody's decision: the one before counts then.
 */
export function readyChange(
  history: readonly Change[],
  { ready, inProgress }: { ready: string; inProgress: string | undefined },
): Change | undefined {
  const set = history
    .filter(({ addedLabelIds }) => addedLabelIds?.includes(ready))
    .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
  const isGivenBack = ({ actor, removedLabelIds }: Change) =>
    actor?.isMe === true && inProgress !== undefined && removedLabelIds?.includes(inProgress);
  return set.findLast((change) => !isGivenBack(change)) ?? set.at(-1);
}

const has = (names: readonly string[], name: string) =>
  names.some((each) => each.toLowerCase() === name.toLowerCase());

export function itemOf(
  issue: Issue,
  labels: WorkSourceConfig["labels"],
  states: TeamStates,
  namesState: boolean,
): Item {
  const names = issue.labels.nodes.map(({ name }) => name);
  const { type, id: state } = issue.state;
  const waits = namesState ? state === states.ready?.id : WAITING.has(type);
  return {
    id: issue.identifier.toUpperCase(),
    nodeId: issue.id,
    title: issue.title,
    text: issue.description,
    url: issue.url,
    priority: priorityOf(issue.priority),
    labels: names,
    isOpen: !isOver(type),
    isReady: has(names, labels.ready) && waits,
    isMarkedTaken: has(names, labels.inProgress),
    blockedBy: issue.inverseRelations.nodes
      .filter((relation) => relation.type === "blocks" && !isOver(relation.issue.state.type))
      .map((relation) => relation.issue.identifier),
    // An item that is assigned to Baton's own account is assigned to nobody else.
    assignees: issue.assignee && issue.assignee.isMe !== true ? [issue.assignee.displayName] : [],
    by: authorOf(issue.creator, issue.botActor),
    createdAt: issue.createdAt,
    updatedAt: issue.updatedAt,
  };
}
