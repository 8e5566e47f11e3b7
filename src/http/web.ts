import type { Access } from "../app/access/access.ts";
import type { Connection } from "../app/access/peer.ts";
import type { ServedProjects } from "../app/served/projects.ts";
import type { JournalTails } from "../app/served/tails.ts";
import type { WebConfig } from "../config/config.ts";
import type { Turns } from "../util/turns.ts";
import type { Limits } from "./guards/rate.ts";

/** What all requests to a server share. */
export interface Web {
  config: WebConfig;
  access: Access;
  served: ServedProjects;
  tails: JournalTails;
  limits: Limits;
  /** What must not meet: what has one name, what counts for one limit, what one schedule decides. */
  turns: Turns;
  /** Where it is, as browsers say it: `http://127.0.0.1:3232`. */
  origin: string;
  /** Why what comes over a connection may be an agent's own. */
  agentAtOtherEnd(connection: Connection): Promise<string | undefined>;
  /** Something went wrong that nobody foresaw. */
  trouble(error: unknown): void;
  /** Whoever takes nothing of a stream for so long is cut off. */
  unreadMs: number;
  /** Aborted when it closes. */
  closing: AbortSignal;
}
