import { invalid, notFound, Refusal } from "./refusal.ts";
import { Versions } from "./versions.ts";

export type Role = "read" | "triage" | "write" | "maintain" | "admin";

export interface StoredComment {
  id: number;
  by: string;
  body: string;
  createdAt: string;
  updatedAt: string;
}

export interface StoredEvent {
  id: number;
  event: string;
  actor: string | null;
  createdAt: string;
  label?: string;
  assignee?: string;
}

export interface StoredIssue {
  id: number;
  number: number;
  title: string;
  body: string | null;
  by: string | null;
  state: "open" | "closed";
  labels: readonly string[];
  assignees: readonly string[];
  comments: readonly StoredComment[];
  events: readonly StoredEvent[];
  blockedBy: readonly number[];
  createdAt: string;
  updatedAt: string;
  isPull: boolean;
}

export interface StoredPull {
  number: number;
  title: string;
  body: string;
  head: string;
  base: string;
  state: "open" | "closed";
  by: string;
}

export interface RepositoryOptions {
  private?: boolean;
  archived?: boolean;
  hasIssues?: boolean;
  collaborators?: Record<string, Role>;
  labels?: string[];
  /** A repository on this machine: what git knows of this one. */
  gitDir?: string;
  defaultBranch?: string;
}

interface World {
  nextId: () => number;
  now: () => Date;
  lagMs: number;
}

const LABEL_LIMIT = 50;
const BODY_LIMIT = 65_536;
const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** One repository with its issues. What is done here is done at once, and seen by readers that lag a little later. */
export class FakeRepository {
  readonly id: number;
  fullName: string;
  readonly options: RepositoryOptions;
  readonly collaborators: Map<string, Role>;
  readonly labels = new Map<string, string>();
  readonly issues = new Map<number, Versions<StoredIssue>>();
  readonly pulls = new Map<number, StoredPull>();
  /** Issues that are elsewhere now. */
  readonly moved = new Map<number, { repository: FakeRepository; number: number }>();
  readonly #world: World;

  constructor(fullName: string, options: RepositoryOptions, world: World) {
    this.fullName = fullName;
    this.options = options;
    this.#world = world;
    this.id = world.nextId();
    this.collaborators = new Map(Object.entries(options.collaborators ?? {}));
    for (const label of options.labels ?? ["ready"]) this.labels.set(label.toLowerCase(), label);
  }

  get owner(): string {
    return this.fullName.split("/")[0] ?? "";
  }

  roleOf(login: string): Role | undefined {
    if (same(login, this.owner)) return "admin";
    return this.collaborators.get(login) ?? (this.options.private ? undefined : "read");
  }

  /** As it is now. */
  issue(number: number): StoredIssue {
    const issue = this.issues.get(number)?.now;
    if (!issue) throw notFound();
    return issue;
  }

  open(issue: {
    title: string;
    by: string | null;
    body?: string | null;
    labels?: readonly string[];
    labelledBy?: string;
    isPull?: boolean;
  }): number {
    const number = this.issues.size + this.moved.size + 1;
    const { title, by, body = null, labels = [], isPull = false } = issue;
    if (title === "") throw invalid("Issue", "title", "missing_field");
    checkBody(body ?? "");
    const createdAt = this.#time();
    const stored: StoredIssue = {
      id: this.#world.nextId(),
      number,
      title,
      body,
      by,
      state: "open",
      labels: [],
      assignees: [],
      comments: [],
      events: [],
      blockedBy: [],
      createdAt,
      updatedAt: createdAt,
      isPull,
    };
    this.issues.set(number, new Versions(stored, this.#world.lagMs + 1_000));
    if (labels.length > 0) this.addLabels(number, labels, issue.labelledBy ?? by);
    return number;
  }

  /** Labels that are there already change nothing; those that nobody made are made. There is no condition on any of it. */
  addLabels(number: number, names: readonly string[], by: string | null): void {
    for (const name of names) {
      if (name === "" || [...name].length > LABEL_LIMIT) throw invalid("Label", "name", "invalid");
    }
    for (const name of names) {
      const known = this.labels.get(name.toLowerCase()) ?? name;
      this.labels.set(name.toLowerCase(), known);
      const issue = this.issue(number);
      if (issue.labels.some((label) => same(label, name))) continue;
      this.#change(number, {
        labels: [...issue.labels, known],
        events: [...issue.events, this.#event("labeled", by, { label: known })],
      });
    }
  }

  removeLabel(number: number, name: string, by: string | null): void {
    const issue = this.issue(number);
    const found = issue.labels.find((label) => same(label, name));
    if (found === undefined) throw new Refusal(404, "Label does not exist");
    this.#change(number, {
      labels: issue.labels.filter((label) => label !== found),
      events: [...issue.events, this.#event("unlabeled", by, { label: found })],
    });
  }

  comment(number: number, by: string, body: string): StoredComment {
    checkBody(body);
    if (body.trim() === "") throw invalid("IssueComment", "body", "missing_field");
    const { comments } = this.issue(number);
    const at = this.#time();
    const comment = { id: this.#world.nextId(), by, body, createdAt: at, updatedAt: at };
    this.#change(number, { comments: [...comments, comment] });
    return comment;
  }

  /** The issue that a comment belongs to. */
  commented(id: number): { issue: StoredIssue; comment: StoredComment } {
    for (const { now: issue } of this.issues.values()) {
      const comment = issue.comments.find((each) => each.id === id);
      if (comment) return { issue, comment };
    }
    throw notFound();
  }

  editComment(id: number, body: string): StoredComment {
    checkBody(body);
    const { issue, comment } = this.commented(id);
    const edited = { ...comment, body, updatedAt: this.#time() };
    this.#change(issue.number, { comments: issue.comments.map((each) => (each.id === id ? edited : each)) });
    return edited;
  }

  deleteComment(id: number): void {
    const { issue } = this.commented(id);
    this.#change(issue.number, { comments: issue.comments.filter((each) => each.id !== id) });
  }

  edit(
    number: number,
    changed: { title?: string; body?: string; state?: "open" | "closed" },
    by: string,
  ): void {
    const issue = this.issue(number);
    checkBody(changed.body ?? "");
    const event =
      changed.state === undefined || changed.state === issue.state
        ? []
        : [this.#event(changed.state === "closed" ? "closed" : "reopened", by, {})];
    this.#change(number, { ...changed, events: [...issue.events, ...event] });
  }

  /** Whoever may not write is left out without a word. */
  assign(number: number, logins: readonly string[], by: string): void {
    const may = logins.filter((login) => ["write", "maintain", "admin"].includes(this.roleOf(login) ?? ""));
    const { assignees, events } = this.issue(number);
    const added = may.filter((login) => !assignees.includes(login));
    this.#change(number, {
      assignees: [...assignees, ...added].slice(0, 10),
      events: [...events, ...added.map((assignee) => this.#event("assigned", by, { assignee }))],
    });
  }

  unassign(number: number, logins: readonly string[]): void {
    const { assignees } = this.issue(number);
    this.#change(number, { assignees: assignees.filter((login) => !logins.includes(login)) });
  }

  block(number: number, by: number): void {
    this.issue(by);
    const { blockedBy } = this.issue(number);
    this.#change(number, { blockedBy: [...new Set([...blockedBy, by])] });
  }

  #change(number: number, changed: Partial<StoredIssue>): void {
    const versions = this.issues.get(number);
    if (!versions) throw notFound();
    versions.set({ ...versions.now, ...changed, updatedAt: this.#time() });
  }

  #event(event: string, actor: string | null, more: Partial<StoredEvent>): StoredEvent {
    return { id: this.#world.nextId(), event, actor, createdAt: this.#time(), ...more };
  }

  #time(): string {
    return this.#world
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, "Z");
  }
}

function checkBody(body: string): void {
  if ([...body].length <= BODY_LIMIT) return;
  throw new Refusal(422, "Validation Failed", {
    errors: [
      {
        resource: "IssueComment",
        code: "unprocessable",
        field: "data",
        message: "Body is too long (maximum is 65536 characters)",
      },
    ],
  });
}
