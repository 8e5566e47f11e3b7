import { signal } from "@preact/signals";

interface Said {
  text: string;
  isBad: boolean;
}

const said = signal<Said | undefined>(undefined);
let over: ReturnType<typeof setTimeout> | undefined;

/** Tells the person what came of what they did. What went wrong stays until they close it. */
export function say(text: string, isBad = false): void {
  clearTimeout(over);
  said.value = { text, isBad };
  if (!isBad) over = setTimeout(() => (said.value = undefined), 5_000);
}

export function SaidLast() {
  const last = said.value;
  return (
    <div role="status" aria-live="polite">
      {last && (
        <div class={`said${last.isBad ? " bad" : ""}`}>
          {last.text}{" "}
          <button type="button" class="plain" aria-label="Close" onClick={() => (said.value = undefined)}>
            ✕
          </button>
        </div>
      )}
    </div>
  );
}
