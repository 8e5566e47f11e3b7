import type { FakeRepository, StoredComment, StoredEvent, StoredIssue, StoredPull } from "./repository.ts";

/** What is in an answer besides the state: where the server is, and what a reader sees of other issues. */
export interface View {
  api: string;
  page: string;
  repository: FakeRepository;
  isOpen: (number: number) => boolean;
}

export function userView(login: string | null, { api }: Pick<View, "api">) {
  if (login === null) return null;
  const type = login.endsWith("[bot]") ? "Bot" : "User";
  return { login, id: numberOf(login), type, url: `${api}/users/${encodeURIComponent(login)}` };
}

export function repositoryView(
  repository: FakeRepository,
  { api, page }: Pick<View, "api" | "page">,
  role?: string,
) {
  const { id, fullName, options, owner } = repository;
  const may = (roles: string[]) => role !== undefined && roles.includes(role);
  return {
    id,
    full_name: fullName,
    name: fullName.split("/")[1],
    owner: userView(owner, { api }),
    private: options.private ?? false,
    archived: options.archived ?? false,
    has_issues: options.hasIssues ?? true,
    default_branch: options.defaultBranch ?? "main",
    html_url: `${page}/${fullName}`,
    url: `${api}/repos/${fullName}`,
    permissions: {
      admin: may(["admin"]),
      maintain: may(["admin", "maintain"]),
      push: may(["admin", "maintain", "write"]),
      triage: may(["admin", "maintain", "write", "triage"]),
      pull: role !== undefined,
    },
  };
}

export function issueView(issue: StoredIssue, view: View) {
  const { api, page, repository, isOpen } = view;
  const { number, labels, assignees, comments, by } = issue;
  const blocking = issue.blockedBy;
  const url = `${api}/repos/${repository.fullName}/issues/${number}`;
  return {
    id: issue.id,
    node_id: `I_${issue.id}`,
    number,
    title: issue.title,
    body: issue.body,
    state: issue.state,
    state_reason: null,
    locked: false,
    html_url: `${page}/${repository.fullName}/${issue.isPull ? "pull" : "issues"}/${number}`,
    url,
    repository_url: `${api}/repos/${repository.fullName}`,
    labels: labels.map((name) => labelView(name, view)),
    user: userView(by, view),
    author_association: associationOf(repository, by),
    assignees: assignees.map((login) => userView(login, view)),
    assignee: userView(assignees[0] ?? null, view),
    comments: comments.length,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.state === "closed" ? issue.updatedAt : null,
    issue_dependencies_summary: {
      blocked_by: blocking.filter(isOpen).length,
      total_blocked_by: blocking.length,
      blocking: 0,
      total_blocking: 0,
    },
    sub_issues_summary: { total: 0, completed: 0, percent_completed: 0 },
    ...(issue.isPull && { pull_request: { url: `${api}/repos/${repository.fullName}/pulls/${number}` } }),
  };
}

export function labelView(name: string, { api, repository }: Pick<View, "api" | "repository">) {
  const url = `${api}/repos/${repository.fullName}/labels/${encodeURIComponent(name)}`;
  return {
    id: numberOf(name),
    node_id: `LA_${numberOf(name)}`,
    url,
    name,
    color: "ededed",
    default: false,
    description: null,
  };
}

export function commentView(comment: StoredComment, issue: number, view: View) {
  const { api, page, repository } = view;
  return {
    id: comment.id,
    node_id: `IC_${comment.id}`,
    body: comment.body,
    user: userView(comment.by, view),
    author_association: associationOf(repository, comment.by),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: `${page}/${repository.fullName}/issues/${issue}#issuecomment-${comment.id}`,
    url: `${api}/repos/${repository.fullName}/issues/comments/${comment.id}`,
    issue_url: `${api}/repos/${repository.fullName}/issues/${issue}`,
  };
}

export function eventView({ id, event, actor, createdAt, label, assignee }: StoredEvent, view: View) {
  return {
    id,
    node_id: `EV_${id}`,
    event,
    actor: userView(actor, view),
    created_at: createdAt,
    commit_id: null,
    ...(label !== undefined && { label: { name: label, color: "ededed" } }),
    ...(assignee !== undefined && { assignee: userView(assignee, view) }),
  };
}

export function pullView(pull: StoredPull, view: View) {
  const { api, page, repository } = view;
  const side = (ref: string) => ({
    ref,
    label: `${repository.owner}:${ref}`,
    repo: { id: repository.id, full_name: repository.fullName },
  });
  return {
    id: repository.id * 1_000 + pull.number,
    number: pull.number,
    title: pull.title,
    body: pull.body,
    state: pull.state,
    draft: false,
    user: userView(pull.by, view),
    html_url: `${page}/${repository.fullName}/pull/${pull.number}`,
    url: `${api}/repos/${repository.fullName}/pulls/${pull.number}`,
    head: side(pull.head),
    base: side(pull.base),
  };
}

/** What GitHub calls somebody's relation to a repository. A collaborator may well have read access alone. */
function associationOf(repository: FakeRepository, login: string | null): string {
  if (login === null) return "NONE";
  if (login.toLowerCase() === repository.owner.toLowerCase()) return "OWNER";
  return repository.collaborators.has(login) ? "COLLABORATOR" : "NONE";
}

function numberOf(text: string): number {
  let sum = 7;
  for (const letter of text) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_000_007;
  return sum;
}
