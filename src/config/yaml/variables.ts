import { inUnits } from "../../files/bounded-file.ts";
import { CONFIG_LIMITS } from "../limits.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Why a text with variables has no value: the end of a sentence that begins with the name of its key. */
export interface Unresolved {
  message: string;
  fix: string;
}

export interface Expanded {
  value: string;
  written?: string;
  unresolved?: Unresolved;
}

const LITERAL = "$${";
const VARIABLE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const NAME_AND_DEFAULT = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

/** `${NAME}` and `${NAME:-default}` as the environment has them. `$${` stands for `${` itself. */
export function expand(text: string, env: Environment): Expanded {
  if (!text.includes("${")) return { value: text };
  let unresolved: Unresolved | undefined;
  let added = 0;
  const value = text.replace(VARIABLE, (whole: string, inside: string, closed: string) => {
    if (whole === LITERAL) return "${";
    const found = added > CONFIG_LIMITS.expanded ? TOO_LONG : closed ? lookUp(inside, env) : NEVER_CLOSED;
    if (typeof found === "string") {
      added += found.length;
      return found;
    }
    unresolved ??= found;
    return whole;
  });
  return { value, written: text, ...(unresolved && { unresolved }) };
}

const TOO_LONG: Unresolved = {
  message: `grows beyond ${inUnits(CONFIG_LIMITS.expanded)} with its variables`,
  fix: "use fewer variables, or shorter ones",
};

const NEVER_CLOSED: Unresolved = {
  message: "has a ${ that is never closed",
  fix: "close it with }, or write $${ for the characters ${",
};

function lookUp(inside: string, env: Environment): string | Unresolved {
  const [, name, otherwise] = NAME_AND_DEFAULT.exec(inside) ?? [];
  if (otherwise?.includes("${")) {
    return { message: "has a variable within a variable", fix: "give the default as plain text" };
  }
  if (name === undefined) {
    const shown = inside.length > 40 ? `${inside.slice(0, 40)}…` : inside;
    return {
      message: `has \${${shown}}, which is not the name of a variable`,
      fix: `write \${NAME} or \${NAME:-default}, or $\${ for the characters \${`,
    };
  }
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (otherwise !== undefined) return value || otherwise;
  if (value !== undefined) return value;
  return {
    message: `needs the environment variable ${name}, which is not set`,
    fix: `set ${name}, or give a default: \${${name}:-…}`,
  };
}
