import type { GitHubConnection } from "./connection.ts";
import { type Issue, Issue as IssueShape, readEach } from "./shapes.ts";

const A_PAGE = 100;
/** Of one list of issues: a thousand that are ready are more than anybody works off between two polls. */
const MOST_PAGES = 10;

interface Page {
  etag: string | undefined;
  issues: Issue[];
  next: string | undefined;
}

/** The issues with one label, page by page. A page that is as it was costs nothing. */
export class IssueList {
  readonly #connection: GitHubConnection;
  readonly #first: string;
  #pages = new Map<string, Page>();

  constructor(connection: GitHubConnection, repo: string, label: string) {
    const query = new URLSearchParams({
      labels: label,
      state: "open",
      sort: "updated",
      direction: "desc",
      per_page: String(A_PAGE),
    });
    this.#connection = connection;
    this.#first = `/repos/${repo}/issues?${query}`;
  }

  /** Pull requests are issues too, and left out. */
  async read(signal: AbortSignal): Promise<{ issues: Issue[]; changed: boolean }> {
    const pages = new Map<string, Page>();
    let changed = false;
    for (let path: string | undefined = this.#first; path !== undefined && pages.size < MOST_PAGES; ) {
      const before = this.#pages.get(path);
      const { status, body, etag, next } = await this.#connection.ask({ path, etag: before?.etag, signal });
      const page: Page =
        status === 304 && before ? before : { etag, next, issues: readEach(IssueShape, body, "issues") };
      if (page !== before) changed = true;
      pages.set(path, page);
      path = pages.has(page.next ?? "") ? undefined : page.next;
    }
    this.#pages = pages;
    const all = [...pages.values()].flatMap(({ issues }) => issues);
    return { issues: all.filter(({ pull_request }) => pull_request === undefined), changed };
  }
}

/** A whole list, or the end of one that has more pages than `most`: the newest are last. */
export async function tailOf(
  connection: GitHubConnection,
  path: string,
  most: number,
  signal: AbortSignal,
): Promise<unknown[]> {
  const first = `${path}?per_page=${A_PAGE}`;
  const { body, last } = await connection.ask({ path: first, signal });
  const pages = [body];
  const count = last === undefined ? 1 : Number(URL.parse(last)?.searchParams.get("page"));
  if (!Number.isSafeInteger(count) || count < 2) return listed(pages);
  if (count > most) pages.length = 0;
  for (let page = Math.max(2, count - most + 1); page <= count; page++) {
    pages.push((await connection.ask({ path: `${first}&page=${page}`, signal })).body);
  }
  return listed(pages);
}

const listed = (pages: unknown[]) => pages.flatMap((page) => (Array.isArray(page) ? page : []));
