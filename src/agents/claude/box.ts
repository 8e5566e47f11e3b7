import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { BoxNeeds } from "../../box/needs.ts";
import type { BoxSetting } from "../agent.ts";
import { doorTo } from "../box/dialects.ts";
import { atOwnPrices } from "../price.ts";
import { claudeHome } from "./transcripts.ts";
import { claudeModels } from "./windows.ts";

const KEY = "ANTHROPIC_API_KEY";
const TOKEN = "ANTHROPIC_AUTH_TOKEN";
/** Of a plan, and not to be renewed. */
const OWN_TOKEN = "CLAUDE_CODE_OAUTH_TOKEN";
const ADDRESS = "ANTHROPIC_BASE_URL";
const API_HOST = "api.anthropic.com";
/** What the program calls the socket. */
const INSIDE = "model.baton.internal";
/** All that the program signs in with. */
const CREDENTIALS = [KEY, TOKEN, OWN_TOKEN, "ANTHROPIC_CUSTOM_HEADERS", "AWS_BEARER_TOKEN_BEDROCK"];
const ELSEWHERE = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];
/** What a person has written for the program, and holds no credentials. Settings can hold some, and name programs. */
const OF_THE_PERSON = ["CLAUDE.md", "rules", "agents", "commands", "skills", "output-styles"];
/** A longer name is cut by a rule that is the program's own. */
const LONGEST_NAME = 200;

/** What Claude Code needs in a box: its program, what a person wrote for it, and the folder of its transcripts. */
export function claudeBoxNeeds(
  { env, cwd, program, prices }: Pick<BoxSetting, "env" | "cwd" | "prices"> & { program: string },
  asksBaton: boolean,
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
    ...(!isSignedIn(env) && { cannotSignIn: PLAN_STAYS_OUTSIDE }),
    api: doorFor(env, prices),
    // Over a socket it speaks no TLS. By its maker's own name it would ask for settings there, past the socket, for 20 s.
    toApi: ({ socket, token }) => ({
      ANTHROPIC_UNIX_SOCKET: socket,
      [KEY]: token,
      [ADDRESS]: `http://${INSIDE}`,
    }),
    direct: [INSIDE],
    asksModelBy: "socket",
    asksBaton,
  };
}

/** By the program's own rule, where that is simple. */
function transcriptFolder(home: string, cwd: string): string {
  const folder = existsSync(cwd) ? realpathSync(cwd) : cwd;
  const name = folder.replace(/[^a-zA-Z0-9]/g, "-");
  return join(home, "projects", ...(name.length > LONGEST_NAME ? [] : [name]));
}

/** Its file is not inside: a program that renewed what is in it there could sign the person out everywhere else. */
const PLAN_STAYS_OUTSIDE = {
  problem: "Claude Code would have nothing to sign in with in the container: your own sign-in stays outside.",
  fix: `Run \`claude setup-token\` and set ${OWN_TOKEN} to what it prints, or set ${KEY}.`,
};

/** By something that gets inside with it. */
function isSignedIn(env: Record<string, string>): boolean {
  return [...CREDENTIALS, ...ELSEWHERE].some((name) => env[name]);
}

function doorFor(env: Record<string, string>, prices: BoxSetting["prices"]): BoxNeeds["api"] {
  const headers = signIn(env);
  if (!headers || ELSEWHERE.some((name) => env[name])) {
    return {
      problem: `With docker.network: api, Baton signs in for the agent, and it can do so only with ${KEY} or ${TOKEN}: the tokens of a plan are for Claude Code alone.`,
      fix: `Set one of them. With a plan: run \`claude setup-token\`, set ${OWN_TOKEN} to what it prints, and docker.network to bridge, or to host with bwrap.`,
    };
  }
  const { priceOf } = atOwnPrices(claudeModels, prices);
  return doorTo("messages", { upstream: env[ADDRESS] ?? `https://${API_HOST}`, headers, priceOf });
}

function signIn(env: Record<string, string>): Record<string, string> | undefined {
  if (env[KEY]) return { "x-api-key": env[KEY] };
  return env[TOKEN] ? { authorization: `Bearer ${env[TOKEN]}` } : undefined;
}
