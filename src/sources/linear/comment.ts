import { derivedId } from "../derived-id.ts";
import { SourceError } from "../source.ts";
import type { LinearApi } from "./api.ts";
import { COMMENT, CREATE_COMMENT, EDIT_COMMENT } from "./queries.ts";
import { Comments, read } from "./shapes.ts";

/** `id`: made here, so that it is written once, whatever breaks. */
interface NewComment {
  id: string;
  issueId: string;
  body: string;
}

interface Place {
  source: string;
  issueId: string;
}

/** The end of the ids of all reports on an issue: Linear hides nothing in a comment that could tell them from people's words. */
const endOf = ({ source, issueId }: Place) => derivedId(source, issueId, "report").slice(-12);

/** The one id that the comment of this marker has. */
export function reportId(marker: string, at: Place): string {
  return derivedId(at.source, at.issueId, marker).slice(0, -12) + endOf(at);
}

/** Whether a comment is what a Baton says of a job, by whichever account. */
export const isReport = (id: string, at: Place) => id.endsWith(endOf(at));

export async function findComment(
  api: LinearApi,
  id: string,
  signal: AbortSignal,
): Promise<{ body: string } | undefined> {
  const { comments } = read(Comments, await api.ask({ query: COMMENT, variables: { id }, signal }));
  return comments.nodes[0];
}

export async function editComment(
  api: LinearApi,
  { id, body }: Pick<NewComment, "id" | "body">,
  signal: AbortSignal,
): Promise<void> {
  await api.ask({ query: EDIT_COMMENT, variables: { id, input: { body } }, signal });
}

/**
 * Of several with the same id the first is written, and of one that a person deleted none. `isOpenToComments`: whether the issue
 * is there, so that it was the id that was refused.
 */
export async function createComment(
  api: LinearApi,
  input: NewComment,
  isOpenToComments: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await api.ask({ query: CREATE_COMMENT, variables: { input }, signal });
  } catch (error) {
    const isRefused = error instanceof SourceError && error.code === "refused";
    if (!isRefused || !((await findComment(api, input.id, signal)) || (await isOpenToComments())))
      throw error;
  }
}
