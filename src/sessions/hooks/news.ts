import { setTimeout as sleep } from "node:timers/promises";
import { documentOf, hasGoneOn } from "../record/handoff-questions.ts";
import type { SessionHandoff } from "../record/handoff-state.ts";
import type { Registry } from "../record/registry.ts";
import { BATON } from "./texts.ts";

/** How long a stop may be held up, so that its person is told what became of the handoff while they look. */
export const NEWS_MS = 20_000;
const LOOK_MS = 50;

/**
 * What Baton tells a session whose handoff goes on elsewhere, as soon as it does. Where that takes too long: where the
 * document is, and the rest is told at the next prompt.
 */
export async function newsOf(id: string, registry: Registry, patienceMs = NEWS_MS): Promise<string> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(LOOK_MS)) {
    const told = await takenFrom(id, registry);
    if (told.length > 0) return told.join("\n");
    const { handoff } = (await registry.find(id)) ?? {};
    // What they say next waits for this: nothing will become of the handoff before that is done.
    if (handoff && hasGoneOn(handoff)) return goesOn(handoff);
  }
  const handoff = (await registry.find(id))?.handoff;
  return `Handoff ${handoff?.number ?? 1} is stored: ${documentOf(handoff)}. What becomes of it you are told at your next prompt.`;
}

function goesOn(handoff: SessionHandoff): string {
  return `Handoff ${handoff.number} is stored: ${documentOf(handoff)}. You have said more, so this session does that first, and hands over again.`;
}

/** What is told now is not told again at the next prompt. */
async function takenFrom(id: string, registry: Registry): Promise<string[]> {
  const isNews = ({ from }: { from: string }) => from === BATON;
  if (!(await registry.find(id))?.mail.some(isNews)) return [];
  let told: string[] = [];
  await registry.update(id, (known) => {
    told = known?.mail.filter(isNews).map(({ text }) => text) ?? [];
    return known && { ...known, mail: known.mail.filter((mail) => !isNews(mail)) };
  });
  return told;
}
