import type { z } from "zod";
import type { fleet } from "../schemas/fleet.ts";
import type { eventHead, jobRow } from "../schemas/jobs.ts";

export type JobRow = z.input<typeof jobRow>;

/** What a stream says. `id`: where to resume after it. */
export type StreamMessage = {
  id?: string;
} /** It begins with what there is now: whatever was before, ask for it. */ & (
  | { type: "begin"; data: Record<never, never> }
  /** It goes on where the one before ended. */
  | { type: "resume"; data: Record<never, never> }
  /** How a job stands. */
  | { type: "job"; data: JobRow }
  /** A job was removed from the records. */
  | { type: "forgotten"; data: { id: string } }
  /** Something happened in a job whose events were asked for: each once. */
  | { type: "event"; data: { job: string } & z.input<typeof eventHead> }
  /** What waits for a person: how much, and the first of it. */
  | {
      type: "inbox";
      data: {
        count: number;
        rows: { project: string; kind: string; id: string; title: string; since: string; jobs: string[] }[];
      };
    }
  | { type: "fleet"; data: Omit<z.input<typeof fleet>, "at" | "position"> }
  /** All up to here was told. */
  | { type: "position"; data: Record<never, never> }
  /** There is nothing to tell, and it is still there. */
  | { type: "beat"; data: Record<never, never> }
  /** The token holds no more. */
  | { type: "revoked"; data: Record<never, never> }
);
