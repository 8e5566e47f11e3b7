import { type ClaimComments, isClaimComment } from "../claims/comment-register.ts";
import { type GitHubConnection, isThere, UnclearError } from "./connection.ts";
import { tailOf } from "./pages.ts";
import type { People } from "./people.ts";
import { Comment, readEach } from "./shapes.ts";

const MOST_PAGES = 30;

/** For claims on issues of a repository that takes no refs. */
export function claimComments(connection: GitHubConnection, repo: string, people: People): ClaimComments {
  const { signal: unending } = new AbortController();
  const comment = (id: string) => `/repos/${repo}/issues/comments/${id}`;
  const list = (item: string) => `/repos/${repo}/issues/${item}/comments`;
  return {
    place: `comments of ${repo}`,
    takesIds: false,
    form: "hidden",
    async list(item, signal = unending) {
      const read = readEach(Comment, await tailOf(connection, list(item), MOST_PAGES, signal), "comments");
      const trusted = [];
      for (const { id, body, ...writer } of read.sort((a, b) => a.id - b.id)) {
        const isClaim = isClaimComment(body);
        if (isClaim && (await people.author(writer, signal)).trusted)
          trusted.push({ id: String(id), text: body });
      }
      return trusted;
    },
    async create(item, text, _id, signal = unending) {
      try {
        await connection.ask({ method: "POST", path: list(item), body: { body: text }, once: true, signal });
      } catch (error) {
        if (!(error instanceof UnclearError)) throw error;
      }
    },
    edit: (_item, id, text, signal = unending) =>
      isThere(connection.ask({ method: "PATCH", path: comment(id), body: { body: text }, signal })),
    async remove(_item, id, signal = unending) {
      await isThere(connection.ask({ method: "DELETE", path: comment(id), signal }));
    },
  };
}
