import type { Place } from "./error.ts";

/** Which items of a tracker an agent takes, and how it may ask there. Holds names of variables, and no secret. */
export type WorkSourceConfig = GitHubSourceConfig | LinearSourceConfig;

export interface GitHubSourceConfig extends TakenItems {
  type: "github";
  /** `owner/name` */
  repo: string;
  auth: TokenAuth | AppAuth;
}

export interface LinearSourceConfig extends TakenItems {
  type: "linear";
  /** The key of a team, the part before the number in `ENG-42`. */
  team: string;
  /** Names of states, where they are not told by their types. */
  states: { ready?: string; inProgress?: string; inReview?: string };
  auth: TokenAuth;
}

/** What is configured of every tracker. */
interface TakenItems {
  /** Without a slash at its end. */
  apiUrl: string;
  labels: { ready: string; inProgress: string; failed: string };
  excludeLabels: string[];
  /** Whether an item whose job failed is ready again. */
  cleanupOnFailure: boolean;
  /** How many jobs may fail on one item. */
  attempts: number;
  pollMs: number;
  /** Where it is entered who has an item: all fleets that take from one tracker do it alike. */
  claims: "refs" | "comments";
  /** Whose labels and words count. */
  trust: "collaborators" | "anyone";
}

/** A source that items are taken from, and where that is written. */
export interface WrittenSource {
  agent: string;
  /** Undefined: the agent takes items whenever it has a slot for one. */
  schedule?: string;
  source: WorkSourceConfig;
  place: Place;
  /** Of its keys, such as `labels.ready`. */
  keys: Record<string, Place>;
}

export interface TokenAuth {
  kind: "token";
  env: string;
}

/** Of a GitHub App. */
export interface AppAuth {
  kind: "app";
  id: string;
  installation: string;
  privateKey: { env: string } | { file: string };
}
