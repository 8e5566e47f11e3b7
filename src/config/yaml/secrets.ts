const SECRET_KEY = /(?:^|[\s{,[-])["']?(?:env|headers|args|secret|webhook_url)["']?\s*:/;
const ENTRY_KEY = /^\s*(?:-\s+)?["']?[\w.-]+["']?\s*:(?=\s|$)/;

interface SecretBlock {
  /** Where its key starts: what is further in belongs to it. */
  column: number;
  /** An opened bracket that goes on over the next lines, whatever their indentation. */
  closer: "}" | "]" | undefined;
  /** Indentation of its entries; what is further in is part of a value. */
  entries: number | undefined;
}

/**
 * How many characters of each line can be shown: all of them, or those before a value under `env`, `headers`,
 * `args`, `secret` or `webhook_url`. It goes by indentation, as it must also serve files that do not parse.
 */
export function visibleLengths(lines: readonly string[]): number[] {
  let block: SecretBlock | undefined;
  return lines.map((line) => {
    if (line.trim() === "") return line.length;
    const indent = line.search(/\S/);
    if (block && belongsTo(block, line, indent)) {
      block.entries ??= indent;
      const visible = indent === block.entries ? (ENTRY_KEY.exec(line)?.[0].length ?? indent) : indent;
      if (block.closer && line.includes(block.closer)) block.closer = undefined;
      return visible;
    }
    const secret = SECRET_KEY.exec(line);
    block = secret ? openBlock(line, secret) : undefined;
    return secret ? secret.index + secret[0].length : line.length;
  });
}

function openBlock(line: string, key: RegExpExecArray): SecretBlock {
  const value = line.slice(key.index + key[0].length);
  const closer = value.includes("{") ? "}" : value.includes("[") ? "]" : undefined;
  return {
    column: key.index + key[0].search(/[a-z"']/),
    closer: closer && value.includes(closer) ? undefined : closer,
    entries: undefined,
  };
}

/** In doubt it does: a tab says nothing about depth, and a pasted key often stands at the start of its lines. */
function belongsTo(block: SecretBlock, line: string, indent: number): boolean {
  if (block.closer || indent > block.column || line.slice(0, indent).includes("\t")) return true;
  return !ENTRY_KEY.test(line) || (indent === block.column && line.startsWith("-", indent));
}
