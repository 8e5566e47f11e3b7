import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { newToken } from "../src/app/access/tokens.ts";
import { type Client, createClient } from "../src/client.ts";
import { openAccessState } from "../src/store/sqlite/access-state.ts";
import { agreeIn } from "../test/agree.ts";
import type { ServeUse } from "./serve-process.ts";

/** A server in a process of its own. */
export interface BenchServer extends AsyncDisposable {
  url: string;
  use(): Promise<ServeUse>;
}

export async function servedFolders(...folders: string[]): Promise<BenchServer> {
  const { PATH = "", HOME = "", XDG_STATE_HOME = "" } = process.env;
  for (const folder of folders) agreeIn({ folder, env: { PATH, HOME, XDG_STATE_HOME } });
  const child = fork(fileURLToPath(new URL("./serve-process.ts", import.meta.url)), folders, {
    execArgv: ["--expose-gc"],
  });
  const ended = once(child, "exit");
  const url = await answerOf<string>(child, ended);
  return {
    url,
    use() {
      child.send("use");
      return answerOf<ServeUse>(child, ended);
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

async function answerOf<T>(child: ChildProcess, ended: Promise<unknown>): Promise<T> {
  const gone = ended.then(() => Promise.reject(new Error("The server has ended.")));
  const [answer] = await Promise.race([once(child, "message"), gone]);
  return answer;
}

/** A token for the project of this folder. */
export function tokenFor(folder: string): string {
  using state = openAccessState();
  const wanted = { name: folder.slice(-80), scopes: ["view"] as const, projects: [folder] };
  return newToken(state, "token", wanted, new Date()).secret;
}

/** With a token for the project of this folder. */
export function clientFor({ url }: BenchServer, folder: string): Client {
  return createClient({ url, token: tokenFor(folder) });
}
