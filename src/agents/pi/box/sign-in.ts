import { isFields } from "../../../util/json.ts";

/** What a provider is signed in to with, outside: a key, or headers that the user wrote. */
export type SignIn =
  | { key: string | undefined; headers: Record<string, string> }
  /** Why Baton cannot do it in pi's place. */
  | { cannot: string };

interface Written {
  /** What pi keeps of an earlier sign-in to the provider. */
  kept: unknown;
  /** The provider in `models.json`, and the model there. */
  own: Record<string, unknown>;
  model: Record<string, unknown>;
  variables: readonly string[];
  env: Record<string, string>;
}

/** In pi's own order: what it keeps, what `models.json` says, and the environment. */
export function signInOf({ kept, own, model, variables, env }: Written): SignIn {
  if (isFields(kept) && kept.type === "oauth") {
    return { cannot: "it can do so only with an API key, not with a subscription that pi is signed in to" };
  }
  const [variable = ""] = variables;
  const written = isFields(kept) ? kept.key : own.apiKey;
  const key = written === undefined ? env[variable] : resolved(written, env);
  const headers: Record<string, string> = {};
  for (const [name, value] of [...fieldsIn(own.headers), ...fieldsIn(model.headers)]) {
    const text = resolved(value, env);
    if (text === undefined)
      return {
        cannot: `the header ${name} of models.json is the output of a command, or of a variable that is not set`,
      };
    headers[name.toLowerCase()] = text;
  }
  if (key)
    return {
      key,
      headers: own.authHeader === true ? { authorization: `Bearer ${key}`, ...headers } : headers,
    };
  if (written !== undefined)
    return { cannot: "its key is the output of a command, or of a variable that is not set" };
  if (Object.keys(headers).length > 0) return { key: undefined, headers };
  return { cannot: variable === "" ? "it has no key" : `${variable} is not set` };
}

/** As pi reads it: `$NAME` stands for a variable, and what begins with `!` for the output of a command, which only pi runs. */
function resolved(written: unknown, env: Record<string, string>): string | undefined {
  if (typeof written !== "string" || written.startsWith("!")) return undefined;
  const names = [...written.matchAll(VARIABLE)].map(([, braced, plain]) => braced ?? plain ?? "");
  if (names.some((name) => !env[name])) return undefined;
  return written.replaceAll(VARIABLE, (_, braced, plain) => env[braced ?? plain] ?? "");
}

export const VARIABLE = /\$(?:\{(\w+)\}|(\w+))/g;

function fieldsIn(value: unknown): [string, unknown][] {
  return isFields(value) ? Object.entries(value) : [];
}
