import type { AnswerOf } from "../../../src/http/contract.ts";
import { TIME_IN_WORDS, TIME_KINDS } from "../../../src/job/time-split.ts";
import { Bar } from "../../parts/bar.tsx";
import { counted, lasting, percent } from "../../parts/words.ts";

type Time = AnswerOf<"getTime">["projects"][number]["total"];

const SHORTEST_MS = 1_000;

/** What jobs that were started in this time did with theirs, and how long they waited for whom. */
export function Times({ times }: { times: readonly Time[] }) {
  const split = TIME_KINDS.map((kind) => ({
    kind,
    ms: times.reduce((sum, { timeMs }) => sum + (timeMs[kind] ?? 0), 0),
  }));
  const whole = split.reduce((sum, { ms }) => sum + ms, 0);
  if (whole === 0) return null;
  const most = Math.max(...split.map(({ ms }) => ms));
  const jobs = times.reduce((sum, time) => sum + time.jobs, 0);
  const forYou = split.find(({ kind, ms }) => kind === "person" && ms >= SHORTEST_MS);
  return (
    <div class="card">
      <h2>Where the time went</h2>
      <p class="soft">
        {counted(jobs, "job")} took {lasting(whole)} in total
        {forYou && `, ${lasting(forYou.ms)} of it waiting for you`}.
      </p>
      <ul class="plain-list shares">
        {split
          .filter(({ ms }) => ms >= SHORTEST_MS)
          .toSorted((a, b) => b.ms - a.ms)
          .map(({ kind, ms }) => (
            <li key={kind} class="share">
              <span>{TIME_IN_WORDS[kind]}</span>
              <Bar share={ms / most} isNear={false} />
              <span class="num">
                {lasting(ms)} <span class="faint">{percent(ms / whole)}</span>
              </span>
            </li>
          ))}
      </ul>
    </div>
  );
}
