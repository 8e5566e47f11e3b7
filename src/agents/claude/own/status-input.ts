import { fromJson } from "../../../util/json.ts";
/** What the program tells whoever writes its status line. */
export interface StatusInput {
  session?: string;
  model?: string;
  /** Of the window, of what the program itself counts. */
  percent?: number;
  window?: number;
}

/** Whatever the program sends: what is not there is left out. */
export function statusInput(text: string): StatusInput {
  const given = fromJson(text);
  const [session, model, rounded, window] = [
    at(given, "session_id"),
    at(given, "model", "display_name"),
    at(given, "context_window", "used_percentage"),
    at(given, "context_window", "context_window_size"),
  ];
  // The program rounds its per cent up as well: a threshold would be shown before it is reached.
  const percent = exact(at(given, "context_window", "current_usage"), window) ?? rounded;
  return {
    ...(typeof session === "string" && { session }),
    ...(typeof model === "string" && { model }),
    // Before the first answer, and where the model's server does not say what an answer took.
    ...(typeof percent === "number" && percent > 0 && { percent }),
    ...(typeof window === "number" && { window }),
  };
}

function exact(usage: unknown, window: unknown): number | undefined {
  const counts = ["input", "cache_creation_input", "cache_read_input", "output"].map((kind) =>
    at(usage, `${kind}_tokens`),
  );
  if (!counts.every((count) => typeof count === "number") || typeof window !== "number") return undefined;
  const tokens = counts.reduce((sum, count) => sum + count, 0);
  return tokens > 0 && window > 0 ? Math.min(100, (tokens / window) * 100) : undefined;
}

function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}
