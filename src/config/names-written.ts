import type { Written } from "./layers/read-sources.ts";
import { entryOf } from "./reader/reader.ts";
import type { Span } from "./yaml/source.ts";
import type { Located } from "./yaml/tree.ts";

/** A name of something that an agent's program knows, and where it was written. */
export interface WrittenName {
  kind: "model" | "tool";
  text: string;
  span: Span;
}

export function namesWritten({ value }: Written["agents"][number]): WrittenName[] {
  const under = (key: string) => entryOf(value, key)?.value;
  const tools = [under("allowed_tools"), under("denied_tools")].flatMap((list) =>
    list?.kind === "list" ? list.items : [],
  );
  return [...nameIn("model", under("model")), ...tools.flatMap((tool) => nameIn("tool", tool))];
}

function nameIn(kind: WrittenName["kind"], value: Located | undefined): WrittenName[] {
  if (value?.kind !== "scalar" || typeof value.value !== "string" || value.written !== undefined) return [];
  return [{ kind, text: value.value, span: value.span }];
}
