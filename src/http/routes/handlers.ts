import type { AnswerOf, BodyOf, QueryOf } from "../contract.ts";
import type { Caller } from "../guards/caller.ts";
import type { OPERATIONS, OperationName, ParamsOf } from "../operations.ts";
import type { Web } from "../web.ts";

/** A request that has passed every check. */
export interface Ask<K extends OperationName> {
  web: Web;
  caller: Caller;
  params: ParamsOf<(typeof OPERATIONS)[K]["path"]>;
  query: QueryOf<K>;
  body: BodyOf<K>;
  /** The address that it came from. */
  from: string;
  signal: AbortSignal;
}

/** What an answer says besides its body. */
export interface Told<K extends OperationName> {
  answer: AnswerOf<K>;
  /** What was acted on, for the audit trail. */
  target?: string;
  /** The folder of its project. */
  project?: string;
  headers?: Record<string, string>;
}

type Handler<K extends OperationName> = (ask: Ask<K>) => Promise<Told<K>>;
export type Handlers<K extends OperationName = OperationName> = { [N in K]: Handler<N> };
