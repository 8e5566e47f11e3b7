import { launchHere } from "../../app/sessions/launch.ts";

/** Becomes the program that a file describes: in its folder, with its environment, in this terminal. */
export async function internalLaunch(path: string): Promise<number> {
  const { program, args, cwd, env } = await launchHere(path, process.env);
  process.chdir(cwd);
  process.removeAllListeners("warning");
  process.execve?.(program, [program, ...args], env);
  throw new Error("This Node cannot replace itself with another program: it needs 22.15 or newer.");
}
