import type { Job } from "../../job/job.ts";
import type { Fired } from "./schedules.ts";

/** With which a fleet begins to print, once it is that of its projects. */
export const FLEET_RUNS = "The fleet runs:";

/** What a person who watches a fleet is told. */
export type FleetNews = { at: Date; project: string } & (
  | { what: "started" | "ended" | "queued-again"; job: Job }
  | { what: "waits"; job: Job; why: string }
  | { what: "held"; job: string; why: string }
  | ({ what: "fired" } & Fired)
  | { what: "problem"; why: string }
  /** Of its work sources: items that were taken, and what became of them. */
  | { what: "work"; text: string; trouble?: true }
  /** In a chat service. */
  | { what: "chat"; text: string }
  /** Its configuration was changed, and holds from now on; or it is again what holds, after it was not used. */
  | { what: "reloaded"; isChanged: boolean }
  /** Of a person's own session, or of a project where that is null. */
  | { what: "watch"; session: string | null; text: string }
);

/** Without the moment: whoever hears it knows that. */
type Tidings = FleetNews extends infer News ? (News extends unknown ? Omit<News, "at"> : never) : never;

export type Tell = (news: Tidings) => void;
