import { SUPERVISOR_DEFAULTS } from "../keys/handoff.ts";
import type { SourceFile } from "../yaml/source.ts";
import type { Entry, Located } from "../yaml/tree.ts";

/** What a handoff-config.yaml means where it says nothing. It stands in no line of the file. */
export function supervisorDefaults({ path, root, home }: SourceFile): Located {
  const span = { file: { path, text: "", root, home }, start: 0, end: 0 };
  const entries = Object.entries(SUPERVISOR_DEFAULTS).map(
    ([key, value]): Entry => ({
      key,
      keySpan: span,
      value: { kind: "scalar", value, source: String(value), span },
    }),
  );
  const handoff: Entry = { key: "handoff", keySpan: span, value: { kind: "map", entries, span } };
  return { kind: "map", entries: [handoff], span };
}
