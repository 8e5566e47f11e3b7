import { pausesIn } from "../../../store/fleet/pauses.ts";
import type { Bar, BarContext } from "../bars.ts";

/** A queue, or an agent's part of it, that somebody paused. */
export function barOfPauses({ state }: Pick<BarContext, "state">): Bar {
  const pauses = state ? pausesIn(state) : [];
  return ({ project, agent }) => {
    const pause = pauses.find((each) => each.project === project && (each.agent ?? agent) === agent);
    if (!pause) return undefined;
    const [what, command] = pause.agent === null ? ["the queue is", ""] : [`${agent} is`, ` ${agent}`];
    return { code: "paused", text: `${what} paused since ${pause.since}: baton queue resume${command}` };
  };
}
