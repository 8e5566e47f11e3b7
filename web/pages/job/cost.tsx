import { api } from "../../data/api.ts";
import { useAsked } from "../../data/asked.ts";
import { rowOf } from "../../data/fleet.ts";
import { type Job, useJob } from "../../data/job.ts";
import { costOf } from "../../parts/job-line.tsx";
import { count, money } from "../../parts/words.ts";

/** What a job cost: by session, as its program told it, and by model, as its responses add up. */
export default function Cost({ job }: { job: string }) {
  const { job: open } = useJob(job);
  const row = rowOf(job);
  const { value, error } = useAsked(
    (signal) => api.getJobCost({ job }, undefined, { signal }),
    [job, open?.seq],
  );
  if (error) return <p class="notice bad">{error}</p>;
  if (!value || !open) return <p class="soft">Loading …</p>;
  const all = value.models;
  const read = all.reduce((sum, { cacheRead }) => sum + cacheRead, 0);
  const sent = all.reduce((sum, { input, cacheRead, cacheWrite }) => sum + input + cacheRead + cacheWrite, 0);
  const subagents = all.filter(({ by }) => by === "subagents");
  return (
    <section aria-label="Cost">
      <div class="tiles">
        <Tile name="so far" value={costOf(open)} note={simulated(open) ?? limitOf(row?.costLimitUsd)} />
        <Tile name="read from the cache" value={share(read, sent)} note={`of ${count(sent)} tokens sent`} />
        <Tile
          name="by subagents"
          value={subagents.length === 0 ? "nothing" : priceOf(sumOf(subagents.map(({ costUsd }) => costUsd)))}
          note={`${subagents.reduce((sum, { responses }) => sum + responses, 0)} responses`}
        />
      </div>
      <div class="rows scrolls">
        <table class="table">
          <caption class="hidden-from-eyes">By session</caption>
          <thead>
            <tr>
              <th scope="col">Session</th>
              <th scope="col">Agent</th>
              <th scope="col">Model</th>
              <th scope="col" class="num">
                Turns
              </th>
              <th scope="col" class="num">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {value.sessions.map(({ session, ordinal, agent, model, turns, costUsd, estimated }) => (
              <tr key={session}>
                <td>{ordinal}</td>
                <td>{agent}</td>
                <td>{model ?? "not known"}</td>
                <td class="num">{turns}</td>
                <td class="num">
                  {estimated && "est. "}
                  {priceOf(costUsd)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="rows scrolls">
        <table class="table">
          <caption class="hidden-from-eyes">By model</caption>
          <thead>
            <tr>
              {["Model", "By"].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              {["Responses", "Sent", "From cache", "Written", "By list price"].map((name) => (
                <th key={name} scope="col" class="num">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {all.map(({ model, by, responses, input, output, cacheRead, cacheWrite, costUsd }) => (
              <tr key={`${by} ${model}`}>
                <td>{model}</td>
                <td>{by === "agent" ? "the agent" : "its subagents"}</td>
                <td class="num">{responses}</td>
                <td class="num">{count(input + cacheRead + cacheWrite)}</td>
                <td class="num">{share(cacheRead, input + cacheRead + cacheWrite)}</td>
                <td class="num">{count(output)}</td>
                <td class="num">{priceOf(costUsd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {all.length === 0 && <p class="nothing">No model has answered yet.</p>}
      </div>
      {value.cut && <p class="notice">Only the newest responses are counted by model: there are too many.</p>}
    </section>
  );
}

function Tile({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div class="card">
      <div class="soft">{name}</div>
      <div class="figure">{value}</div>
      <div class="faint">{note}</div>
    </div>
  );
}

function simulated({ costUsd, simulatedCostUsd }: Job): string | undefined {
  if (simulatedCostUsd === undefined) return undefined;
  return costUsd === 0
    ? "by a simulated model: nobody paid for it"
    : `and ${money(simulatedCostUsd)} simulated`;
}

const limitOf = (usd: number | undefined) => (usd === undefined ? "no limit" : `of ${money(usd)} at most`);
const priceOf = (usd: number | null) => (usd === null ? "not known" : money(usd));
const share = (part: number, whole: number) => (whole === 0 ? "–" : `${Math.round((part / whole) * 100)} %`);

function sumOf(costs: readonly (number | null)[]): number | null {
  return costs.some((cost) => cost === null)
    ? null
    : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
}
