import { TIME_IN_WORDS, TIME_KINDS } from "../../../src/job/time-split.ts";
import { useJob } from "../../data/job.ts";
import { Fact } from "../../parts/fact.tsx";
import { counted, lasting, money } from "../../parts/words.ts";

/** Beside the transcript: where the time went, and what the handoffs cost. */
export function JobFacts({ job: id }: { job: string }) {
  const { job } = useJob(id);
  if (!job) return <div />;
  const times = TIME_KINDS.flatMap((kind) => {
    const ms = job.timeMs?.[kind];
    return ms === undefined || ms < 1_000 ? [] : [{ kind, ms }];
  }).toSorted((a, b) => b.ms - a.ms);
  const rampUps = job.handoffs.flatMap(({ rampUp }) => (rampUp ? [rampUp] : []));
  const reread = rampUps.reduce((sum, { costEstimateUsd }) => sum + (costEstimateUsd ?? 0), 0);
  return (
    <div>
      {times.length > 0 && (
        <div class="card">
          <h2>Where the time went</h2>
          <dl class="facts">
            {times.map(({ kind, ms }) => (
              <Fact key={kind} name={TIME_IN_WORDS[kind]}>
                {lasting(ms)}
              </Fact>
            ))}
          </dl>
        </div>
      )}
      {rampUps.length > 0 && (
        <div class="card">
          <h2>What the handoffs cost</h2>
          <dl class="facts">
            <Fact name="read again, estimated">{money(reread)}</Fact>
            <Fact name="ramp-up">{rampUps.map(({ turns }) => counted(turns, "turn")).join(", ")}</Fact>
          </dl>
        </div>
      )}
      {job.todos && job.todos.length > 0 && (
        <div class="card">
          <h2>What it has to do</h2>
          {job.todos.map(({ text, status }) => (
            <div key={text} class={status === "completed" ? "faint" : undefined}>
              {status === "completed" ? "☑" : "☐"} {text}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
