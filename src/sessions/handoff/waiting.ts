import type { HandoffDir } from "../../handoff/library.ts";
import { dismissed, type SessionHandoff, takenUp } from "../record/handoff-state.ts";
import type { Registry } from "../record/registry.ts";
import { readPending, removePending } from "./pending.ts";
import { isSameDocument } from "./recorded.ts";

interface Waiting {
  document: string;
  place: HandoffDir;
  registry: Registry;
}

/** A handoff that waits is not wanted any more: nobody is told of it again. Its document stays. False where it does not wait. */
export function dismiss(waiting: Waiting): Promise<boolean> {
  return noLonger(waiting, dismissed);
}

/** A job continues from a handoff that waited, if it did. */
export async function pickedUpByJob(waiting: Waiting, job: string): Promise<void> {
  const at = new Date().toISOString();
  await noLonger(waiting, (handoff, documentPath) => takenUp(handoff, { successor: job, documentPath, at }));
}

async function noLonger(
  { document, place, registry }: Waiting,
  change: (handoff: SessionHandoff, documentPath: string) => SessionHandoff | undefined,
): Promise<boolean> {
  for (const waiting of await readPending(place.dir)) {
    if (!(await isSameDocument(document, waiting.document))) continue;
    await registry.update(waiting.session, (known) => {
      if (known?.handoff?.state !== "pending" || known.handoff.documentPath !== waiting.document)
        return undefined;
      const handoff = change(known.handoff, waiting.document);
      return handoff && { ...known, handoff };
    });
    return removePending(place, { document: waiting.document });
  }
  return false;
}
