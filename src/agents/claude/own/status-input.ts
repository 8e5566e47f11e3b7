import { fromJson } from "../../../util/json.ts";
/** What the program tells whoever writes its status line. */
export interface StatusInput {
  session?: string;
  model?: string;
  /** Of the window, as the program itself counts it. */
  percent?: number;
  window?: number;
}

/** Whatever the program sends: what is not there is left out. */
export function statusInput(text: string): StatusInput {
  const given = fromJson(text);
  const [session, model, percent, window] = [
    at(given, "session_id"),
    at(given, "model", "display_name"),
    at(given, "context_window", "used_percentage"),
    at(given, "context_window", "context_window_size"),
  ];
  return {
    ...(typeof session === "string" && { session }),
    ...(typeof model === "string" && { model }),
    ...(typeof percent === "number" && { percent }),
    ...(typeof window === "number" && { window }),
  };
}

function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}
