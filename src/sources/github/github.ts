import { DEFAULTS } from "../../config/defaults.ts";
import type { GitHubSourceConfig, WorkSourceConfig } from "../../config/work-source.ts";
import { MINUTE_MS } from "../../util/time.ts";
import type { OpenPullRequest } from "../../workspace/workspace.ts";
import { type ClaimComments, isClaimComment } from "../claims/comment-register.ts";
import {
  type Author,
  type CheckedRules,
  type Item,
  type ItemComment,
  type ItemDetails,
  type Poll,
  type Source,
  SourceError,
  type SourceFinding,
} from "../source.ts";
import { checkSource } from "./check.ts";
import { claimComments } from "./claim-comments.ts";
import { isReport, keepComment } from "./comment.ts";
import { type Answer, type ConnectionOptions, GitHubConnection, RefusedError } from "./connection.ts";
import { hasLabel, itemOf, readyEvent, repoIn, unnamedBlockers } from "./items.ts";
import { IssueList, tailOf } from "./pages.ts";
import { People } from "./people.ts";
import { pullRequestsFor } from "./pull-requests.ts";
import { Account, Blocker, Comment, Issue, IssueEvent, Repository, read, readEach } from "./shapes.ts";
import { type AppIdentity, type AppSignIn, appSignIn, tokenSignIn } from "./sign-in.ts";

/** `from`: where the token stands, for whoever has to correct it. */
export type GitHubAuth = { token: string | undefined; from: string } | { app: AppIdentity };

/** Between two attempts, and for tests. */
export type Pace = Pick<ConnectionOptions, "timeoutMs" | "sleep" | "now">;

export interface GitHubOptions extends Pace, Pick<GitHubSourceConfig, "repo" | "apiUrl" | "labels"> {
  auth: GitHubAuth;
}

/** Comments and events of an issue: its last thousand. */
const MOST_PAGES = 10;
/** Longer than a replica is behind. */
const CAUGHT_UP_MS = 2_000;
/** Items are told again after it though nothing is new: who may write is not in them. */
const TOLD_AGAIN_MS = 10 * MINUTE_MS;

/** Issues of one repository on GitHub. */
export class GitHubSource implements Source {
  readonly kind = "github";
  readonly name: string;
  readonly connection: GitHubConnection;
  readonly repo: string;
  readonly #labels: WorkSourceConfig["labels"];
  readonly #app: AppSignIn | undefined;
  readonly #auth: GitHubAuth;
  readonly #people: People;
  readonly #lists: IssueList[];
  /** The ids of comments that were written here. */
  readonly #reports = new Map<string, Promise<number | undefined>>();
  #login: string | undefined;
  #isTold = false;
  #toldAt = 0;

  constructor(options: GitHubOptions) {
    const { repo, apiUrl, labels, auth } = options;
    if (!isRepo(repo))
      throw new SourceError("refused", "repo is not the name of a repository: write owner/name.");
    this.#app = "app" in auth ? appSignIn(auth.app, options) : undefined;
    const signIn = "app" in auth ? this.#app : tokenSignIn(auth.token, auth.from);
    if (!signIn) throw new TypeError("no sign-in");
    this.#auth = auth;
    this.#labels = labels;
    this.repo = repo;
    this.name = githubName(repo, apiUrl);
    this.connection = new GitHubConnection({ ...options, signIn });
    this.#people = new People(this.connection, repo, (signal) => this.#ours(signal));
    this.#lists = [...new Set([labels.ready, labels.inProgress])].map(
      (label) => new IssueList(this.connection, repo, label),
    );
  }

  get serverTime(): Date | undefined {
    return this.connection.serverTime;
  }

  async poll(signal: AbortSignal): Promise<Poll> {
    const found = new Map<number, Issue>();
    for (const list of this.#lists) {
      const { issues, changed } = await list.read(signal);
      if (changed) this.#isTold = false;
      for (const issue of issues) found.set(issue.number, issue);
    }
    const now = this.connection.now().getTime();
    if (this.#isTold && now - this.#toldAt < TOLD_AGAIN_MS) {
      return { kind: "unchanged", budget: this.connection.budget };
    }
    const items: Item[] = [];
    for (const issue of found.values()) {
      items.push(await this.#itemOf(issue, await this.#people.author(issue, signal), signal));
    }
    this.#isTold = true;
    this.#toldAt = now;
    return { kind: "items", items, budget: this.connection.budget };
  }

  async read(id: string, signal: AbortSignal): Promise<ItemDetails | undefined> {
    if (!/^[1-9]\d{0,14}$/.test(id)) return undefined;
    const issue = await this.#issue(id, signal);
    if (!issue) return undefined;
    const by = await this.#people.author(issue, signal, true);
    const readyBy = await this.#readyBy(id, by, signal);
    const item = await this.#itemOf(issue, by, signal);
    const blockedBy = await this.#blockersOf(issue, signal);
    return { ...item, blockedBy, ...(readyBy && { readyBy }), comments: await this.#commentsOf(id, signal) };
  }

  async markTaken(item: Item, signal: AbortSignal): Promise<void> {
    const { ready, inProgress, failed } = this.#labels;
    await this.#addLabel(item, inProgress, signal);
    await this.#removeLabel(item, ready, signal);
    if (hasLabel(item.labels, failed)) await this.#removeLabel(item, failed, signal);
  }

  async markReleased(
    item: Item,
    how: { failed: boolean; ready: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const { ready, inProgress, failed } = this.#labels;
    if (how.failed) await this.#addLabel(item, failed, signal);
    else if (how.ready) await this.#addLabel(item, ready, signal);
    if (how.failed || !how.ready) await this.#removeLabel(item, ready, signal);
    await this.#removeLabel(item, inProgress, signal);
  }

  async markDelivered(item: Item, signal: AbortSignal): Promise<void> {
    const { ready, inProgress } = this.#labels;
    await this.#removeLabel(item, inProgress, signal);
    // A process that was overtaken may have put it back after that.
    await this.#removeLabel(item, ready, signal);
  }

  /** One after the other, or two at once would each find no comment to edit. */
  report(item: Item, comment: { marker: string; text: string }, signal: AbortSignal): Promise<void> {
    const key = `${item.id} ${comment.marker}`;
    const before = this.#reports.get(key) ?? Promise.resolve(undefined);
    const reported = before
      .catch(() => undefined)
      .then(async (known) => {
        const { connection, repo } = this;
        const target = { connection, repo, issue: item.id, ours: await this.#ours(signal), signal };
        return keepComment(target, comment, known);
      });
    this.#reports.set(key, reported);
    return reported.then(() => {});
  }

  /** Where claims are entered if the remote takes no refs. */
  claimComments(): ClaimComments {
    return claimComments(this.connection, this.repo, this.#people);
  }

  /** For the work on one issue. */
  pullRequests(id: string): OpenPullRequest {
    return pullRequestsFor(this, id);
  }

  check(signal: AbortSignal, { trust, claims }: Partial<CheckedRules> = {}): Promise<SourceFinding[]> {
    return checkSource(
      {
        connection: this.connection,
        repo: this.repo,
        labels: this.#labels,
        authKey: "app" in this.#auth ? "auth.app" : "auth.token_env",
        ours: (until) => this.#ours(until),
        asksWhoMayWrite: trust !== "anyone" || claims === "comments",
        ...(this.#app && { rights: this.#app.rights }),
      },
      signal,
    );
  }

  /** The account that Baton writes with. */
  async #ours(signal: AbortSignal): Promise<string> {
    this.#login ??= this.#app ? await this.#app.login(signal) : await this.#user(signal);
    return this.#login;
  }

  async #itemOf(issue: Issue, by: Author, signal: AbortSignal): Promise<Item> {
    const ours = issue.assignees?.length ? await this.#ours(signal) : undefined;
    return itemOf(issue, { by, ours, labels: this.#labels });
  }

  async #user(signal: AbortSignal): Promise<string> {
    try {
      const { body } = await this.connection.ask({ path: "/user", signal });
      return read(Account, body, "an account").login;
    } catch (error) {
      if (!(error instanceof RefusedError && error.status === 403)) throw error;
      throw new SourceError(
        "no-access",
        "The token is no account's own: Baton could not tell its comments from those of others. Use a token of an account, or auth.app.",
      );
    }
  }

  /** Undefined where it is gone, or elsewhere, or no issue. */
  async #issue(id: string, signal: AbortSignal): Promise<Issue | undefined> {
    let answer: Answer;
    try {
      answer = await this.connection.ask({ path: `${this.#path()}/issues/${id}`, signal });
    } catch (error) {
      if (!isGone(error)) throw error;
      await this.#repository(signal);
      return undefined;
    }
    const issue = read(Issue, answer.body, "an issue");
    if (issue.pull_request !== undefined || String(issue.number) !== id) return undefined;
    // An issue that was transferred is answered from the repository that has it now; that of a renamed repository is still ours.
    if (answer.redirectedTo && repoIn(issue.repository_url) !== (await this.#repository(signal)))
      return undefined;
    return issue;
  }

  /** Its present name. Throws where the repository cannot be seen. */
  async #repository(signal: AbortSignal): Promise<string> {
    const { body } = await this.connection.ask({ path: this.#path(), signal });
    return read(Repository, body, "a repository").full_name;
  }

  /** `author`: of whom it has just been asked what they may. */
  async #readyBy(
    id: string,
    author: Author,
    signal: AbortSignal,
  ): Promise<{ by: Author; at: string } | undefined> {
    const path = `${this.#path()}/issues/${id}/events`;
    const events = readEach(IssueEvent, await tailOf(this.connection, path, MOST_PAGES, signal), "events");
    const app = this.#app && (await this.#ours(signal));
    const event = readyEvent(events, this.#labels.ready, app);
    if (!event) return undefined;
    const isAuthor = event.actor?.login === author.name;
    const by = isAuthor ? author : await this.#people.author({ user: event.actor }, signal, true);
    return { by, at: event.created_at };
  }

  async #blockersOf(issue: Issue, signal: AbortSignal): Promise<string[]> {
    const unnamed = unnamedBlockers(issue);
    if (unnamed.length === 0) return [];
    const path = `${this.#path()}/issues/${issue.number}/dependencies/blocked_by`;
    try {
      const blockers = readEach(Blocker, await tailOf(this.connection, path, 1, signal), "issues");
      const open = blockers.filter(({ state }) => state === "open");
      const named = open.map(({ number, repository_url: url }) => {
        const repo = repoIn(url);
        return `${repo?.toLowerCase() === this.repo.toLowerCase() ? "" : (repo ?? "")}#${number}`;
      });
      return named.length > 0 ? named : unnamed;
    } catch (error) {
      if (isGone(error)) return unnamed;
      throw error;
    }
  }

  async #commentsOf(id: string, signal: AbortSignal): Promise<ItemComment[]> {
    const path = `${this.#path()}/issues/${id}/comments`;
    const read = readEach(Comment, await tailOf(this.connection, path, MOST_PAGES, signal), "comments");
    const comments: ItemComment[] = [];
    const app = this.#app && (await this.#ours(signal));
    for (const comment of read) {
      // Also of a fleet that has another account: these are nobody's words, and change with every heartbeat.
      if (isClaimComment(comment.body) || isReport(comment.body)) continue;
      // An App says nothing of its own accord, a person whose token is used may.
      if (app !== undefined && comment.user?.login === app) continue;
      const by = await this.#people.author(comment, signal);
      comments.push({ id: String(comment.id), by, at: comment.created_at, text: comment.body });
    }
    return comments;
  }

  async #addLabel(item: Item, label: string, signal: AbortSignal): Promise<void> {
    const path = `${this.#path()}/issues/${item.id}/labels`;
    try {
      await this.connection.ask({ method: "POST", path, body: { labels: [label] }, signal });
    } catch (error) {
      if (isGone(error) && (await this.#issue(item.id, signal))) throw this.#mayNotLabel();
      throw error;
    }
  }

  /** A label that is not there is as good as one that was removed. */
  async #removeLabel(item: Item, label: string, signal: AbortSignal): Promise<void> {
    const path = `${this.#path()}/issues/${item.id}/labels/${encodeURIComponent(label)}`;
    try {
      await this.connection.ask({ method: "DELETE", path, signal });
      return;
    } catch (error) {
      if (!isGone(error)) throw error;
      const issue = await this.#issue(item.id, signal);
      if (!issue) throw error;
      if (!hasLabel(issue.labels, label)) return;
    }
    // A read may be behind: only who is still refused when it has caught up has not the right.
    await this.connection.sleep(CAUGHT_UP_MS, signal);
    const issue = await this.#issue(item.id, signal);
    if (issue && hasLabel(issue.labels, label)) throw this.#mayNotLabel();
  }

  #mayNotLabel(): SourceError {
    return new SourceError(
      "no-access",
      `The token may read issues of ${this.repo} and not change their labels: give it write access to issues.`,
    );
  }

  #path(): string {
    return `/repos/${this.repo}`;
  }
}

const isGone = (error: unknown) =>
  error instanceof RefusedError && (error.status === 404 || error.status === 410);

const isRepo = (repo: string) =>
  /^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(repo) &&
  !repo.split("/").some((part) => part === "." || part === "..");

/** In small letters, as GitHub takes names: two fleets that write one in different ways mean the same. */
/** By which the rest of the house, and every claim, knows a repository. */
export function githubName(repo: string, apiUrl: string): string {
  const host = URL.parse(apiUrl)?.host ?? "";
  return `github:${host === new URL(DEFAULTS.work_source.api_url).host ? "" : `${host}/`}${repo}`.toLowerCase();
}
