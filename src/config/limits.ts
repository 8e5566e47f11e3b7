/** Far more than any real configuration has, and little enough to be read at once. */
export const CONFIG_LIMITS = {
  /** Of one file. */
  bytes: 1024 * 1024,
  /** In one file, aliases written out: they multiply. */
  values: 50_000,
  /** Of the texts in one file, aliases written out too. */
  characters: 4 * 1024 * 1024,
  /** Of all files together. */
  allBytes: 8 * 1024 * 1024,
  /** The same where a person's session waits: their hooks read it at once. */
  hookBytes: 256 * 1024,
  /** Line breaks and signs of YAML: each costs its parser a few microseconds, whatever comes of it. */
  signs: 200_000,
  /** Maps and lists within one another. */
  depth: 100,
  /** Mistakes that are shown. The others are counted. */
  mistakes: 50,
  /** Characters of a message: keys and values in it can be of any length. */
  message: 500,
  /** Characters of a text once its variables are replaced. */
  expanded: 1024 * 1024,
} as const;
