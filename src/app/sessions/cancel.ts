import { cancelledText } from "../../sessions/hooks/answer-texts.ts";
import {
  type CancelledHandoff,
  cancelled,
  type SessionHandoff,
} from "../../sessions/record/handoff-state.ts";
import { userRegistry } from "../../sessions/record/registry.ts";

interface CancelledOwn {
  session: string;
  cancelled: boolean;
  message: string;
}

/** Fewer characters of an id may be meant for a job. */
const LEAST_OF_ID = 4;

/** Cancels the handoff of a person's own session, by the beginning of its id. Undefined where no open one is named so. */
export async function cancelOwn(named: string): Promise<CancelledOwn | undefined> {
  if (named.length < LEAST_OF_ID) return undefined;
  const registry = userRegistry();
  const open = (await registry.list()).filter(({ id, ended }) => ended === null && id.startsWith(named));
  const [session, ...others] = open;
  if (!session || others.length > 0) return undefined;
  let before: SessionHandoff | null = null;
  let handoff: CancelledHandoff | undefined;
  await registry.update(session.id, (known) => {
    if (!known) return undefined;
    const { figure, reading } = known;
    const seen = figure && reading && { percent: Math.floor(figure.percent), turns: reading.context.turns };
    before = known.handoff;
    handoff = cancelled(known.handoff, new Date().toISOString(), seen ?? undefined);
    return handoff && { ...known, handoff };
  });
  const message = cancelledText({ say: "cancelled", handoff, before });
  return { session: session.id, cancelled: handoff !== undefined, message };
}
