import { findSecrets } from "./find.ts";
import { without } from "./redact.ts";

/**
 * For what git and the programs of a forge say about an address: who signs in there, and every token in its query, is
 * for nobody to read, even where it looks like nothing. `ssh://git@…` has none.
 */
export function withoutCredentials(text: string): string {
  return without(text, findSecrets(text, { strict: true }).spans, () => "***");
}
