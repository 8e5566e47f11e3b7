import { randomUUID } from "node:crypto";

/** What a Linear workspace holds, and what it refuses. */

export interface FakeUser {
  id: string;
  name: string;
  displayName: string;
  active: boolean;
  guest: boolean;
}

interface FakeState {
  id: string;
  name: string;
  type: string;
  position: number;
}

export interface FakeTeam {
  id: string;
  key: string;
  name: string;
  states: FakeState[];
}

export interface FakeLabel {
  id: string;
  name: string;
  team: FakeTeam | null;
}

export interface FakeComment {
  id: string;
  body: string;
  createdAt: string;
  user: FakeUser | null;
}

interface FakeChange {
  id: string;
  createdAt: string;
  /** Null: an integration. */
  actor: FakeUser | null;
  addedLabelIds?: string[];
  removedLabelIds?: string[];
  fromTitle?: string;
  updatedDescription?: boolean;
  descriptionUpdatedBy?: FakeUser[];
}

export interface FakeIssue {
  id: string;
  team: FakeTeam;
  number: number;
  title: string;
  description: string | null;
  priority: number;
  createdAt: string;
  updatedAt: string;
  state: FakeState;
  labels: FakeLabel[];
  assignee: FakeUser | null;
  creator: FakeUser | null;
  comments: FakeComment[];
  history: FakeChange[];
  blockedBy: FakeIssue[];
  attachments: { id: string; title: string; subtitle: string | null; url: string }[];
}

/** As Linear says it: with a type, a code and words for people. */
export class Refusal extends Error {
  readonly extensions: { code: string; type: string; userError: boolean; userPresentableMessage: string };

  constructor(code: string, type: string, message: string) {
    super(message);
    this.extensions = { code, type, userError: true, userPresentableMessage: message };
  }
}

const invalid = (message: string) => new Refusal("INPUT_ERROR", "invalid input", message);
const notFound = (what: string) => invalid(`Entity not found: ${what} - Could not find referenced ${what}.`);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const STATES = [
  ["Backlog", "backlog"],
  ["Todo", "unstarted"],
  ["In Progress", "started"],
  ["In Review", "started"],
  ["Done", "completed"],
  ["Canceled", "canceled"],
] as const;

export class FakeWorkspace {
  readonly users: FakeUser[] = [];
  readonly teams: FakeTeam[] = [];
  readonly labels: FakeLabel[] = [];
  readonly issues: FakeIssue[] = [];
  /** Ids that were used once are never free again. */
  readonly #usedIds = new Set<string>();
  readonly now: () => Date;
  #changes = 0;

  constructor(now: () => Date) {
    this.now = now;
  }

  user(name: string, more: Partial<FakeUser> = {}): FakeUser {
    const user = { id: randomUUID(), name, displayName: name, active: true, guest: false, ...more };
    this.users.push(user);
    return user;
  }

  team(key: string, states: readonly (readonly [string, string])[] = STATES): FakeTeam {
    const made = states.map(([name, type], position) => ({ id: randomUUID(), name, type, position }));
    const team = { id: randomUUID(), key, name: key, states: made };
    this.teams.push(team);
    return team;
  }

  label(name: string, team: FakeTeam | null = null): FakeLabel {
    const taken = this.labels.some(
      (label) => label.team === team && label.name.toLowerCase() === name.toLowerCase(),
    );
    if (taken) throw invalid(`duplicate label name: ${name}`);
    const label = { id: randomUUID(), name, team };
    this.labels.push(label);
    return label;
  }

  issue(team: FakeTeam, title: string, more: Partial<FakeIssue> & { by?: FakeUser } = {}): FakeIssue {
    const { by = null, ...fields } = more;
    const number = this.issues.filter((issue) => issue.team === team).length + 1;
    const at = this.#tick();
    const todo = team.states.find(({ type }) => type === "unstarted") ?? team.states[0];
    if (!todo) throw new Error(`${team.key} has no states`);
    const issue: FakeIssue = {
      ...{
        id: randomUUID(),
        team,
        number,
        title,
        description: null,
        priority: 0,
        createdAt: at,
        updatedAt: at,
      },
      ...{
        state: todo,
        labels: [],
        assignee: null,
        creator: by,
        comments: [],
        history: [],
        blockedBy: [],
        attachments: [],
      },
      ...fields,
    };
    this.issues.push(issue);
    return issue;
  }

  /** By its id, or as people write it. */
  find(id: string): FakeIssue {
    const found = this.issues.find((issue) => issue.id === id || nameOf(issue) === id.toUpperCase());
    if (!found) throw notFound("Issue");
    return found;
  }

  touch(issue: FakeIssue): void {
    issue.updatedAt = this.#tick();
  }

  update(
    issue: FakeIssue,
    actor: FakeUser,
    input: { stateId?: string | null; addedLabelIds?: string[] | null; removedLabelIds?: string[] | null },
  ): void {
    const { stateId, addedLabelIds: added, removedLabelIds: removed } = input;
    const state = stateId == null ? undefined : issue.team.states.find(({ id }) => id === stateId);
    if (stateId != null && !state) throw invalid("stateId is of another team.");
    const labels = (added ?? []).map((id) => this.#labelOf(issue, id));
    for (const id of removed ?? []) this.#labelOf(issue, id);
    const isNew = (label: FakeLabel) => !issue.labels.includes(label);
    const put = labels.filter(isNew);
    const gone = issue.labels.filter(({ id }) => removed?.includes(id));
    if (state) issue.state = state;
    issue.labels = [...issue.labels, ...put].filter(({ id }) => !removed?.includes(id));
    this.touch(issue);
    if (put.length + gone.length > 0) {
      const addedLabelIds = put.map(({ id }) => id);
      const removedLabelIds = gone.map(({ id }) => id);
      this.#note(issue, { addedLabelIds, removedLabelIds, actor });
    }
  }

  /** A guest may, in the teams that they see. */
  edit(
    issue: FakeIssue,
    actor: FakeUser | null,
    { title, description }: { title?: string; description?: string },
  ): void {
    this.touch(issue);
    if (title !== undefined) this.#note(issue, { actor, fromTitle: issue.title });
    if (description !== undefined) {
      const by = actor && { descriptionUpdatedBy: [actor] };
      this.#note(issue, { actor, updatedDescription: true, ...by });
    }
    issue.title = title ?? issue.title;
    issue.description = description ?? issue.description;
  }

  #note(issue: FakeIssue, change: Omit<FakeChange, "id" | "createdAt">): void {
    issue.history.push({ id: randomUUID(), createdAt: issue.updatedAt, ...change });
  }

  comment(issue: FakeIssue, user: FakeUser, body: string, id: string = randomUUID()): FakeComment {
    if (!UUID.test(id)) throw invalid("id must be a UUID of version 4.");
    if (this.#usedIds.has(id))
      throw new Refusal("CONFLICT", "invalid input", "conflict on insert of Comment");
    if (body.trim() === "") throw invalid("A comment has a body.");
    this.#usedIds.add(id);
    const comment = { id, body, createdAt: this.#tick(), user };
    issue.comments.push(comment);
    this.touch(issue);
    return comment;
  }

  commentOf(id: string): { issue: FakeIssue; comment: FakeComment } {
    for (const issue of this.issues) {
      const comment = issue.comments.find((each) => each.id === id);
      if (comment) return { issue, comment };
    }
    throw notFound("Comment");
  }

  attach(
    issue: FakeIssue,
    { url, title, subtitle = null }: { url: string; title: string; subtitle?: string | null },
  ) {
    const known = issue.attachments.find((each) => each.url === url);
    if (known) return Object.assign(known, { title, subtitle });
    const made = { id: randomUUID(), title, subtitle, url };
    issue.attachments.push(made);
    return made;
  }

  #labelOf(issue: FakeIssue, id: string): FakeLabel {
    const label = this.labels.find((each) => each.id === id);
    if (!label) throw notFound("IssueLabel");
    if (label.team && label.team !== issue.team) throw invalid("The label is of another team.");
    return label;
  }

  /** No two changes at the same moment. */
  #tick(): string {
    return new Date(this.now().getTime() + this.#changes++).toISOString();
  }
}

export const nameOf = ({ team, number }: FakeIssue) => `${team.key}-${number}`;
