import { isDeepStrictEqual } from "node:util";
import { configOf, type Project } from "../../app/project.ts";
import { UsageError } from "../../app/usage-error.ts";
import type { WebConfig } from "../../config/config.ts";
import { messageOf } from "../../util/errors.ts";
import { openerOn, opens } from "../records/open.ts";

/** What `baton start` says of it on the command line, over what the configuration says. */
export interface WebOptions {
  /** `--web` or `--no-web`. */
  web?: boolean;
  port?: number;
}

/** What came of it: where it is served, or why it is not. */
export type WebNews = { url: string } | { refused: string } | { trouble: string };

/** The API and the dashboard beside a fleet: where they cannot be served, the fleet runs without. */
export class WebBeside implements AsyncDisposable {
  readonly #projects: readonly Project[];
  readonly #options: WebOptions;
  readonly #tell: (news: WebNews) => void;
  #server: Promise<AsyncDisposable | undefined> = Promise.resolve(undefined);

  constructor(projects: readonly Project[], options: WebOptions, tell: (news: WebNews) => void) {
    this.#projects = projects;
    this.#options = options;
    this.#tell = tell;
  }

  begin(): void {
    this.#server = this.#serve().catch((error: unknown) => {
      this.#tell({ refused: messageOf(error) });
      return undefined;
    });
  }

  async #serve(): Promise<AsyncDisposable | undefined> {
    const config = await webConfig(this.#projects, this.#options);
    await this.#sayOthers();
    if (!config.enabled) return undefined;
    // No other command pays for what it loads.
    const { serveWeb } = await import("../../http/server.ts");
    const trouble = (error: unknown) => this.#tell({ trouble: messageOf(error) });
    const server = await serveWeb({ projects: this.#projects, config, trouble });
    this.#tell({ url: server.url });
    if (config.openBrowser)
      await this.#open().catch((error: unknown) => this.#tell({ trouble: messageOf(error) }));
    return server;
  }

  /** One server has one address: what another project says of it does not hold, and must not look as if it did. */
  async #sayOthers(): Promise<void> {
    const [first, ...others] = this.#projects;
    if (!first) return;
    const { web } = await configOf(first);
    for (const other of others) {
      if (isDeepStrictEqual((await configOf(other)).web, web)) continue;
      const trouble = `The keys of web in ${other.root} do not hold: those of ${first.root} do, the first project of the fleet.`;
      this.#tell({ trouble });
    }
  }

  /** Where there is a desktop to open it on. */
  async #open(): Promise<void> {
    const [first] = this.#projects;
    const program = openerOn(process.platform, process.env);
    if (!first || program === undefined) return;
    const { signInLink } = await import("../../app/access/sign-in.ts");
    await opens(program, (await signInLink(first, { isOpened: true })).link);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#server)?.[Symbol.asyncDispose]();
  }
}

/** That of the first project, which is where the command was called. */
async function webConfig([first]: readonly Project[], { web, port }: WebOptions): Promise<WebConfig> {
  if (!first) throw new UsageError("A fleet needs a project.");
  const { web: config } = await configOf(first);
  return {
    ...config,
    ...(web !== undefined ? { enabled: web } : port !== undefined && { enabled: true }),
    ...(port !== undefined && { port }),
  };
}
