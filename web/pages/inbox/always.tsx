import { api } from "../../data/api.ts";
import { useAsked } from "../../data/asked.ts";
import { copy } from "../../parts/copy.ts";

/** The line that would allow such calls in every job: it is for the person to add, on their own terminal. */
export function AlwaysLine({ ask }: { ask: string }) {
  const { value } = useAsked((signal) => api.getAlways({ ask }, undefined, { signal }), [ask]);
  if (!value) return null;
  const { agent, rule, file, at } = value;
  const command = `baton approve ${ask} --always`;
  return (
    <p class="why always">
      Always, for every job of {agent}:{" "}
      {at ? (
        <>
          <code>{at.line.trim()}</code> in {file.split("/").at(-1)}, line {at.number}. <code>{command}</code>{" "}
          adds it on your terminal.
        </>
      ) : (
        <>
          add <code>{rule}</code> to <code>allowed_tools</code> in {file.split("/").at(-1)}.
        </>
      )}{" "}
      <button
        type="button"
        class="plain link"
        onClick={() => void copy(at ? command : rule, "It is copied.")}
      >
        Copy
      </button>
    </p>
  );
}
