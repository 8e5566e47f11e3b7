import { agentNamed } from "../../config/agent-named.ts";
import { triggerTokens } from "../../context/policy.ts";
import { type ContextState, initialContext } from "../../context/tracker.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { compactionOf, figureOf } from "../../sessions/watch/figure.ts";
import { callingSession, type Served } from "./served.ts";

interface ContextHere {
  session: OwnSession;
  /** Null where it has not answered yet. */
  figure: OwnSession["figure"];
  context: ContextState;
  /** How many tokens the window holds when it is handed over. */
  handoffAt: number | undefined;
}

/** How full the window of the calling session is, and when it will be handed over. */
export async function contextHere(served: Served): Promise<ContextHere> {
  const session = await callingSession(served);
  const config = await served.config();
  const { contextWindow, session: keys } = agentNamed(config);
  const { figure, reading } = figureOf(session, contextWindow);
  const context = reading?.context ?? initialContext({});
  const threshold = session.role === "orchestrator" ? config.watch.threshold : keys.threshold;
  const autoCompactThreshold = compactionOf(figure, served.env);
  const handoffAt = triggerTokens({ ...context, autoCompactThreshold }, { threshold });
  return { session, figure, context, handoffAt };
}
