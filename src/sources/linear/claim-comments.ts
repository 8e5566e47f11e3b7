import { randomUUID } from "node:crypto";
import { CLAIM_MARK, type ClaimComments } from "../claims/comment-register.ts";
import { SourceError } from "../source.ts";
import type { LinearApi } from "./api.ts";
import { createComment, editComment, findComment } from "./comment.ts";
import { authorOf } from "./items.ts";
import { CLAIMS, DELETE_COMMENT } from "./queries.ts";
import { ClaimedIssues, read, type Said } from "./shapes.ts";
import type { KnownTeam } from "./team.ts";

const MOST_PAGES = 10;

/** For claims on issues of a team whose work goes to a remote that takes no refs. */
export function claimComments(
  api: LinearApi,
  key: string,
  teamNow: (signal: AbortSignal) => Promise<KnownTeam>,
): ClaimComments {
  const { signal: unending } = new AbortController();
  async function list(item: string, signal: AbortSignal) {
    const team = await teamNow(signal);
    const number = Number(item.slice(item.lastIndexOf("-") + 1));
    const found: Said[] = [];
    let after: string | undefined;
    for (let page = 1; ; page++) {
      const variables = { team: team.id, number, mark: CLAIM_MARK, ...(after !== undefined && { after }) };
      const { issues } = read(ClaimedIssues, await api.ask({ query: CLAIMS, variables, signal }));
      const [issue] = issues.nodes;
      if (!issue) throw new SourceError("not-found", `${key} has no issue ${item}.`);
      const { nodes, pageInfo } = issue.comments;
      found.push(...nodes);
      if (!pageInfo.hasNextPage) break;
      // One that is not read may be the one that counts.
      if (page === MOST_PAGES)
        throw new SourceError("refused", `${item} has more comments that look like claims than Baton reads.`);
      after = pageInfo.endCursor ?? undefined;
    }
    return found
      .filter(({ user, botActor }) => authorOf(user, botActor).trusted)
      .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt))
      .map(({ id, body }) => ({ id, text: body }));
  }
  return {
    place: `comments of ${key} in Linear`,
    takesIds: true,
    // Linear keeps the text of a comment, and nothing that is hidden in it.
    form: "code",
    list: (item, signal = unending) => list(item, signal),
    async create(item, text, id = randomUUID(), signal = unending) {
      const isThere = () => list(item, signal).then(() => true);
      await createComment(api, { id, issueId: item, body: text }, isThere, signal);
    },
    async edit(_item, id, text, signal = unending) {
      if (!(await findComment(api, id, signal))) return false;
      await editComment(api, { id, body: text }, signal);
      return true;
    },
    async remove(_item, id, signal = unending) {
      if (await findComment(api, id, signal))
        await api.ask({ query: DELETE_COMMENT, variables: { id }, signal });
    },
  };
}
