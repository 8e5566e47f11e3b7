import type { CompiledQuery, Kysely } from "kysely";
import type { Tables } from "./tables.ts";

export { openCopyToRead, openStore, openStoreToRead } from "./sqlite/open.ts";

/**
 * Where jobs are kept. Many processes may have it open at once. A transaction on it begins with a write, so that
 * it waits its turn before it reads.
 */
export interface Store extends AsyncDisposable {
  /** What messages and hooks name it by. */
  readonly path: string;
  /** The folder for what belongs to the store and is not in it, such as locks. */
  readonly home: string;
  readonly db: Kysely<Tables>;
  /** Inserts by their number of rows, in the words of its database. */
  readonly inserts: Map<number, CompiledQuery>;
  close(): Promise<void>;
}
