import { join } from "node:path";
import type { ToApi } from "../../../box/needs.ts";
import { codexHome } from "../transcripts.ts";
import { ASKS_NOBODY, CONFIG, KEY, SIGN_IN, TOKEN, textOf } from "./needs.ts";
import { isUsual, providerIn, tablesIn } from "./provider.ts";

/**
 * The settings that lead Codex to its model in a box, for a program that starts it by itself: it cannot be given any on a command
 * line then.
 */
export function codexFilesToApi(env: Record<string, string>, { port, token }: ToApi): Record<string, string> {
  const home = codexHome(env);
  const settings = textOf(join(home, CONFIG));
  const { id } = providerIn(settings);
  const address = `"http://127.0.0.1:${port}"`;
  const quiet = ASKS_NOBODY.filter(
    (line) => !new RegExp(`^\\s*\\[?\\s*${line.split(/[.=]/)[0]}\\b`, "m").test(settings),
  );
  if (isUsual(id)) {
    const without = settings.replace(/^\s*(?:openai_base_url|cli_auth_credentials_store)\s*=.*$/gm, "");
    const led = [`openai_base_url=${address}`, `cli_auth_credentials_store="file"`, ...quiet, without];
    return { [join(home, CONFIG)]: led.join("\n"), [join(home, SIGN_IN)]: JSON.stringify({ [KEY]: token }) };
  }
  const [head, ...tables] = tablesIn(settings).map(({ name, text }) =>
    name === id ? ledTo(text, address) : text,
  );
  return { [join(home, CONFIG)]: [...quiet, head, ...tables].join("\n") };
}

/** The table of a provider, with another address and another variable for its key. */
function ledTo(table: string, address: string): string {
  const rest = table.replace(/^\s*(?:base_url|env_key|requires_openai_auth)\s*=.*$/gm, "");
  return `${rest.trimEnd()}\nbase_url=${address}\nenv_key="${TOKEN}"\n`;
}
