import { pausesIn } from "../../../store/fleet/pauses.ts";
import { localMinute } from "../../../util/time.ts";
import type { Bar, BarContext } from "../bars.ts";

/** A queue, or an agent's part of it, that somebody paused. */
export function barOfPauses({ state }: Pick<BarContext, "state">): Bar {
  const pauses = state ? pausesIn(state) : [];
  return ({ project, agent }) => {
    const pause = pauses.find((each) => each.project === project && (each.agent ?? agent) === agent);
    if (!pause) return undefined;
    const [what, command] = pause.agent === null ? ["the queue has", ""] : [`${agent} has`, ` ${agent}`];
    const since = localMinute(new Date(pause.since));
    return { code: "paused", text: `${what} been paused since ${since}: baton queue resume${command}` };
  };
}
