import { useEffect, useRef } from "preact/hooks";
import { rows } from "../data/fleet.ts";
import { needing } from "../data/inbox.ts";
import { path } from "../data/place.ts";
import { PAGES, type PageAt } from "./pages.ts";

const AT_WORK = new Set(["running", "waiting", "queued"]);

export function Rail() {
  const bar = useRef<HTMLElement>(null);
  const at = path.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a phone the bar scrolls to the page that is open.
  useEffect(() => {
    bar.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [at]);
  return (
    <nav class="rail" aria-label="Pages" ref={bar}>
      <div class="name">▸ Baton</div>
      {PAGES.map(({ at, name }) => (
        <a key={at} href={at} aria-current={isAt(at) ? "page" : undefined}>
          {name} <span class="count">{countOf(at)}</span>
        </a>
      ))}
    </nav>
  );
}

function isAt(at: PageAt): boolean {
  if (at === "/board" && path.value.startsWith("/jobs/")) return true;
  return path.value === at;
}

function countOf(at: PageAt): number | string {
  if (at === "/") return needing.value || "";
  if (at === "/board") return rows.value.filter(({ status }) => AT_WORK.has(status)).length || "";
  return "";
}
