const SHORTEST = 6;
const SHORTEST_PART = 8;

/**
 * Takes secrets out of a text that somebody else wrote: a server may well repeat what it was sent. Of a value like
 * `Bearer abc…` the parts count too. `cut` says that the text breaks off, perhaps in the middle of one.
 */
export function withhold(text: string, secrets: readonly string[], cut = false): string {
  const all = secrets
    .flatMap((secret) => [
      ...(secret.length >= SHORTEST ? [secret] : []),
      ...secret.split(/\s+/).filter((part) => part.length >= SHORTEST_PART),
    ])
    .sort((a, b) => b.length - a.length);
  let clean = text;
  for (const secret of all) clean = clean.replaceAll(secret, "[withheld]");
  return cut ? clean.slice(0, Math.max(0, clean.length - (all[0]?.length ?? 0))) : clean;
}

/** What in an address can be a key: long parts of its path, and what it asks with. */
export function secretsIn(url: URL): string[] {
  const path = url.pathname.split("/").filter((part) => part.length >= 16);
  return [...path, ...url.searchParams.values()].filter((part) => part.length >= SHORTEST_PART);
}
