import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { BoxNeeds } from "../../box/needs.ts";
import type { Meter } from "../../box/proxy/api-door.ts";
import { fromJson, isFields } from "../../util/json.ts";
import { costAt } from "../price.ts";
import { claudeHome } from "./transcripts.ts";
import { tokensIn } from "./usage.ts";
import { claudeModels } from "./windows.ts";

const KEY = "ANTHROPIC_API_KEY";
const TOKEN = "ANTHROPIC_AUTH_TOKEN";
const ADDRESS = "ANTHROPIC_BASE_URL";
const API_HOST = "api.anthropic.com";
/** What the program calls the socket. */
const INSIDE = "model.baton.internal";
/** All that the program signs in with. */
const CREDENTIALS = [
  KEY,
  TOKEN,
  "CLAUDE_CODE_OAUTH_TOKEN",
  "ANTHROPIC_CUSTOM_HEADERS",
  "AWS_BEARER_TOKEN_BEDROCK",
];
const ELSEWHERE = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];
/** What a person has written for the program, and holds no credentials. Settings can hold some, and name programs. */
const OF_THE_PERSON = ["CLAUDE.md", "rules", "agents", "commands", "skills", "output-styles"];
/** A longer name is cut by a rule that is the program's own. */
const LONGEST_NAME = 200;

/** What Claude Code needs in a box: its program, what a person wrote for it, and the folder of its transcripts. */
export function claudeBoxNeeds(
  { env, cwd, program }: { env: Record<string, string>; cwd: string; program: string },
  asksLoopback: boolean,
): BoxNeeds {
  const home = claudeHome(env);
  const transcripts = transcriptFolder(home, cwd);
  return {
    program,
    readable: [...OF_THE_PERSON.map((name) => join(home, name)).filter(existsSync)],
    writable: [transcripts],
    memory: [home],
    // A container is what the program means by it: it may do everything there, as root, too.
    env: {
      CLAUDE_CONFIG_DIR: home,
      IS_SANDBOX: "1",
      DISABLE_AUTOUPDATER: "1",
      // It could not reach its makers anyway, and each attempt would be told as one of the agent's.
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
    credentials: CREDENTIALS,
    signInFiles: [],
    api: doorFor(env),
    // Over a socket it speaks no TLS. By its maker's own name it would ask for settings there, past the socket, for 20 s.
    toApi: ({ socket, token }) => ({
      ANTHROPIC_UNIX_SOCKET: socket,
      [KEY]: token,
      [ADDRESS]: `http://${INSIDE}`,
    }),
    direct: [INSIDE],
    asksLoopback,
  };
}

/** By the program's own rule, where that is simple. */
function transcriptFolder(home: string, cwd: string): string {
  const folder = existsSync(cwd) ? realpathSync(cwd) : cwd;
  const name = folder.replace(/[^a-zA-Z0-9]/g, "-");
  return join(home, "projects", ...(name.length > LONGEST_NAME ? [] : [name]));
}

function doorFor(env: Record<string, string>): BoxNeeds["api"] {
  const headers = signIn(env);
  if (!headers || ELSEWHERE.some((name) => env[name])) {
    return {
      problem: `With docker.network: api, Baton signs in for the agent, and it can do so only with ${KEY} or ${TOKEN}.`,
      fix: `Set one of them, or docker.network to bridge, or to host with bwrap: the agent then signs in by itself.`,
    };
  }
  return {
    upstream: env[ADDRESS] ?? `https://${API_HOST}`,
    headers,
    tokenHeaders: ["x-api-key", "authorization"],
    meter: () => new MessagesMeter(),
    refusal: (message) => JSON.stringify({ type: "error", error: { type: "permission_error", message } }),
  };
}

function signIn(env: Record<string, string>): Record<string, string> | undefined {
  if (env[KEY]) return { "x-api-key": env[KEY] };
  return env[TOKEN] ? { authorization: `Bearer ${env[TOKEN]}` } : undefined;
}

const DATA = "data:";

/** Reads what answers of the API cost: of one that streams, from the events that say so. */
class MessagesMeter implements Meter {
  #rest = "";
  #model = "";
  #usage: Record<string, unknown> = {};

  read(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#take(line);
    // An answer that does not stream is one line, which nothing ends.
    if (this.#rest.startsWith("{")) this.#take(this.#rest);
  }

  get costUsd(): number {
    const usage = tokensIn(this.#usage);
    const price = claudeModels.priceOf(this.#model, usage.input + usage.cacheRead + usage.cacheWrite);
    return price ? costAt(price, usage) : 0;
  }

  #take(line: string): void {
    if (!line.includes('"usage"')) return;
    const told = fromJson(line.startsWith(DATA) ? line.slice(DATA.length) : line);
    if (!isFields(told)) return;
    const { message = told } = told;
    if (!isFields(message)) return;
    if (typeof message.model === "string") this.#model = message.model;
    if (isFields(message.usage)) this.#usage = { ...this.#usage, ...message.usage };
  }
}
