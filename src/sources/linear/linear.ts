import { DEFAULTS } from "../../config/defaults.ts";
import type { WorkSourceConfig } from "../../config/work-source.ts";
import { MINUTE_MS } from "../../util/time.ts";
import { type ClaimComments, isClaimComment } from "../claims/comment-register.ts";
import {
  type Item,
  type ItemDetails,
  type Poll,
  type Source,
  SourceError,
  type SourceFinding,
} from "../source.ts";
import { LinearApi, type LinearOptions } from "./api.ts";
import { checkTeam } from "./check.ts";
import { claimComments } from "./claim-comments.ts";
import { createComment, editComment, findComment, isReport, reportId } from "./comment.ts";
import { authorOf, itemOf, outsiderIn, readyChange } from "./items.ts";
import { ATTACH, ISSUE, ISSUES, NEWEST, UPDATE } from "./queries.ts";
import { type Change, Details, Issue, Issues, Newest, read, type Said } from "./shapes.ts";
import { createLabel, type KnownTeam, labelIds, readTeam, statesOf, type WantedStates } from "./team.ts";

export interface LinearSettings extends LinearOptions {
  /** Its key, as in `ENG-42`. */
  team: string;
  states: WantedStates;
  labels: WorkSourceConfig["labels"];
}

/** After it everything is read again: what leaves a team does not say so. */
const READ_AGAIN_MS = 10 * MINUTE_MS;
/** States and labels of a team, between two looks. */
const TEAM_KEPT_MS = 10 * MINUTE_MS;
const MOST_PAGES = 40;
/** Comments and changes of one issue: a thousand of each. */
const MOST_DETAIL_PAGES = 10;
/** Linear takes 2 MB; people read less. */
const COMMENT_LIMIT = 60_000;

interface Known {
  team: KnownTeam;
  labels: Map<string, string>;
  at: number;
}

/** Issues of one team in Linear. */
export class LinearSource implements Source {
  readonly kind = "linear";
  readonly name: string;
  readonly #api: LinearApi;
  readonly #settings: LinearSettings;
  #known: Known | undefined;
  /** What changed before it was read, and when everything was. */
  #readUpTo: string | undefined;
  #readAt = 0;

  constructor(settings: LinearSettings) {
    this.#settings = settings;
    this.#api = new LinearApi(settings);
    this.name = linearName(settings.team, this.#api.url);
  }

  get serverTime(): Date | undefined {
    return this.#api.serverTime;
  }

  async poll(signal: AbortSignal): Promise<Poll> {
    const { team, labels } = await this.#team(signal);
    const now = this.#api.now().getTime();
    if (this.#readUpTo !== undefined && now - this.#readAt < READ_AGAIN_MS) {
      const variables = { team: team.id, since: this.#readUpTo };
      const { issues } = read(Newest, await this.#api.ask({ query: NEWEST, variables, signal }));
      if (issues.nodes.length === 0) return { kind: "unchanged", budget: this.#api.budget };
    }
    // By the server's clock, and a while before: a change is seen a little after it is dated.
    const asked = this.#api.serverTime?.getTime() ?? now;
    const issues = await this.#issues(team, labels, signal);
    this.#readUpTo = new Date(asked - MINUTE_MS).toISOString();
    this.#readAt = now;
    return { kind: "items", items: issues.map((issue) => this.#item(issue, team)), budget: this.#api.budget };
  }

  async read(id: string, signal: AbortSignal): Promise<ItemDetails | undefined> {
    const { team, labels } = await this.#team(signal);
    const [, key, number] = /^([A-Z0-9]{1,20})-([1-9]\d{0,8})$/i.exec(id) ?? [];
    if (key?.toLowerCase() !== team.key.toLowerCase()) return undefined;
    const found = await this.#whole(team, Number(number), signal);
    if (!found) return undefined;
    const { issue, comments, history, isWhole } = found;
    const { ready: name, inProgress } = this.#settings.labels;
    // A job that begins takes it away, also one that is never heard of again.
    const ready =
      issue.labels.nodes.find((label) => same(label.name, name))?.id ?? labels.get(name.toLowerCase()) ?? "";
    const change = readyChange(history, { ready, inProgress: labels.get(inProgress.toLowerCase()) });
    // A label that an issue was made with is in no history, until it is taken away.
    const hadIt =
      issue.labels.nodes.some(({ id: label }) => label === ready) ||
      history.some(({ removedLabelIds }) => removedLabelIds?.includes(ready));
    const maker = hadIt ? authorOf(issue.creator, issue.botActor) : undefined;
    const by = change ? authorOf(change.actor) : maker;
    const item = this.#item(issue, team);
    return {
      ...item,
      by: isWhole ? (outsiderIn(history) ?? item.by) : { name: "somebody", trusted: false },
      ...(by && isWhole && { readyBy: { by, at: change?.createdAt ?? issue.createdAt } }),
      comments: comments
        .filter(({ id: comment, body }) => !isClaimComment(body) && !isReport(comment, this.#at(issue.id)))
        .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt))
        .map(({ id: comment, user, botActor, createdAt, body }) => ({
          ...{ id: comment, by: authorOf(user, botActor), at: createdAt, text: body },
        })),
    };
  }

  /** With its comments and its history. Not whole: there are more pages of them than Baton reads. */
  async #whole(
    team: KnownTeam,
    number: number,
    signal: AbortSignal,
  ): Promise<{ issue: Issue; comments: Said[]; history: Change[]; isWhole: boolean } | undefined> {
    const comments: Said[] = [];
    const history: Change[] = [];
    let after: { comments?: string; history?: string } = {};
    for (let page = 1; ; page++) {
      const variables = { team: team.id, number, ...after };
      const { issues } = read(Details, await this.#api.ask({ query: ISSUE, variables, signal }));
      const [issue] = issues.nodes;
      if (!issue) return undefined;
      comments.push(...issue.comments.nodes);
      history.push(...issue.history.nodes);
      const [said, changed] = [issue.comments.pageInfo, issue.history.pageInfo];
      const isWhole = !said.hasNextPage && !changed.hasNextPage;
      if (isWhole || page === MOST_DETAIL_PAGES) return { issue, comments, history, isWhole };
      // One that has ended has nothing after its end.
      after = {
        ...after,
        ...(said.endCursor && { comments: said.endCursor }),
        ...(changed.endCursor && { history: changed.endCursor }),
      };
    }
  }

  async markTaken(item: Item, signal: AbortSignal): Promise<void> {
    const { team } = await this.#team(signal);
    const { ready, inProgress, failed } = this.#settings.labels;
    await this.#update(item, signal, {
      state: statesOf(team, this.#settings.states).inProgress?.id,
      add: [inProgress],
      remove: [ready, failed],
    });
  }

  async markReleased(
    item: Item,
    how: { failed: boolean; ready: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const { team } = await this.#team(signal);
    const { ready, inProgress, failed } = this.#settings.labels;
    const isReady = how.ready && !how.failed;
    await this.#update(item, signal, {
      state: statesOf(team, this.#settings.states).ready?.id,
      add: [...(isReady ? [ready] : []), ...(how.failed ? [failed] : [])],
      remove: [inProgress, ...(isReady ? [] : [ready])],
    });
  }

  /** It waits for review, where the team has a state for that. Never done: that is for people, or for the merge. */
  async markDelivered(item: Item, signal: AbortSignal): Promise<void> {
    const { team } = await this.#team(signal);
    const { ready, inProgress } = this.#settings.labels;
    const state = statesOf(team, this.#settings.states).inReview?.id;
    await this.#update(item, signal, { state, add: [], remove: [inProgress, ready] });
  }

  /** Its id follows from the marker, so that it is written once, whatever breaks. One that a person deleted stays deleted. */
  async report(
    item: Item,
    { marker, text }: { marker: string; text: string },
    signal: AbortSignal,
  ): Promise<void> {
    const id = reportId(marker, this.#at(item.nodeId));
    const body = text.length <= COMMENT_LIMIT ? text : `${text.slice(0, COMMENT_LIMIT - 2)}\n…`;
    const known = await findComment(this.#api, id, signal);
    if (known?.body === body) return;
    if (known) return editComment(this.#api, { id, body }, signal);
    const isThere = async () => (await this.read(item.id, signal)) !== undefined;
    await createComment(this.#api, { id, issueId: item.nodeId, body }, isThere, signal);
  }

  claimComments(): ClaimComments {
    const { team } = this.#settings;
    return claimComments(this.#api, team, async (signal) => (await this.#team(signal)).team);
  }

  async link(item: Item, { url, title }: { url: string; title: string }, signal: AbortSignal): Promise<void> {
    const input = { issueId: item.nodeId, url, title };
    await this.#api.ask({ query: ATTACH, variables: { input }, signal });
  }

  check(signal: AbortSignal): Promise<SourceFinding[]> {
    return checkTeam(this.#api, this.#settings, signal);
  }

  #at(issueId: string) {
    return { source: this.name, issueId };
  }

  #item(issue: Issue, team: KnownTeam): Item {
    const { labels, states } = this.#settings;
    return itemOf(issue, labels, statesOf(team, states), states.ready !== undefined);
  }

  async #issues(team: KnownTeam, known: Known["labels"], signal: AbortSignal): Promise<Issue[]> {
    const { ready, inProgress } = this.#settings.labels;
    const labels = [ready, inProgress].flatMap((name) => known.get(name.toLowerCase()) ?? []);
    if (labels.length === 0) return [];
    const found = new Map<string, Issue>();
    let after: string | null = null;
    for (let page = 0; page < MOST_PAGES; page++) {
      const { nodes, pageInfo } = await this.#page({ team: team.id, labels, after }, signal);
      // One that is not what it should be must not hide the others.
      for (const node of nodes) {
        const parsed = Issue.safeParse(node);
        if (parsed.success) found.set(parsed.data.id, parsed.data);
      }
      after = pageInfo.endCursor ?? null;
      if (!pageInfo.hasNextPage || after === null) break;
    }
    return [...found.values()];
  }

  async #page(variables: Record<string, unknown>, signal: AbortSignal) {
    return read(Issues, await this.#api.ask({ query: ISSUES, variables, signal })).issues;
  }

  /** Of labels that are not there yet those are made that are to be added. */
  async #update(
    item: Item,
    signal: AbortSignal,
    { state, add, remove }: { state: string | undefined; add: string[]; remove: string[] },
  ): Promise<void> {
    const known = await this.#team(signal);
    const added: string[] = [];
    for (const name of add) {
      const id =
        known.labels.get(name.toLowerCase()) ?? (await createLabel(this.#api, known.team, name, signal));
      known.labels.set(name.toLowerCase(), id);
      added.push(id);
    }
    const removed = remove.flatMap((name) => known.labels.get(name.toLowerCase()) ?? []);
    const input = {
      ...(state !== undefined && { stateId: state }),
      ...(added.length > 0 && { addedLabelIds: added }),
      ...(removed.length > 0 && { removedLabelIds: removed }),
    };
    if (Object.keys(input).length === 0) return;
    try {
      await this.#api.ask({ query: UPDATE, variables: { id: item.nodeId, input }, signal });
    } catch (error) {
      // A state or a label of it may be gone.
      if (error instanceof SourceError && error.code === "refused") this.#known = undefined;
      throw error;
    }
  }

  async #team(signal: AbortSignal): Promise<Known> {
    const now = this.#api.now().getTime();
    if (this.#known && now - this.#known.at < TEAM_KEPT_MS) return this.#known;
    const { team: key, labels: wanted } = this.#settings;
    const team = await readTeam(this.#api, key, signal);
    if (!team)
      throw new SourceError("not-found", `There is no team ${key}, or the key's account may not see it.`);
    const names = [wanted.ready, wanted.inProgress, wanted.failed];
    this.#known = { team, labels: await labelIds(this.#api, team, names, signal), at: now };
    return this.#known;
  }
}

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** By which the rest of the house, and every claim, knows a team. */
export function linearName(team: string, { host }: URL): string {
  const isPublic = host === new URL(DEFAULTS.linear.api_url).host;
  return `linear:${isPublic ? "" : `${host}/`}${team}`.toLowerCase();
}
