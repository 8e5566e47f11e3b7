import { rows } from "../data/fleet.ts";
import { path } from "../data/place.ts";
import { PAGES } from "./pages.ts";

const AT_WORK = new Set(["running", "waiting", "queued"]);

export function Rail() {
  const atWork = rows.value.filter(({ status }) => AT_WORK.has(status)).length;
  return (
    <nav class="rail" aria-label="Pages">
      <div class="name">▸ Baton</div>
      {PAGES.map(({ at, name }) => (
        <a key={at} href={at} aria-current={path.value === at ? "page" : undefined}>
          {name} <span class="count">{atWork || ""}</span>
        </a>
      ))}
    </nav>
  );
}
