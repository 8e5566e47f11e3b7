import type { Refusal } from "../app/handoffs/inside.ts";
import { UsageError } from "../app/usage-error.ts";

/** Says why a document was refused, and what to do instead. */
export function unlessRefused<T extends object>(found: T | Refusal): T {
  if ("refused" in found) throw new UsageError(inWords(found));
  return found;
}

function inWords(refusal: Refusal): string {
  const { path } = refusal;
  switch (refusal.refused) {
    case "outside":
      return `${refusal.named} is outside the project: this server serves only ${refusal.root}. Name a document in ${refusal.handoffDir}; list_handoffs lists them.`;
    case "missing":
      return `There is no document ${path}. list_handoffs lists the documents.`;
    case "not-a-file":
      return `${path} is not a file. list_handoffs lists the documents.`;
    case "too-large":
      return `${path} is larger than 4 MB, the limit for a handoff document. Shorten it, or name another.`;
    case "front-too-long":
      return `The front matter of ${path} is longer than 64 kB. Shorten it, or name another document.`;
    case "no-handoff": {
      const expected = refusal.expected.join(", ");
      return `${path} is not a handoff document: it has none of the sections of one (${expected}).`;
    }
  }
}
