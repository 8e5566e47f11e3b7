import type { Scope } from "../../app/access/principal.ts";
import type { Starter } from "../../app/served/start.ts";
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
  /** Who starts what it starts. */
  starter: Starter;
  /** Refuses whoever may not do this either. */
  needs(scope: Scope): Promise<void>;
}

/** An answer, and what it says besides its body. */
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

const MOMENT_MS = 2_000;

/** What comes of something within a moment. Undefined where it takes longer: then it goes its way, and the stream tells the rest. */
export async function soon<T>(work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), MOMENT_MS);
  work.catch(() => {});
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
