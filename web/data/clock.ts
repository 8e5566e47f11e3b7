import { signal } from "@preact/signals";

/** What every age and countdown on the page is counted by: they change together, once a second. */
export const now = signal(new Date());

export function startClock(): void {
  setInterval(() => {
    if (document.visibilityState === "visible") now.value = new Date();
  }, 1_000);
}
