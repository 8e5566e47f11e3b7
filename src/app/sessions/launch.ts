import type { Launch } from "../../agents/claude/own/launch.ts";
import { takeLaunch } from "../../sessions/terminal/launch.ts";

/** The program that a file describes, to be started in this terminal. The file is gone afterwards. */
export async function launchHere(path: string, env: NodeJS.ProcessEnv): Promise<Launch> {
  const launch = await takeLaunch(path);
  const { TMUX, TMUX_PANE, TERM } = env;
  const ours = Object.entries({ TMUX, TMUX_PANE, TERM }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return { ...launch, env: { ...launch.env, ...Object.fromEntries(ours) } };
}
