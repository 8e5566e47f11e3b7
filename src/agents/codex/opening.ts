import { stripVTControlCharacters } from "node:util";
import { version } from "../../version.ts";
import type { AgentEvent } from "../events.ts";
import { tooOld, versionIn } from "../process/own-program.ts";
import type { Connection } from "./connection.ts";
import { CODEX, INSTALL, NAME } from "./program.ts";

/** Says who we are, and returns who the program is: one that is too old is refused. `key`: what it is to sign in with. */
export async function introduced(connection: Connection, key?: string): Promise<string> {
  const { userAgent } = await connection.ask("initialize", {
    clientInfo: { name: "baton", title: "Baton", version: version() },
    capabilities: { experimentalApi: true },
  });
  const theirs = versionIn(String(userAgent));
  const unfit = tooOld(CODEX, theirs);
  if (unfit) throw new Error(`${unfit.problem} ${unfit.fix}`);
  connection.tell("initialized");
  if (key !== undefined) await connection.ask("account/login/start", { type: "apiKey", apiKey: key });
  return [NAME, theirs].filter(Boolean).join(" ");
}

/** The end of a turn for good: trying again would not change it. */
export function* failing(code: string, message: string): Generator<AgentEvent> {
  yield { type: "turn:end", outcome: { kind: "failed", code, message, retryable: false }, windows: {} };
  yield { type: "idle" };
}

/** Why a program ended that did not even begin, without the trace of its calls. */
export function lastWords(said = ""): string {
  const [words = ""] = stripVTControlCharacters(said).split(/\n+Stack backtrace:/);
  const ended = `${NAME} ended before it could begin`;
  return words === "" ? ended : `${ended}: ${words.trim()}`;
}

export function withoutHooks({ program }: Connection): string {
  return `${NAME} at ${program.child.spawnfile} does not run the hooks that Baton gives it, so it could not be stopped where its work is safe. Update it with \`${INSTALL}@latest\`, and see whether its settings turn hooks off.`;
}
