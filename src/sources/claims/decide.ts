import type { ClaimRecord } from "./record.ts";
import type { Standing } from "./register.ts";

/** What may be done with an item, by what stands in the register. */
export type Decision =
  /** `abandoned`: somebody had it and left it without an end. */
  | { kind: "free"; epoch: number; attempts: number; abandoned?: ClaimRecord }
  | { kind: "held"; by: string; until?: Date }
  | { kind: "done"; by: string };

interface Known {
  /** By which claims of this store are known again. No process of this machine has the item that is alive. */
  holder: string;
  /** The least that it can be by the server's clock. */
  serverNow: Date | undefined;
  /** How long at least it has been seen to stand there, unchanged. */
  unchangedMs: number;
}

/** Of a lease: clocks of one server differ, and what is written last takes its time. */
const GRACE = 0.1;

/** Whom an item belongs to. In doubt it is somebody else's. */
export function decide(standing: Standing | undefined, { holder, serverNow, unchangedMs }: Known): Decision {
  if (!standing) return { kind: "free", epoch: 0, attempts: 0 };
  const { record } = standing;
  if (!record) return { kind: "held", by: "a claim that this Baton cannot read" };
  const { epoch, attempts, state } = record;
  if (state === "done") return { kind: "done", by: record.job };
  if (state !== "claimed") return { kind: "free", epoch, attempts };
  const isOver =
    record.holder === holder ||
    unchangedMs >= record.leaseMs * (1 + GRACE) ||
    isPast(record, serverNow, record.leaseMs * GRACE);
  if (isOver) return { kind: "free", epoch, attempts, abandoned: record };
  const until = record.until === undefined ? undefined : new Date(record.until);
  return { kind: "held", by: `${record.job} of another fleet`, ...(until && { until }) };
}

function isPast({ until }: ClaimRecord, serverNow: Date | undefined, graceMs: number): boolean {
  if (until === undefined || !serverNow) return false;
  return serverNow.getTime() > Date.parse(until) + graceMs;
}

/** Whether it is this claim that stands there, renewed or not. */
export function isSame(standing: Standing | undefined, mine: ClaimRecord): boolean {
  const { record } = standing ?? {};
  return record?.state === "claimed" && record.holder === mine.holder && record.epoch === mine.epoch;
}
