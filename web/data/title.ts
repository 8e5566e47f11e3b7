import { effect, signal } from "@preact/signals";
import { needing } from "./inbox.ts";

/** What is open, for the browser's own list of tabs. */
export const title = signal<string | undefined>(undefined);

/** How much needs the person stands before it, whatever page is open. */
export function followTitle(): void {
  effect(() => {
    const count = needing.value > 0 ? `(${needing.value}) ` : "";
    document.title = `${count}${title.value === undefined ? "" : `${title.value} · `}Baton`;
  });
}
