/** By whom the models of a `config.toml` are served, as far as it says so. */
export interface Provider {
  /** By which transcripts know it. */
  id: string;
  isOwn: boolean;
  address: string | undefined;
  /** The variable that holds its key. */
  variable: string | undefined;
  /** By something that is not that key alone, or that the file itself holds. */
  signsInOtherwise: boolean;
}

const USUAL = "openai";
const OTHERWISE =
  /^\s*(?:experimental_bearer_token|(?:env_)?http_headers|auth)\b|^\s*\[[^\]]*\.\s*(?:(?:env_)?http_headers|auth)\s*\]/m;

/** The few lines that matter, of a file in TOML. */
export function providerIn(config: string): Provider {
  const [{ text: head } = { text: "" }, ...tables] = tablesIn(config);
  const id = textAt(head, "model_provider");
  const own = id === undefined ? undefined : tables.find(({ name }) => name === id)?.text;
  const ofIt = tables
    .flatMap(({ name, text }) => (name?.startsWith(`${id}.`) ? [text] : []))
    .concat(own ?? []);
  return {
    id: id ?? USUAL,
    isOwn: own !== undefined,
    address: own === undefined ? textAt(head, "openai_base_url") : textAt(own, "base_url"),
    variable: own && textAt(own, "env_key"),
    signsInOtherwise: ofIt.some((table) => OTHERWISE.test(table)),
  };
}

export function isUsual(id: string): boolean {
  return id === USUAL;
}

/** What stands before the first table of a file in TOML, then each of them. Only providers have a name here. */
export function tablesIn(config: string): { name: string | undefined; text: string }[] {
  return config.split(/^(?=\s*\[)/m).map((text) => ({ name: nameOf(text), text }));
}

function nameOf(table: string): string | undefined {
  const [, name] = /^\s*\[\s*model_providers\s*\.\s*([^\]]+?)\s*\]/.exec(table) ?? [];
  return name?.replaceAll(/["']/g, "");
}

function textAt(text: string, key: string): string | undefined {
  return new RegExp(`^\\s*${key}\\s*=\\s*["']([^"']+)["']`, "m").exec(text)?.[1];
}
