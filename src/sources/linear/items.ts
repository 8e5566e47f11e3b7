import type { WorkSourceConfig } from "../../config/work-source.ts";
import type { Author, Item } from "../source.ts";
import type { Issue, Person } from "./shapes.ts";
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
