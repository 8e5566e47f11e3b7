import { rows } from "../data/fleet.ts";
import { inbox } from "../data/inbox.ts";
import { path } from "../data/place.ts";
import { PAGES, type PageAt } from "./pages.ts";

const AT_WORK = new Set(["running", "waiting", "queued"]);

export function Rail() {
  return (
    <nav class="rail" aria-label="Pages">
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
  if (at === "/") return inbox.value.length || "";
  if (at === "/board") return rows.value.filter(({ status }) => AT_WORK.has(status)).length || "";
  return "";
}
