import { dirname } from "node:path";
import { archiveDocument, deleteExpired, isFile } from "../../handoff/history.ts";
import { DAY_MS } from "../../util/time.ts";
import { newestOf } from "./chain.ts";
import type { Registry } from "./registry.ts";
import type { OwnSession } from "./session.ts";

/**
 * Puts away the documents of people's own sessions in a folder whose work ended more than a day ago, and deletes archived
 * ones that have outlived their days. A document that waits, or whose work goes on, stays where it is.
 */
export async function tidyDocuments(
  registry: Registry,
  { dir, retentionDays }: { dir: string; retentionDays: number },
  now: Date,
): Promise<void> {
  for (const session of await registry.list()) {
    const { state, documentPath } = session.handoff ?? {};
    if (state !== "taken-up" || documentPath === undefined || dirname(documentPath) !== dir) continue;
    const last = await newestOf(registry, session);
    if (!isLongOver(last, now) || !(await isFile(documentPath))) continue;
    await archiveDocument(documentPath);
  }
  await deleteExpired(dir, retentionDays, now);
}

function isLongOver({ ended }: OwnSession, now: Date): boolean {
  return ended !== null && now.getTime() - Date.parse(ended.at) > DAY_MS;
}
