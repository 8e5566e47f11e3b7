import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Box } from "../../../box/box.ts";
import { real } from "../../../box/git-mounts.ts";
import type { BoxNeeds } from "../../../box/needs.ts";
import { fromJson, isFields } from "../../../util/json.ts";
import type { BoxSetting } from "../../agent.ts";
import { doorTo } from "../../box/dialects.ts";
import { atOwnPrices } from "../../price.ts";
import { codexModels } from "../models.ts";
import { codexHome, SESSIONS } from "../transcripts.ts";
import { isUsual, type Provider, providerIn } from "./provider.ts";
import { sessionsInside } from "./sessions-inside.ts";

export const KEY = "OPENAI_API_KEY";
const ADDRESS = "https://api.openai.com/v1";
export const CONFIG = "config.toml";
export const SIGN_IN = "auth.json";
/** The variable inside that holds what the proxy asks for. */
export const TOKEN = "BATON_MODEL_TOKEN";
/** It could not reach its makers anyway, and each attempt would be told as one of the agent's. */
export const ASKS_NOBODY = [
  "check_for_update_on_startup=false",
  "analytics.enabled=false",
  "features.plugins=false",
  "features.apps=false",
];
/** What a person has written for the program. */
const OF_THE_PERSON = [CONFIG, "AGENTS.md", "AGENTS.override.md", "prompts", "skills", "rules"];

/** What Codex needs in a box: its program, what a person wrote for it, and the folder of its transcripts. */
export function codexBoxNeeds({
  env,
  cwd,
  prices,
  program,
}: Pick<BoxSetting, "env" | "cwd" | "prices"> & { program: string }): BoxNeeds {
  const home = codexHome(env);
  const provider = providerIn(textOf(join(home, CONFIG)));
  return {
    program,
    readable: OF_THE_PERSON.map((name) => join(home, name)).filter(existsSync),
    writable: [{ path: sessionsInside(env, real(cwd)), inside: join(home, SESSIONS) }],
    memory: [home],
    env: { CODEX_HOME: home },
    credentials: [KEY, "CODEX_API_KEY", ...(provider.variable === undefined ? [] : [provider.variable])],
    signInFiles: [join(home, SIGN_IN)].filter(existsSync),
    api: doorFor(env, home, provider, prices),
    toApi: ({ token }) => ({ [TOKEN]: token }),
    direct: [],
    asksModelBy: "port",
    asksBaton: false,
  };
}

/**
 * What leads the program to its model in a box, and keeps the name of who serves it: a transcript holds it, and is resumed
 * without the box as well.
 */
export function towardsModel(env: Record<string, string>, { port }: NonNullable<Box["model"]>): string[] {
  const { id } = providerIn(textOf(join(codexHome(env), CONFIG)));
  const address = `"http://127.0.0.1:${port}"`;
  const settings = isUsual(id)
    ? [`openai_base_url=${address}`, `cli_auth_credentials_store="file"`]
    : [
        `model_providers={${JSON.stringify(id)}={base_url=${address},env_key="${TOKEN}",requires_openai_auth=false}}`,
      ];
  return [...settings, ...ASKS_NOBODY].flatMap((setting) => ["-c", setting]);
}

function doorFor(
  env: Record<string, string>,
  home: string,
  provider: Provider,
  prices: BoxSetting["prices"],
): BoxNeeds["api"] {
  const found = signIn(env, home, provider);
  if ("problem" in found) return found;
  const { priceOf } = atOwnPrices(codexModels, prices);
  return doorTo("responses", { upstream: provider.address ?? ADDRESS, key: found.key, priceOf });
}

function signIn(
  env: Record<string, string>,
  home: string,
  { id, isOwn, address, variable, signsInOtherwise }: Provider,
): { key: string | undefined } | { problem: string; fix: string } {
  const cannot = (why: string) => ({
    problem: `With docker.network: api, Baton signs in for the agent, and ${why}`,
    fix: "Set docker.network to bridge, or to host with bwrap: the agent then signs in by itself.",
  });
  if (!isOwn && !isUsual(id)) return cannot(`it does not know how the provider ${id} is reached.`);
  if (isOwn && address === undefined) return cannot(`${CONFIG} has no base_url of the provider ${id}.`);
  if (signsInOtherwise) return cannot(`the provider ${id} of ${CONFIG} signs in by more than an env_key.`);
  const key = isOwn ? variable && env[variable] : keptKey(home);
  if (key) return { key };
  if (isOwn && variable === undefined) return { key: undefined };
  if (variable !== undefined) return { ...cannot(`${variable} is not set.`), fix: `Set ${variable}.` };
  const { problem, fix } = cannot("it can do so only with an API key, not with a ChatGPT account.");
  return {
    problem,
    fix: `Sign in with \`printenv ${KEY} | codex login --with-api-key\`. Without a key: ${fix}`,
  };
}

/** Undefined where a person signed in with an account, whose tokens only the program itself can renew. */
function keptKey(home: string): string | undefined {
  const kept = fromJson(textOf(join(home, SIGN_IN)));
  const isKey = isFields(kept) && !isFields(kept.tokens) && typeof kept[KEY] === "string";
  return isKey ? String(kept[KEY]) : undefined;
}

export function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
