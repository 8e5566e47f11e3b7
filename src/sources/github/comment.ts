import type { GitHubConnection } from "./connection.ts";
import { isThere, UnclearError } from "./connection.ts";
import { tailOf } from "./pages.ts";
import { Comment, read, readEach } from "./shapes.ts";

/** GitHub counts characters. */
const COMMENT_LIMIT = 65_536;
const MOST_PAGES = 30;
/** Longer than a replica is behind: what was just written is looked for there. */
const LOOK_AGAIN_MS = [2_000, 5_000];

interface Target {
  connection: GitHubConnection;
  repo: string;
  issue: string;
  /** The account that Baton writes with: what others wrote is never edited, whatever it holds. */
  ours: string;
  signal: AbortSignal;
}

/** Writes the one comment that begins with this marker, or brings it up to date. Answers with its id. */
export async function keepComment(
  target: Target,
  { marker, text }: { marker: string; text: string },
  known: number | undefined,
): Promise<number> {
  const sign = signOf(marker);
  const body = bodyOf(sign, text);
  if (known !== undefined && (await edit(target, known, body))) return known;
  for (const waitMs of LOOK_AGAIN_MS) {
    const found = await update(target, sign, body);
    if (found !== undefined) return found;
    try {
      return await create(target, body);
    } catch (error) {
      if (!(error instanceof UnclearError)) throw error;
      await target.connection.sleep(waitMs, target.signal);
    }
  }
  return (await update(target, sign, body)) ?? (await create(target, body));
}

async function create({ connection, repo, issue, signal }: Target, body: string): Promise<number> {
  const path = `/repos/${repo}/issues/${issue}/comments`;
  const answer = await connection.ask({ method: "POST", path, body: { body }, once: true, signal });
  return read(Comment, answer.body, "a comment").id;
}

/** Undefined where there is none. Of several, which a broken connection may leave, the first stays. */
async function update(target: Target, sign: string, body: string): Promise<number | undefined> {
  const [first, ...others] = await written(target, sign);
  if (!first) return undefined;
  if (first.body !== body && !(await edit(target, first.id, body))) return undefined;
  for (const { id } of others) await remove(target, id);
  return first.id;
}

async function written({ connection, repo, issue, ours, signal }: Target, sign: string): Promise<Comment[]> {
  const path = `/repos/${repo}/issues/${issue}/comments`;
  const comments = readEach(Comment, await tailOf(connection, path, MOST_PAGES, signal), "comments");
  return comments
    .filter(({ user, body }) => user?.login.toLowerCase() === ours.toLowerCase() && body.startsWith(sign))
    .sort((a, b) => a.id - b.id);
}

/** False where it is gone. */
async function edit({ connection, repo, signal }: Target, id: number, body: string): Promise<boolean> {
  const path = `/repos/${repo}/issues/comments/${id}`;
  return isThere(connection.ask({ method: "PATCH", path, body: { body }, signal }));
}

async function remove({ connection, repo, signal }: Target, id: number): Promise<void> {
  await isThere(connection.ask({ method: "DELETE", path: `/repos/${repo}/issues/comments/${id}`, signal }));
}

/** Whether a comment is what a Baton says of a job, by whichever account. */
export const isReport = (body: string) => body.startsWith(SIGN);

const SIGN = "<!-- baton ";

/** At the very beginning, where no text of an agent can stand, and with nothing in it that ends a comment in HTML. */
function signOf(marker: string): string {
  return `${SIGN}${encodeURIComponent(marker).replaceAll("-", "%2D")} -->\n`;
}

function bodyOf(sign: string, text: string): string {
  const room = COMMENT_LIMIT - sign.length;
  return sign + (text.length <= room ? text : `${cut(text, room - 2)}\n…`);
}

const cut = (text: string, limit: number) => text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
