import type { ClaimRecord } from "./record.ts";

/** What stands in a register for an item. `version`: no two that ever stood there have the same. */
export interface Standing {
  version: string;
  /** Undefined where it cannot be read: somebody else's, or a newer Baton's. */
  record: ClaimRecord | undefined;
}

/**
 * Where claims are entered for all fleets to see: the truth about who has an item. Of several who take an item over the
 * same standing, one is told that it has it.
 */
export interface Register {
  /** For people: where that is. */
  readonly place: string;
  read(item: string, signal?: AbortSignal): Promise<Standing | undefined>;
  /** Of many items at once, those that stand there. */
  readAll(items: readonly string[], signal?: AbortSignal): Promise<Map<string, Standing>>;
  /** Enters a claim of a new epoch over what was read. Undefined: somebody else was faster. */
  take(record: ClaimRecord, over: Standing | undefined, signal?: AbortSignal): Promise<Standing | undefined>;
  /** Renews or ends the claim that one has. Undefined: by now it is somebody else's. */
  change(record: ClaimRecord, mine: Standing, signal?: AbortSignal): Promise<Standing | undefined>;
  /** Takes away what was entered, if it is still that. */
  remove(item: string, standing: Standing, signal?: AbortSignal): Promise<boolean>;
}

/** It could not be read or written. Whether a write arrived is not known. */
export class RegisterUnreachableError extends Error {
  override readonly name = "RegisterUnreachableError";
}
