import { readFile } from "node:fs/promises";
import { join, parse } from "node:path";
import { run } from "../../processes/run.ts";
import { fromJson, isFields } from "../../util/json.ts";
import { providerIn } from "./box/provider.ts";
import { codexHome } from "./transcripts.ts";

const LIMIT_MS = 20_000;

type Found = { signsInWith: string; plan?: true } | { fix: string };

/**
 * What the program will sign in with: by a provider of the user's own, by what it keeps of an earlier sign-in, or by what it says
 * itself, which takes the longest.
 */
export async function credentialsOf(env: Record<string, string>, program: string): Promise<Found> {
  const home = codexHome(env);
  const { variable } = providerIn(await textOf(join(home, "config.toml")));
  if (variable !== undefined) {
    if (env[variable]) return { signsInWith: variable };
    return { fix: `Set ${variable}, with which your provider lets it sign in.` };
  }
  const kept = fromJson(await textOf(join(home, "auth.json")));
  if (isFields(kept) && isFields(kept.tokens)) return { signsInWith: "your ChatGPT account", plan: true };
  if (isFields(kept) && typeof kept.OPENAI_API_KEY === "string")
    return { signsInWith: "the API key that Codex keeps" };
  const cwd = parse(process.execPath).root;
  const { ok, stdout, said } = await run(program, ["login", "status"], { timeoutMs: LIMIT_MS, env, cwd });
  if (!ok)
    return {
      fix: "Start `codex` once and sign in there, or give it a key: `printenv OPENAI_API_KEY | codex login --with-api-key`.",
    };
  const isPlan = /chatgpt/i.test(`${stdout}${said}`);
  return isPlan
    ? { signsInWith: "your ChatGPT account", plan: true }
    : { signsInWith: "the API key that Codex keeps" };
}

/** Whom Codex works for, as far as its files tell. */
export async function codexSignIn(env: Record<string, string>): Promise<string[]> {
  const home = codexHome(env);
  const { variable } = providerIn(await textOf(join(home, "config.toml")));
  if (variable !== undefined) return ["codex", home, variable, env[variable] ?? ""];
  const kept = fromJson(await textOf(join(home, "auth.json")));
  const account = isFields(kept) && isFields(kept.tokens) ? kept.tokens.account_id : undefined;
  return ["codex", typeof account === "string" ? account : home];
}

function textOf(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
