import type { ComponentChildren } from "preact";
import type { Asked } from "../data/asked.ts";

interface AnswerProps<T> {
  of: Asked<T>;
  /** Where it is being worked out, if that takes long. */
  meanwhile?: string;
  children: (value: T) => ComponentChildren;
}

/** What the server answered, once it has, or why it did not. */
export function Answer<T>({
  of: { value, error, reload },
  meanwhile = "Loading …",
  children,
}: AnswerProps<T>) {
  return (
    <>
      {error !== undefined && (
        <div class="notice bad" role="alert">
          {error}{" "}
          <button type="button" onClick={reload}>
            Try again
          </button>
        </div>
      )}
      {value === undefined ? error === undefined && <p class="soft">{meanwhile}</p> : children(value)}
    </>
  );
}

/** An empty list says what fills it. */
export function Nothing({ says, command }: { says: string; command?: string }) {
  return (
    <div class="nothing">
      <p>{says}</p>
      {command !== undefined && <pre>{command}</pre>}
    </div>
  );
}
