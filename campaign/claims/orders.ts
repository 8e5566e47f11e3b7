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
  failShare: number;
  log: string;
}

export const LABELS = { ready: "ready", inProgress: "agent-working", failed: "failed" };

/** How the comment begins by which an item is delivered. */
export const DELIVERED = "Delivered by ";
