import { useEffect, useState } from "preact/hooks";
import { now } from "../../data/clock.ts";
import { rows } from "../../data/fleet.ts";
import { counted, moment } from "../../parts/words.ts";

const KEPT = "baton.looked";
/** Whoever comes back sooner has not been away. */
const AWAY_MS = 10 * 60_000;

/** What has happened since this browser last showed the inbox. */
export function SinceYouLooked() {
  const [looked] = useState(() => localStorage.getItem(KEPT) ?? undefined);
  useEffect(() => {
    const keep = () => localStorage.setItem(KEPT, new Date().toISOString());
    // A page that is left open has been looked at until it is hidden.
    document.addEventListener("visibilitychange", keep);
    return () => {
      document.removeEventListener("visibilitychange", keep);
      keep();
    };
  }, []);
  const all = rows.value;
  if (looked === undefined || now.value.getTime() - Date.parse(looked) < AWAY_MS) {
    const running = all.filter(({ status }) => status === "running").length;
    return <p class="sub">{counted(running, "job")} at work.</p>;
  }
  const since = all.filter(({ updatedAt }) => updatedAt > looked);
  const ended = (status: string) => since.filter((row) => row.status === status).length;
  const told = [
    [ended("completed"), "finished"],
    [ended("failed"), "failed"],
    [since.filter(({ createdAt }) => createdAt > looked).length, "started"],
  ] as const;
  const parts = told.filter(([count]) => count > 0).map(([count, did]) => `${counted(count, "job")} ${did}`);
  return (
    <p class="sub">
      Since you looked at {moment(looked, now.value)}: {parts.join(", ") || "nothing has ended"}.
    </p>
  );
}
