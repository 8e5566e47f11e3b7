import {
  type FakeComment,
  type FakeIssue,
  type FakeLabel,
  type FakeTeam,
  type FakeUser,
  type FakeWorkspace,
  nameOf,
} from "./workspace.ts";

/** Who asks, of which workspace. */
export interface Asking {
  workspace: FakeWorkspace;
  me: FakeUser;
}

type Filter = Record<string, unknown> | null | undefined;
const MOST = 250;
const FIRST = 50;

/** Whether a value keeps to all that a comparator says. */
function compares(value: unknown, comparator: Filter): boolean {
  return Object.entries(comparator ?? {}).every(([how, wanted]) => {
    if (wanted == null) return true;
    switch (how) {
      case "eq":
        return value === wanted;
      case "eqIgnoreCase":
        return String(value).toLowerCase() === String(wanted).toLowerCase();
      case "contains":
        return String(value).includes(String(wanted));
      case "in":
        return Array.isArray(wanted) && wanted.includes(value);
      case "gt":
        return typeof value === "number"
          ? value > Number(wanted)
          : Date.parse(String(value)) > Date.parse(String(wanted));
      case "gte":
        return Date.parse(String(value)) >= Date.parse(String(wanted));
      default:
        throw new Error(`the fake does not know the comparator ${how}`);
    }
  });
}

const commentKeeps = ({ id, body }: FakeComment, filter: Filter) =>
  compares(id, filter?.id as Filter) && compares(body, filter?.body as Filter);

const labelKeeps = (label: FakeLabel, filter: Filter): boolean => {
  const { or, ...own } = filter ?? {};
  const isOne = !Array.isArray(or) || or.some((each) => labelKeeps(label, each));
  return isOne && compares(label.id, own.id as Filter) && compares(label.name, own.name as Filter);
};

const teamKeeps = (team: FakeTeam, filter: Filter) =>
  compares(team.id, filter?.id as Filter) && compares(team.key, filter?.key as Filter);

function issueKeeps(issue: FakeIssue, filter: Filter): boolean {
  const { number, team, labels, state, updatedAt } = (filter ?? {}) as Record<string, Filter>;
  const some = labels?.some as Filter;
  return (
    compares(issue.number, number) &&
    teamKeeps(issue.team, team) &&
    (!some || issue.labels.some((label) => labelKeeps(label, some))) &&
    compares(issue.state.type, state?.type as Filter) &&
    compares(issue.updatedAt, updatedAt)
  );
}

interface Page {
  first?: number | null;
  after?: string | null;
}

/** A page of a list, which begins with the newest. */
function connection<T>(all: readonly T[], { first, after }: Page) {
  const size = first ?? FIRST;
  if (size < 1 || size > MOST) throw new Error(`first is between 1 and ${MOST}`);
  const from = after ? Number(Buffer.from(after, "base64").toString()) : 0;
  const nodes = all.slice(from, from + size);
  const end = from + nodes.length;
  const cursor = (at: number) => Buffer.from(String(at)).toString("base64");
  const pageInfo = {
    ...{ hasNextPage: end < all.length, hasPreviousPage: from > 0 },
    ...{ startCursor: cursor(from), endCursor: nodes.length > 0 ? cursor(end) : null },
  };
  return { nodes, pageInfo };
}

const userView = (user: FakeUser | null, { me }: Asking) => user && { ...user, isMe: user === me };

const teamView = (team: FakeTeam) => ({
  ...team,
  states: (page: Page) => connection(team.states, page),
});

const labelView = ({ team, ...label }: FakeLabel) => ({
  ...{ ...label, isGroup: false },
  team: team && teamView(team),
});

const commentView = ({ user, ...comment }: FakeComment, asking: Asking) => ({
  ...{ ...comment, botActor: null },
  user: userView(user, asking),
});

function issueView(issue: FakeIssue, asking: Asking): object {
  const { blockedBy } = issue;
  return {
    ...issue,
    identifier: nameOf(issue),
    url: `https://linear.app/acme/issue/${nameOf(issue)}`,
    branchName: nameOf(issue).toLowerCase(),
    botActor: null,
    team: () => teamView(issue.team),
    assignee: userView(issue.assignee, asking),
    creator: userView(issue.creator, asking),
    labels: (page: Page) => connection(issue.labels.map(labelView), page),
    comments: ({ filter, ...page }: Page & { filter?: Filter }) =>
      connection(
        issue.comments
          .filter((each) => commentKeeps(each, filter))
          .toReversed()
          .map((each) => commentView(each, asking)),
        page,
      ),
    history: (page: Page) =>
      connection(
        issue.history.toReversed().map(({ actor, descriptionUpdatedBy: editors, ...entry }) => ({
          ...entry,
          actor: userView(actor, asking),
          descriptionUpdatedBy: editors?.map((editor) => userView(editor, asking)),
        })),
        page,
      ),
    inverseRelations: (page: Page) =>
      connection(
        blockedBy.map((other) => ({ id: other.id, type: "blocks", issue: () => issueView(other, asking) })),
        page,
      ),
    attachments: (page: Page) => connection(issue.attachments, page),
  };
}

/** The fields of Query and Mutation, for who asks. */
export function rootFor(asking: Asking): object {
  const { workspace, me } = asking;
  const done = { success: true, lastSyncId: 1 };
  type Asked<T> = T & Page & { filter?: Filter };
  return {
    viewer: () => userView(me, asking),
    teams: ({ filter, ...page }: Asked<object>) =>
      connection(
        workspace.teams.filter((team) => teamKeeps(team, filter)).map((team) => teamView(team)),
        page,
      ),
    issue: ({ id }: { id: string }) => issueView(workspace.find(id), asking),
    issues: ({ filter, ...page }: Asked<object>) =>
      connection(
        workspace.issues
          .filter((issue) => issueKeeps(issue, filter))
          .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
          .map((issue) => issueView(issue, asking)),
        page,
      ),
    issueLabels: ({ filter, ...page }: Asked<object>) =>
      connection(workspace.labels.filter((label) => labelKeeps(label, filter)).map(labelView), page),
    comments: ({ filter, ...page }: Asked<object>) =>
      connection(
        workspace.issues
          .flatMap(({ comments }) => comments)
          .filter((comment) => commentKeeps(comment, filter))
          .map((comment) => commentView(comment, asking)),
        page,
      ),
    issueUpdate: ({ id, input }: { id: string; input: Parameters<FakeWorkspace["update"]>[2] }) => {
      const issue = workspace.find(id);
      workspace.update(issue, me, input);
      return { ...done, issue: issueView(issue, asking) };
    },
    issueLabelCreate: ({ input: { name, teamId } }: { input: { name: string; teamId?: string } }) => {
      const team = workspace.teams.find((each) => each.id === teamId) ?? null;
      return { ...done, issueLabel: labelView(workspace.label(name, team)) };
    },
    commentCreate: ({ input }: { input: { id?: string; issueId: string; body: string } }) => {
      const comment = workspace.comment(workspace.find(input.issueId), me, input.body, input.id ?? undefined);
      return { ...done, comment: commentView(comment, asking) };
    },
    commentUpdate: ({ id, input }: { id: string; input: { body: string } }) => {
      const { issue, comment } = workspace.commentOf(id);
      comment.body = input.body;
      workspace.touch(issue);
      return { ...done, comment: commentView(comment, asking) };
    },
    commentDelete: ({ id }: { id: string }) => {
      const { issue, comment } = workspace.commentOf(id);
      issue.comments = issue.comments.filter((each) => each !== comment);
      return { ...done, entityId: id };
    },
    attachmentCreate: ({ input }: { input: { issueId: string; url: string; title: string } }) => ({
      ...done,
      attachment: workspace.attach(workspace.find(input.issueId), input),
    }),
  };
}
