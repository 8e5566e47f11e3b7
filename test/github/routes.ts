import { mayLabel, mayWrite, mustBeTheirs, type Needed, permissionOf, roleOf } from "./access.ts";
import type { Accounts, Caller } from "./accounts.ts";
import { GitData } from "./git.ts";
import { invalid, notFound, Refusal } from "./refusal.ts";
import type { FakeRepository, StoredIssue } from "./repository.ts";
import {
  commentView,
  eventView,
  issueView,
  labelView,
  pullView,
  repositoryView,
  userView,
  type View,
} from "./views.ts";

export interface Call {
  caller: Caller | undefined;
  query: URLSearchParams;
  body: Record<string, unknown>;
  /** Of the pattern. */
  path: Record<string, string>;
  /** As of when reads see the state. */
  moment: number;
  api: string;
  page: string;
  accounts: Accounts;
}

export interface Reply {
  status?: number;
  body?: unknown;
  /** A list, of which the server gives a page. */
  list?: readonly unknown[];
  headers?: Record<string, string>;
}

interface RepositoryCall extends Call {
  caller: Caller;
  repository: FakeRepository;
  view: View;
}

interface Route extends Needed {
  pattern: URLPattern;
  isContent?: boolean;
  answer: (call: RepositoryCall) => Reply | Promise<Reply>;
}

function route(
  method: string,
  pathname: string,
  needs: Omit<Needed, "method"> & { isContent?: boolean },
  answer: Route["answer"],
): Route {
  return {
    method,
    pattern: new URLPattern({ pathname: `/repos/:owner/:repo${pathname}` }),
    ...needs,
    answer,
  };
}

const READ_ISSUES = { right: ["issues", "read"], role: "read" } as const;
const LABEL = { right: ["issues", "write"], role: "triage" } as const;
const COMMENT = { right: ["issues", "write"], role: "read" } as const;
const READ_CODE = { right: ["contents", "read"], role: "read" } as const;
const WRITE_CODE = { right: ["contents", "write"], role: "write" } as const;

export const ROUTES: readonly Route[] = [
  route("GET", "", {}, ({ repository, caller, view }) => ({
    body: repositoryView(repository, view, roleOf(repository, caller)),
    ...(caller.scopes && { headers: { "x-oauth-scopes": caller.scopes.join(", ") } }),
  })),
  route("GET", "/issues", READ_ISSUES, ({ repository, query, moment, view }) => ({
    list: listed(repository, query, moment).map((issue) => issueView(issue, view)),
  })),
  route("POST", "/issues", { ...COMMENT, isContent: true }, ({ repository, caller, body, view }) => {
    const { title, body: text, labels } = body;
    const number = repository.open({
      title: typeof title === "string" ? title : "",
      by: caller.login,
      body: typeof text === "string" ? text : null,
      labels: mayLabel(repository, caller) ? namesIn(labels) : [],
    });
    return { status: 201, body: issueView(repository.issue(number), view) };
  }),
  route("GET", "/issues/:number", READ_ISSUES, (call) => ({ body: issueView(read(call), call.view) })),
  route("PATCH", "/issues/:number", LABEL, ({ repository, path, body, caller, view }) => {
    const number = Number(path.number);
    const { title, body: text, state } = body;
    repository.edit(
      number,
      {
        ...(typeof title === "string" && { title }),
        ...(typeof text === "string" && { body: text }),
        ...((state === "open" || state === "closed") && { state }),
      },
      caller.login,
    );
    return { body: issueView(repository.issue(number), view) };
  }),
  route("GET", "/issues/:number/labels", READ_ISSUES, (call) => ({
    list: read(call).labels.map((name) => labelView(name, call.view)),
  })),
  route("POST", "/issues/:number/labels", LABEL, ({ repository, path, body, caller, view }) => {
    const number = Number(path.number);
    repository.issue(number);
    repository.addLabels(number, namesIn(body.labels), caller.login);
    return { body: repository.issue(number).labels.map((name) => labelView(name, view)) };
  }),
  route("DELETE", "/issues/:number/labels/:name", LABEL, ({ repository, path, caller, view }) => {
    const number = Number(path.number);
    repository.removeLabel(number, path.name ?? "", caller.login);
    return { body: repository.issue(number).labels.map((name) => labelView(name, view)) };
  }),
  route("GET", "/labels/:name", READ_ISSUES, ({ repository, path, view }) => {
    const name = repository.labels.get((path.name ?? "").toLowerCase());
    if (name === undefined) throw notFound();
    return { body: labelView(name, view) };
  }),
  route("GET", "/issues/:number/comments", READ_ISSUES, (call) => {
    const issue = read(call);
    return { list: issue.comments.map((comment) => commentView(comment, issue.number, call.view)) };
  }),
  route(
    "POST",
    "/issues/:number/comments",
    { ...COMMENT, isContent: true },
    ({ repository, path, body, caller, view }) => {
      const number = Number(path.number);
      const comment = repository.comment(number, caller.login, textIn(body.body, "IssueComment"));
      return { status: 201, body: commentView(comment, number, view) };
    },
  ),
  route("PATCH", "/issues/comments/:id", COMMENT, ({ repository, path, body, caller, view }) => {
    const { issue, comment } = repository.commented(Number(path.id));
    mustBeTheirs(repository, caller, comment.by);
    const edited = repository.editComment(comment.id, textIn(body.body, "IssueComment"));
    return { body: commentView(edited, issue.number, view) };
  }),
  route("DELETE", "/issues/comments/:id", COMMENT, ({ repository, path, caller }) => {
    const { comment } = repository.commented(Number(path.id));
    mustBeTheirs(repository, caller, comment.by);
    repository.deleteComment(comment.id);
    return { status: 204 };
  }),
  route("GET", "/issues/:number/events", READ_ISSUES, (call) => ({
    list: read(call).events.map((event) => eventView(event, call.view)),
  })),
  route("GET", "/issues/:number/timeline", READ_ISSUES, (call) => {
    const { events, comments, number } = read(call);
    const told = [
      ...events.map((event) => eventView(event, call.view)),
      ...comments.map((comment) => {
        const shown = commentView(comment, number, call.view);
        return { ...shown, event: "commented", actor: shown.user };
      }),
    ];
    return { list: told.sort((a, b) => a.id - b.id) };
  }),
  route("GET", "/issues/:number/dependencies/blocked_by", READ_ISSUES, (call) => ({
    list: read(call).blockedBy.map((number) => issueView(call.repository.issue(number), call.view)),
  })),
  route("POST", "/issues/:number/assignees", LABEL, ({ repository, path, body, caller, view }) => {
    const number = Number(path.number);
    repository.assign(number, namesIn(body.assignees), caller.login);
    return { status: 201, body: issueView(repository.issue(number), view) };
  }),
  route("GET", "/collaborators/:login/permission", {}, ({ repository, path, caller, view }) => {
    if (!mayWrite(repository, caller))
      throw new Refusal(403, "Must have push access to view collaborator permission.");
    const login = path.login ?? "";
    if (!login.endsWith("[bot]") && !/^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i.test(login)) {
      throw new Refusal(404, `${login} is not a user`);
    }
    const role = login.endsWith("[bot]") ? undefined : repository.roleOf(login);
    return {
      body: { permission: permissionOf(role), role_name: role ?? "none", user: userView(login, view) },
    };
  }),
  route(
    "GET",
    "/pulls",
    { right: ["pull_requests", "read"], role: "read" },
    ({ repository, query, view }) => {
      const [state, head, base] = [query.get("state") ?? "open", query.get("head"), query.get("base")];
      const pulls = [...repository.pulls.values()]
        .filter((pull) => state === "all" || pull.state === state)
        // What is no `owner:branch` narrows nothing.
        .filter((pull) => !head?.includes(":") || head === `${repository.owner}:${pull.head}`)
        .filter((pull) => base === null || pull.base === base);
      return { list: pulls.map((pull) => pullView(pull, view)) };
    },
  ),
  route(
    "POST",
    "/pulls",
    { right: ["pull_requests", "write"], role: "write", isContent: true },
    async (call) => {
      const { repository, caller, body, view, api } = call;
      const [title, base] = [textIn(body.title, "PullRequest"), textIn(body.base, "PullRequest")];
      const head = textIn(body.head, "PullRequest").replace(`${repository.owner}:`, "");
      const git = new GitData(repository.options.gitDir, api);
      const compared = await git.compare(base, head);
      if (compared === "missing-head") throw invalid("PullRequest", "head", "invalid");
      if (compared === "missing-base") throw invalid("PullRequest", "base", "invalid");
      const isThere = [...repository.pulls.values()].some(
        (pull) => pull.state === "open" && pull.head === head && pull.base === base,
      );
      if (isThere) {
        throw invalid(
          "PullRequest",
          "",
          "custom",
          `A pull request already exists for ${repository.owner}:${head}.`,
        );
      }
      if (compared === "same")
        throw invalid("PullRequest", "", "custom", `No commits between ${base} and ${head}`);
      const text = typeof body.body === "string" ? body.body : "";
      const number = repository.open({ title, by: caller.login, body: text, isPull: true });
      const pull = { number, title, body: text, head, base, state: "open", by: caller.login } as const;
      repository.pulls.set(number, pull);
      return { status: 201, body: pullView(pull, view) };
    },
  ),
  route("GET", "/git/ref/:ref+", READ_CODE, async (call) => ({
    body: await gitOf(call).ref(call.path.ref ?? ""),
  })),
  route("GET", "/git/matching-refs/:ref+", READ_CODE, async (call) => ({
    list: await gitOf(call).matching(call.path.ref ?? ""),
  })),
  route("POST", "/git/refs", WRITE_CODE, async (call) => ({
    status: 201,
    body: await gitOf(call).create(call.body.ref, call.body.sha),
  })),
  route("PATCH", "/git/refs/:ref+", WRITE_CODE, async (call) => ({
    body: await gitOf(call).move(call.path.ref ?? "", call.body.sha, call.body.force === true),
  })),
  route("DELETE", "/git/refs/:ref+", WRITE_CODE, async (call) => {
    await gitOf(call).delete(call.path.ref ?? "");
    return { status: 204 };
  }),
  route("POST", "/git/commits", WRITE_CODE, async (call) => ({
    status: 201,
    body: await gitOf(call).commit(call.body),
  })),
  route("GET", "/git/commits/:sha", READ_CODE, async (call) => ({
    body: await gitOf(call).commitAt(call.path.sha ?? ""),
  })),
  route("GET", "/installation", {}, ({ accounts, caller, repository }) => {
    const app = caller.kind === "app" ? accounts.apps.get(Number(caller.login)) : undefined;
    if (!app?.installation.repos.includes(repository.fullName)) throw notFound();
    return { body: { id: app.installation.id, app_slug: app.slug, permissions: app.installation.rights } };
  }),
];

/** What has no repository in its path. */
export function answerAccount(
  method: string,
  pathname: string,
  { caller, accounts, api }: Call,
): Reply | undefined {
  if (method === "GET" && pathname === "/user") {
    if (!caller) throw new Refusal(401, "Requires authentication");
    if (caller.kind === "installation" || caller.kind === "app") {
      throw new Refusal(403, "Resource not accessible by integration");
    }
    return { body: userView(caller.login, { api }) };
  }
  if (method === "GET" && pathname === "/app") {
    return { body: { id: Number(caller?.login), slug: appOf(caller, accounts).slug } };
  }
  const [, installation] = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(pathname) ?? [];
  if (method === "POST" && installation !== undefined) {
    return { status: 201, body: accounts.issue(appOf(caller, accounts).id, installation) };
  }
  return undefined;
}

function appOf(caller: Caller | undefined, accounts: Accounts) {
  const app = caller?.kind === "app" ? accounts.apps.get(Number(caller.login)) : undefined;
  if (!app) throw new Refusal(401, "A JSON web token could not be decoded");
  return app;
}

function read({ repository, path, moment }: RepositoryCall): StoredIssue {
  const issue = repository.issues.get(Number(path.number))?.at(moment);
  if (!issue) throw notFound();
  return issue;
}

function listed(repository: FakeRepository, query: URLSearchParams, moment: number): StoredIssue[] {
  const state = query.get("state") ?? "open";
  const labels = (query.get("labels") ?? "").split(",").filter(Boolean);
  const by = query.get("sort") === "updated" ? "updatedAt" : "createdAt";
  const sign = query.get("direction") === "asc" ? 1 : -1;
  return [...repository.issues.values()]
    .flatMap((issue) => issue.at(moment) ?? [])
    .filter((issue) => state === "all" || issue.state === state)
    .filter((issue) =>
      labels.every((name) => issue.labels.some((label) => label.toLowerCase() === name.toLowerCase())),
    )
    .sort((a, b) => sign * (a[by].localeCompare(b[by]) || a.number - b.number));
}

const gitOf = ({ repository, view }: RepositoryCall) =>
  new GitData(repository.options.gitDir, `${view.api}/repos/${repository.fullName}`);

const namesIn = (value: unknown) =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];

function textIn(value: unknown, resource: string): string {
  if (typeof value !== "string" || value === "") throw invalid(resource, "body", "missing_field");
  return value;
}
