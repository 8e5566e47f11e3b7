import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../../processes/run.ts";
import { fromJson, isFields } from "../../util/json.ts";
import type { Readiness } from "../agent.ts";
import { LIMIT_MS, NOWHERE, notFound, type OwnProgram, placeOf, tooOld } from "../process/own-program.ts";
import { packagedVersion } from "../process/packaged-version.ts";
import { piHome } from "./transcript.ts";

export const NAME = "pi";
const PACKAGE = "@earendil-works/pi-coding-agent";
const INSTALL = `npm install -g ${PACKAGE}`;

/** The user's own. */
export const PI: OwnProgram = {
  name: NAME,
  command: "pi",
  onWindows: "pi.cmd",
  install: INSTALL,
  // Nothing but the number.
  says: /^\d+\.\d+\.\d+/,
  // The first that Baton was tried with. Earlier ones have no exact boundaries for extensions.
  oldest: "0.87.0",
  update: `\`pi update self\` or \`${INSTALL}\``,
};

export async function versionOf(program: string | undefined): Promise<string | undefined> {
  return program === undefined ? undefined : packagedVersion(program, PACKAGE);
}

export async function piReadiness({
  env,
  executable,
}: {
  env: Record<string, string>;
  executable?: string;
}): Promise<Readiness> {
  const program = placeOf(PI, env, executable);
  if (program === undefined) return notFound(PI, executable);
  const unfit = tooOld(PI, await versionOf(program), program);
  if (unfit) return { state: "no-program", ...unfit };
  const credentials = await credentialsOf(env, program);
  if (credentials !== undefined) return { state: "ready", program, credentials };
  return {
    state: "no-credentials",
    program,
    problem: `${NAME} has no credentials.`,
    fix: "Start `pi` once and sign in there with /login, or set the key of a provider, such as ANTHROPIC_API_KEY.",
  };
}

/** Variables by which most people sign in. pi knows more, and is asked about them. */
const KEYS = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_OAUTH_TOKEN",
  "OPENAI_API_KEY",
  "GEMINI_API_KEY",
  "OPENROUTER_API_KEY",
  "GROQ_API_KEY",
  "XAI_API_KEY",
  "MISTRAL_API_KEY",
  "DEEPSEEK_API_KEY",
];

/** What the agent will sign in with, or undefined. The program itself is only asked where nothing else tells. */
async function credentialsOf(env: Record<string, string>, program: string): Promise<string | undefined> {
  const variable = KEYS.find((name) => env[name]) ?? (await keyOfModels(env));
  if (variable) return variable;
  const signedIn = await jsonIn(join(piHome(env), "auth.json"));
  if (isFields(signedIn) && Object.keys(signedIn).length > 0) {
    return `your sign-in to ${Object.keys(signedIn).join(", ")}`;
  }
  const { ok, stdout } = await run(program, ["--list-models"], { timeoutMs: LIMIT_MS, env, cwd: NOWHERE });
  return ok && stdout.trim() !== "" && !stdout.startsWith("No models available")
    ? "what pi found by itself"
    : undefined;
}

/** The variable that a provider of the user's own takes its key from, or that there is a key. */
async function keyOfModels(env: Record<string, string>): Promise<string | undefined> {
  const models = await jsonIn(join(piHome(env), "models.json"));
  const providers = isFields(models) && isFields(models.providers) ? Object.entries(models.providers) : [];
  for (const [name, provider] of providers) {
    const key = isFields(provider) && typeof provider.apiKey === "string" ? provider.apiKey : "";
    const [, variable] = /^\$\{?(\w+)\}?$/.exec(key) ?? [];
    if (variable !== undefined ? env[variable] : key !== "")
      return variable ?? `the key of ${name} in models.json`;
  }
  return undefined;
}

async function jsonIn(path: string): Promise<unknown> {
  return fromJson(await readFile(path, "utf8").catch(() => ""));
}
