import { computed, signal } from "@preact/signals";

/** Where the person is: everything has an address, filters included. */
const address = signal(new URL(location.href));

export const path = computed(() => address.value.pathname);
export const query = computed(() => address.value.searchParams);

/** The parts of a job are one page: that sees to where it stands. */
const pageOf = ({ pathname }: URL) => pathname.split("/").slice(0, 3).join("/");

export function go(to: string): void {
  const from = address.peek();
  history.pushState(null, "", to);
  arrive();
  if (pageOf(from) !== pageOf(address.peek())) scrollTo(0, 0);
}

/** Changes filters without a step in the browser's history. An empty value takes one away. */
export function filter(changes: Record<string, string>): void {
  const next = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  }
  history.replaceState(null, "", next);
  arrive();
}

function arrive(): void {
  address.value = new URL(location.href);
}

/** Links within the dashboard load nothing. */
export function followLinks(): void {
  addEventListener("popstate", arrive);
  document.addEventListener("click", (event) => {
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const href = link?.getAttribute("href");
    if (!isPlain || event.defaultPrevented || !href?.startsWith("/") || link?.hasAttribute("download"))
      return;
    event.preventDefault();
    go(href);
  });
}
