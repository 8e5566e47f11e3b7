import { join } from "node:path";

/** Where a project keeps its jobs. */
export function storePath(root: string): string {
  return join(root, ".baton", "baton.db");
}
