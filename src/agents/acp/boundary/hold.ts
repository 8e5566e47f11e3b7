import type { SessionSpec } from "../../agent.ts";
import type { Fields } from "../rpc.ts";
import type { Decision } from "./boundary.ts";

/** What has a program wait before each request to its model that follows on tools. */
export interface Hold {
  env: Record<string, string>;
  /** What its settings hold besides, for a program that is given them with its session. */
  settings?: Fields;
  /** On which Baton is asked. */
  port?: number;
  /** It ends its turn because it was told to. Otherwise the turn is cancelled while it waits. */
  stopsByAnswer: boolean;
  /** Nothing waits any more. */
  reset(): void;
  close(): void;
}

/** Undefined where that cannot be done. */
export type Holds = (spec: SessionSpec, asks: () => Promise<Decision>) => Promise<Hold | undefined>;
