import { createHash } from "node:crypto";
import { hostname } from "node:os";
import type { WorkItemRow } from "../../store/work-items.ts";
import { type Clocks, leastBetween, type Moment, type ServerClock } from "./clocks.ts";
import { type Decision, decide, isSame } from "./decide.ts";
import { renewed } from "./held-claim.ts";
import type { ClaimRecord } from "./record.ts";
import type { Standing } from "./register.ts";

interface Options {
  source: string;
  /** Of the store whose claims these are. */
  storePath: string;
  leaseMs: number;
  clocks: Clocks;
  server: ServerClock;
}

/** What the claims of one store look like where they stand, and whose an item is by what stands there. */
export class Ownership {
  readonly #options: Options;
  /** Since when the same has been seen to stand there. */
  readonly #seen = new Map<string, { version: string; since: Moment }>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** `holder`: as the row of the item has it; empty where there is no row. */
  decide(item: string, standing: Standing | undefined, holder: string): Decision {
    const { clocks, server } = this.#options;
    const now = clocks();
    const seen = standing && this.#seen.get(item);
    const isSameAsBefore = seen?.version === standing?.version;
    if (!standing) this.#seen.delete(item);
    else if (!isSameAsBefore) this.#seen.set(item, { version: standing.version, since: now });
    return decide(standing, {
      holder: holder === "" ? "" : this.holder(holder),
      serverNow: server.atLeast(),
      unchangedMs: seen && isSameAsBefore ? leastBetween(seen.since, now) : 0,
    });
  }

  record(of: Pick<ClaimRecord, "item" | "job" | "agent" | "epoch" | "attempts" | "holder">): ClaimRecord {
    const { source, leaseMs, clocks, server } = this.#options;
    const blank = { ...of, source, state: "claimed", leaseMs, at: "", nonce: "" } as const;
    return renewed({ ...blank, holder: this.holder(of.holder) }, server, clocks().wall);
  }

  /** What the claim of a row looks like where it stands. */
  recordOf({ holder, epoch, item, job, agent, attempts }: WorkItemRow): ClaimRecord {
    return this.record({ item, job: job ?? "", agent: agent ?? "", epoch, attempts, holder });
  }

  /** Whether it is the claim of this row that stands there. */
  isOf(row: WorkItemRow, standing: Standing | undefined): boolean {
    return isSame(standing, this.recordOf(row));
  }

  /** A copy of the store, on another machine or beside it, is another fleet's. */
  holder(kept: string): string {
    const parts = [kept, hostname(), this.#options.storePath];
    return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32);
  }
}
