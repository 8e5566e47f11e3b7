import { isNothing, type Reader } from "../reader/reader.ts";
import { withoutOlderThreshold } from "../reader/threshold.ts";
import type { SourceFile } from "../yaml/source.ts";
import type { Entry, Located } from "../yaml/tree.ts";

/** What one layer says over what the layer below it says: maps key by key, everything else as a whole. */
export function over(reader: Reader<unknown>, lower: Located, upper: Located): Located {
  if (isNothing(upper)) return lower;
  const merges = (reader.keys || reader.values) && !reader.whole;
  if (!merges || lower.kind !== "map" || upper.kind !== "map") return upper;
  const entries = new Map<string, Entry>(lower.entries.map((entry) => [entry.key, entry]));
  for (const entry of upper.entries) {
    const below = entries.get(entry.key);
    const inner = reader.keys?.[entry.key] ?? reader.values;
    const value = below && inner ? over(inner, below.value, entry.value) : entry.value;
    entries.set(entry.key, { ...entry, value });
  }
  return { ...upper, entries: [...entries.values()] };
}

/** The layers of an agent, the lowest first, as one. */
export function layered(reader: Reader<unknown>, layers: readonly (Located | undefined)[]): Located {
  return layers
    .filter((layer) => layer !== undefined)
    .reduce((lower, upper) => over(reader, withoutOlderThreshold(lower, upper), upper));
}

export function emptyMap(file: SourceFile): Located {
  return { kind: "map", entries: [], span: { file, start: 0, end: 0 } };
}
