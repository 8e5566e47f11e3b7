import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** `$XDG_STATE_HOME/baton`: everything of one user that is not of one project. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  const given = env.XDG_STATE_HOME ?? "";
  return join(isAbsolute(given) ? given : join(env.HOME || homedir(), ".local", "state"), "baton");
}
