import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { BoxError } from "../../../box/error.ts";
import type { BoxNeeds, ToApi } from "../../../box/needs.ts";
import { fromJson, isFields } from "../../../util/json.ts";
import type { BoxSetting, Models } from "../../agent.ts";
import { doorTo } from "../../box/dialects.ts";
import { type ProgramInside, programInside } from "../../box/script-program.ts";
import { claudeModels } from "../../claude/windows.ts";
import { codexModels } from "../../codex/models.ts";
import { atOwnPrices } from "../../price.ts";
import { placeOf } from "../../process/own-program.ts";
import { extensionFile, sessionFolder } from "../flags.ts";
import { piModels } from "../models.ts";
import { NAME, PI } from "../program.ts";
import { piHome } from "../transcript.ts";
import { CREDENTIALS, DIALECTS, providerOf } from "./providers.ts";
import { signInOf, VARIABLE } from "./sign-in.ts";

type Fields = Record<string, unknown>;

const MODELS = "models.json";
const SIGN_IN = "auth.json";
const SETTINGS = "settings.json";
/** The variable inside that holds what the proxy asks for. */
const TOKEN = "BATON_MODEL_TOKEN";
/** What a person has written for the program, or installed into it. */
const OF_THE_PERSON = [
  SETTINGS,
  "AGENTS.md",
  "AGENTS.override.md",
  "CLAUDE.md",
  "SYSTEM.md",
  "APPEND_SYSTEM.md",
  "extensions",
  "skills",
  "prompts",
  "themes",
  "npm",
  "git",
];

/** What pi needs in a box: its program with Node, what a person wrote for it, and the folder of its transcripts. */
export function piBoxNeeds(setting: BoxSetting): BoxNeeds {
  const { env, cwd } = setting;
  const home = piHome(env);
  const { command, readable } = piInside(setting);
  const folder = existsSync(cwd) ? realpathSync(cwd) : cwd;
  return {
    program: command[0],
    readable: [
      ...readable,
      extensionFile(),
      ...OF_THE_PERSON.map((name) => join(home, name)).filter(existsSync),
    ],
    writable: [sessionFolder(home, env, folder)],
    memory: [home],
    env: {
      PI_CODING_AGENT_DIR: home,
      // It could not reach its makers anyway, and each attempt would be told as one of the agent's.
      PI_OFFLINE: "1",
      PI_TELEMETRY: "0",
    },
    credentials: credentialsIn(textOf(join(home, MODELS))),
    signInFiles: [SIGN_IN, MODELS].map((name) => join(home, name)).filter(existsSync),
    toApi: ({ token }) => ({ [TOKEN]: token }),
    direct: [],
    asksModelBy: "port",
    asksBaton: false,
    ...wayToModel(setting, home),
  };
}

/** How it is started there. */
export function piInside({
  env,
  cwd,
  executable,
}: Pick<BoxSetting, "env" | "cwd" | "executable">): ProgramInside {
  const program = placeOf(PI, env, executable);
  if (program !== undefined) return programInside(program, cwd);
  throw new BoxError(`${NAME} is not there.`, "Install it, or set `executable` to your pi.", "enabled");
}

function wayToModel(
  { env, model: asked, prices }: BoxSetting,
  home: string,
): Pick<BoxNeeds, "api" | "filesToApi"> {
  const settings = fieldsIn(fromJson(textOf(join(home, SETTINGS))));
  const [, id, model = ""] =
    /^([^/]+)\/(.+)$/.exec(asked ?? `${settings.defaultProvider ?? ""}/${settings.defaultModel ?? ""}`) ?? [];
  const cannot = (why: string) => ({
    api: {
      problem: `With docker.network: api, Baton signs in for the agent, and ${why}.`,
      fix: "Set docker.network to bridge, or to host with bwrap: the agent then signs in by itself.",
    },
  });
  if (id === undefined) return cannot("the model does not say whose it is: write it as provider/model");
  const own = fieldsIn(fieldsIn(fieldsIn(fromJson(textOf(join(home, MODELS)))).providers)[id]);
  const defined = definitionIn(own, model);
  const known = providerOf(id, model);
  const upstream = text(defined.baseUrl) ?? text(own.baseUrl) ?? known?.upstream;
  const api = text(defined.api) ?? text(own.api);
  const dialect = api === undefined ? known?.dialect : DIALECTS[api];
  if (upstream === undefined) return cannot(`it does not know how the provider ${id} is reached`);
  if (dialect === undefined) return cannot(`it does not know the API of the provider ${id}`);
  const kept = fieldsIn(fromJson(textOf(join(home, SIGN_IN))))[id];
  const signIn = signInOf({ kept, own, model: defined, variables: known?.variables ?? [], env });
  if ("cannot" in signIn) return cannot(signIn.cannot);
  const { priceOf } = atOwnPrices({ ...piModels, priceOf: listed(own) }, prices);
  return {
    api: doorTo(dialect, { upstream, ...signIn, priceOf }),
    filesToApi: (way) => ({ [join(home, MODELS)]: JSON.stringify({ providers: { [id]: ledTo(own, way) } }) }),
  };
}

/** The provider as it is inside: its models, without what signs in to them. */
function ledTo(
  { apiKey: _key, headers: _headers, authHeader: _auth, oauth: _oauth, models, ...rest }: Fields,
  { port }: ToApi,
): Fields {
  const plain = (Array.isArray(models) ? models : []).map((model) => {
    const { headers, baseUrl, ...meant } = fieldsIn(model);
    return meant;
  });
  const overrides = Object.entries(fieldsIn(rest.modelOverrides)).map(([id, override]) => {
    const { headers, ...meant } = fieldsIn(override);
    return [id, meant];
  });
  return {
    ...rest,
    ...(plain.length > 0 && { models: plain }),
    ...(overrides.length > 0 && { modelOverrides: Object.fromEntries(overrides) }),
    baseUrl: `http://127.0.0.1:${port}`,
    apiKey: `$${TOKEN}`,
  };
}

/** By `models.json`, or by the list of who makes the model. */
function listed(own: Fields): Models["priceOf"] {
  return (model, prompt) => {
    const { input, output, cacheRead, cacheWrite } = fieldsIn(definitionIn(own, model).cost);
    const [a, b, c, d] = [input, output, cacheRead, cacheWrite].map((each) =>
      typeof each === "number" ? each : 0,
    );
    if (a) return { input: a, output: b ?? 0, cacheRead: c ?? 0, cacheWrite5m: d ?? 0, cacheWrite1h: d ?? 0 };
    const name = model.replace(/^.*\//, "");
    return claudeModels.priceOf(name, prompt) ?? codexModels.priceOf(name, prompt);
  };
}

function definitionIn({ models }: Fields, model: string): Fields {
  const plain = piModels.windowKey(model);
  return fieldsIn((Array.isArray(models) ? models : []).find((each) => fieldsIn(each).id === plain));
}

/** All of them: the agent could sign in to others than the one of its model. */
function credentialsIn(models: string): string[] {
  const named = [...models.matchAll(VARIABLE)].map(([, braced, plain]) => braced ?? plain ?? "");
  return [...new Set([...named, ...CREDENTIALS])];
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function fieldsIn(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
