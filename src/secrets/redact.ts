import { secretNames } from "./names.ts";

const SECRET_NAME = /key|token|secret|password|passwd|credential|auth/i;
const SHORTEST_SECRET = 8;

/** Token shapes that are secrets whatever variable they came from. */
const SHAPES =
  /\b(?:sk-ant-[\w-]{8,}|sk-[A-Za-z0-9]{20,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|glpat-[\w-]{16,}|npm_[A-Za-z0-9]{30,}|AIza[\w-]{30,}|hf_[A-Za-z0-9]{30,}|[sr]k_live_[A-Za-z0-9]{16,}|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,})|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g;

export type Redact = <T>(value: T) => T;

/** Replaces the values of secret-looking variables, and common token shapes, in every string of a value. */
export function redactor(env: Record<string, string>): Redact {
  const known = new Set(secretNames(env));
  const isSecret = (name: string) => known.has(name) || SECRET_NAME.test(name);
  const secrets = Object.entries(env)
    .filter(([name, value]) => isSecret(name) && value.length >= SHORTEST_SECRET)
    .sort(([, a], [, b]) => b.length - a.length);

  const inText = (text: string): string => {
    let clean = text;
    for (const [name, value] of secrets) {
      if (clean.includes(value)) clean = clean.replaceAll(value, `[redacted: ${name}]`);
    }
    return clean.replace(SHAPES, "[redacted]");
  };

  const inValue = (value: unknown): unknown => {
    if (typeof value === "string") return inText(value);
    if (Array.isArray(value)) return value.map(inValue);
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inValue(inner)]));
    }
    return value;
  };
  return <T>(value: T) => inValue(value) as T;
}
