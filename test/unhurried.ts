import type { Scenario } from "../src/simulator/scenario.ts";
import { type Baton, ofType, SMALL_WINDOW } from "./harness.ts";

/**
 * As a model is that needs longer for an answer than a program for the end of its turn: where Baton ends the turn, because the window
 * is full, the answer never comes.
 */
export function unhurried({ otherwise, ...scenario }: Scenario, underWay: () => Baton | undefined): Scenario {
  return {
    ...scenario,
    async otherwise(request) {
      const reply = typeof otherwise === "function" ? await otherwise(request) : (otherwise ?? {});
      const running = underWay();
      if (!running || request.turns === 0 || request.text.includes("<handoff-request>")) return reply;
      const session = ofType(running.events, "session:starting").at(-1)?.session;
      const ofSession = <T extends { session: string }>(events: T[]) =>
        events.filter((event) => event.session === session);
      const responses = () => ofSession(ofType(running.events, "response"));
      const ended = () => ofSession(ofType(running.events, "tool:end"));
      await running.event(
        () => responses().length >= request.turns && ended().length >= request.results.length,
      );
      const { tokens = 0 } = responses().at(-1)?.context ?? {};
      return tokens < SMALL_WINDOW ? reply : { fault: { kind: "stall", at: "start" } };
    },
  };
}
