import { takeLaunch } from "../../sessions/terminal/launch.ts";

/** Becomes the program that a file describes: in its folder, with its environment, in this terminal. */
export async function internalLaunch(path: string): Promise<number> {
  const { program, args, cwd, env } = await takeLaunch(path);
  const { TMUX, TMUX_PANE, TERM } = process.env;
  const ours = Object.entries({ TMUX, TMUX_PANE, TERM }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  process.chdir(cwd);
  process.removeAllListeners("warning");
  process.execve?.(program, [program, ...args], { ...env, ...Object.fromEntries(ours) });
  throw new Error("This Node cannot replace itself with another program: it needs 22.15 or newer.");
}
