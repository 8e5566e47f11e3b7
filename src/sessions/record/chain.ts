import type { Registry } from "./registry.ts";
import type { OwnSession } from "./session.ts";

/** A session and those before it whose work it continues, newest first, as far back as they are on record. */
export async function chainOf(registry: Registry, session: OwnSession): Promise<OwnSession[]> {
  const chain = [session];
  const seen = new Set([session.id]);
  for (let id = session.parent; id !== null && !seen.has(id); ) {
    const earlier = await registry.find(id);
    if (!earlier) break;
    seen.add(id);
    chain.push(earlier);
    id = earlier.parent;
  }
  return chain;
}

/** The session that has the work now: another than this one where its handoff was picked up. */
export async function newestOf(registry: Registry, session: OwnSession): Promise<OwnSession> {
  let newest = session;
  const seen = new Set([session.id]);
  while (newest.handoff?.state === "taken-up") {
    const next = await registry.find(newest.handoff.successor);
    if (!next || seen.has(next.id)) break;
    seen.add(next.id);
    newest = next;
  }
  return newest;
}
