/** What one of several processes of a fleet is to do. */
export interface WorkerOrders {
  name: string;
  /** Its checkout, with the store in it. */
  folder: string;
  api: string;
  repo: string;
  leaseMs: number;
  /** For one item, between the shortest and the longest. */
  workMs: readonly [number, number];
  /** Before it looks again where there was nothing to take. */
  idleMs: readonly [number, number];
  failShare: number;
  log: string;
  /** What the first process compiled is there for all that come after it. */
  compiled: string;
}

export const LABELS = { ready: "ready", inProgress: "agent-working", failed: "failed" };

/** How the comment begins by which an item is delivered. */
export const DELIVERED = "Delivered by ";
