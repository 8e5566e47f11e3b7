import { MINUTE_MS } from "../../util/time.ts";
import type { Author } from "../source.ts";
import { type GitHubConnection, RefusedError } from "./connection.ts";
import { Permission, read } from "./shapes.ts";

/** Who wrote something, as GitHub tells. */
export interface Writer {
  user?: { login: string; type?: string | null | undefined } | null | undefined;
  author_association?: string | null | undefined;
}

interface Known {
  mayWrite: boolean;
  at: number;
}

const KEPT_MS = 10 * MINUTE_MS;
const MOST_KEPT = 1_000;
/** What an account that is gone is called. */
const GHOST = "ghost";

/** Who may write to the repository: asked once in ten minutes, except where it decides. */
export class People {
  readonly #connection: GitHubConnection;
  readonly #repo: string;
  readonly #ours: (signal: AbortSignal) => Promise<string | undefined>;
  readonly #known = new Map<string, Known>();

  constructor(
    connection: GitHubConnection,
    repo: string,
    ours: (signal: AbortSignal) => Promise<string | undefined>,
  ) {
    this.#connection = connection;
    this.#repo = repo;
    this.#ours = ours;
  }

  /** `anew`: what was known before does not count. */
  async author({ user, author_association }: Writer, signal: AbortSignal, anew = false): Promise<Author> {
    if (!user) return { name: GHOST, trusted: false };
    const name = user.login;
    const isOurs = async () => name.toLowerCase() === (await this.#ours(signal))?.toLowerCase();
    const trusted =
      author_association === "OWNER" ||
      (isApp(name) && (await isOurs())) ||
      (await this.#mayWrite(name, signal, anew));
    return { name, trusted };
  }

  async #mayWrite(login: string, signal: AbortSignal, anew: boolean): Promise<boolean> {
    const key = login.toLowerCase();
    const now = this.#connection.now().getTime();
    const known = this.#known.get(key);
    if (known && !anew && now - known.at < KEPT_MS) return known.mayWrite;
    const mayWrite = await this.#ask(login, signal);
    if (this.#known.size >= MOST_KEPT) this.#known.clear();
    this.#known.set(key, { mayWrite, at: now });
    return mayWrite;
  }

  /** An account that is no person's is no collaborator: GitHub answers `none` or 404. */
  async #ask(login: string, signal: AbortSignal): Promise<boolean> {
    const path = `/repos/${this.#repo}/collaborators/${encodeURIComponent(login)}/permission`;
    try {
      const { body } = await this.#connection.ask({ path, signal });
      const { permission } = read(Permission, body, "a permission");
      return permission === "admin" || permission === "write" || permission === "maintain";
    } catch (error) {
      // Whoever may not ask cannot trust anybody; `check` says so.
      if (error instanceof RefusedError && (error.status === 404 || error.status === 403)) return false;
      throw error;
    }
  }
}

const isApp = (login: string) => login.endsWith("[bot]");
