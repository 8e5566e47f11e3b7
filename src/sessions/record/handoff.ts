import type { HandoffTrigger } from "../../handoff/document.ts";

/** What is known of a handoff before its account has come. */
export interface HandoffPlace {
  /** Within the chain of sessions that picked the work up from one another. */
  readonly number: number;
  /** Who wanted it. */
  readonly trigger: HandoffTrigger;
  readonly focus?: string;
  /** A person asked for it between two turns: the next session waits for what they say. */
  readonly atRest?: true;
  /** The document before it, within that chain. */
  readonly previous: string | null;
}

interface Begun extends Omit<HandoffPlace, "previous"> {
  readonly at: string;
}

/** How full the window was when a session was asked. */
export interface Seen {
  readonly percent: number;
  readonly turns: number;
}

/** The agent was told to submit it. */
export interface AskedHandoff extends Begun {
  readonly state: "asked";
  /** The document before it, for the next one to name it. */
  readonly documentPath?: string;
  /** What the first account lacked: the agent was told, and its next one is completed from facts. */
  readonly again?: readonly string[];
  readonly seen?: Seen;
  /** The person was told that the agent did not do what it was asked for. */
  readonly unanswered?: true;
  /** The person interrupted it before it could. */
  readonly interrupted?: true;
  /** What Baton wrote by itself meanwhile, after how many turns, because the program was about to compact the session. */
  readonly fromFacts?: { readonly documentPath: string; readonly turns: number };
}

interface Written extends Begun {
  readonly documentPath: string;
  /** The person continued in the session, although its handoff waits for the next one. */
  readonly wentOn?: true;
}

/** Why the prompt of a session is not free, so that it cannot be cleared. */
export const HINDRANCES = ["scrolling", "typing", "written", "shell", "working", "dialog"] as const;
export type Hindrance = (typeof HINDRANCES)[number];

/** It is on disk, checked. */
export interface StoredHandoff extends Written {
  readonly state: "stored";
  /** What it waits for. */
  readonly waitsFor?: Hindrance;
}

export interface PassedOn extends Written {
  /** The next session, where it was named before it began. */
  readonly successor?: string;
  /** It was made before the session was compacted: the window that fills now can be handed over again. */
  readonly outlived?: true;
}

/** The pane is being cleared, or the next session started. */
export interface ClearingHandoff extends PassedOn {
  readonly state: "clearing";
}

/** A person must start the next session. */
export interface PendingHandoff extends PassedOn {
  readonly state: "pending";
  readonly reason: string;
}

/** A person must see to something before the session can be cleared. */
export interface FailedHandoff extends PassedOn {
  readonly state: "failed";
  readonly reason: string;
}

/** The next session has it. */
export interface TakenUpHandoff extends Omit<PassedOn, "documentPath"> {
  readonly state: "taken-up";
  readonly successor: string;
  /** The first versions of Baton did not record it of a session that was not handing off. */
  readonly documentPath?: string;
  /** Why it had waited for a person. */
  readonly reason?: string;
}

/** The person did not want it after all. It is asked for again where the window is fuller, or where they ask. */
export interface CancelledHandoff extends Begun {
  readonly state: "cancelled";
  /** The document before it, or its own, which stays. */
  readonly documentPath?: string;
  /** It was cancelled before it had a document: the next one gets its number. */
  readonly unwritten?: true;
  readonly seen?: Seen;
  /** The agent was told, with what the person said next. */
  readonly told?: true;
}

/** The handoff that a session is in the middle of. It is on disk as it is here. */
export type SessionHandoff =
  | AskedHandoff
  | StoredHandoff
  | ClearingHandoff
  | PendingHandoff
  | FailedHandoff
  | TakenUpHandoff
  | CancelledHandoff;

/** What may stand on record of a session: a handoff or none. */
export type Known = SessionHandoff | null | undefined;
