import { lazy, Suspense } from "preact/compat";
import { useState } from "preact/hooks";
import { writtenOutcome } from "../../../src/handoff/outcome.ts";
import { api } from "../../data/api.ts";
import { useAsked } from "../../data/asked.ts";
import { now } from "../../data/clock.ts";
import { type Job, useJob } from "../../data/job.ts";
import { useKeys } from "../../data/keys.ts";
import { filter, query } from "../../data/place.ts";
import { copy } from "../../parts/copy.ts";
import { Fact } from "../../parts/fact.tsx";
import { Fork } from "../../parts/fork.tsx";
import { count, counted, lasting, moment, money } from "../../parts/words.ts";
import type { Place } from "./changes/file.tsx";
import { Remark } from "./changes/remark.tsx";
import { isSamePlace, useReview } from "./changes/review.ts";

const Markdown = lazy(async () => (await import("../../parts/markdown.tsx")).Markdown);

type Handoff = Job["handoffs"][number];

/** The documents that one session left for the next: what it said, beside what Baton saw. `?n=` opens one. */
export default function Handoffs({ job: id }: { job: string }) {
  const { job } = useJob(id);
  const handoffs = job?.handoffs ?? [];
  const wanted = Number(query.value.get("n"));
  const at = Math.max(
    0,
    handoffs.findIndex(({ number }) => number === wanted),
  );
  const shown = wanted > 0 ? handoffs[at] : handoffs.at(-1);
  const show = (handoff: Handoff | undefined) => handoff && filter({ n: String(handoff.number) });
  const place = shown ? handoffs.indexOf(shown) : 0;
  useKeys([
    { key: "j", does: "next handoff", run: () => show(handoffs[place + 1]), isQuiet: true },
    { key: "k", does: "previous handoff", run: () => show(handoffs[place - 1]), isQuiet: true },
  ]);
  if (!shown) return <p class="nothing">No handoff yet: the first session's window has room left.</p>;
  return (
    <section aria-label={`Handoff ${shown.number}`}>
      {handoffs.length > 1 && (
        <nav class="filters" aria-label="Handoffs">
          {handoffs.map((handoff) => (
            <a
              key={handoff.number}
              class="choice"
              href={`/jobs/${id}/handoffs?n=${handoff.number}`}
              aria-current={handoff === shown ? "page" : undefined}
            >
              <span class="violet" aria-hidden="true">
                ◆
              </span>{" "}
              {handoff.number} <span class="faint">{writtenOutcome(handoff.outcome)}</span>
            </a>
          ))}
        </nav>
      )}
      <div class="cols">
        <Documents job={id} number={shown.number} />
        <HandoffFacts key={shown.number} job={id} handoff={shown} />
      </div>
    </section>
  );
}

function Documents({ job, number }: { job: string; number: number }) {
  const { value, error } = useAsked(
    (signal) => api.getHandoff({ job, number: String(number) }, undefined, { signal }),
    [job, number],
  );
  if (error) return <p class="notice bad">{error}</p>;
  if (!value || value.number !== number) return <p class="soft">Loading …</p>;
  return (
    <Suspense fallback={<p class="soft">Loading …</p>}>
      <div>
        {value.warning && <p class="notice">{value.warning}</p>}
        <div class="beside">
          <div class="card">
            <h2>What the session said</h2>
            <Markdown text={value.account} />
          </div>
          <div class="card">
            <h2>What Baton saw</h2>
            <Markdown text={value.facts} />
          </div>
        </div>
      </div>
    </Suspense>
  );
}

function HandoffFacts({ job, handoff }: { job: string; handoff: Handoff }) {
  const { rampUp, checks } = handoff;
  const review = useReview(job);
  const [writing, write] = useState<Place | undefined>(undefined);
  const whole = { file: handoff.documentPath, line: 0, isRemoved: false };
  const isSaid = review.comments.some((comment) => isSamePlace(comment, whole));
  useKeys([{ key: "a", does: "comment on the handoff", run: () => write(whole) }]);
  return (
    <div>
      <div class="card">
        <h2 class="violet">◆ Handoff {handoff.number}</h2>
        <dl class="facts">
          <Fact name="when">{moment(handoff.storedAt, now.value)}</Fact>
          <Fact name="why">{handoff.trigger}</Fact>
          <Fact name="window">
            {count(handoff.tokens)} of {count(handoff.contextWindow)}, {Math.round(handoff.percent)} %
          </Fact>
          <Fact name="outcome">{writtenOutcome(handoff.outcome)}</Fact>
          <Fact name="took">{lasting(handoff.durationMs)}</Fact>
        </dl>
        <p class="file-path">
          <code title={handoff.documentPath}>{handoff.documentPath.split("/").at(-1)}</code>{" "}
          <button
            type="button"
            class="plain link soft"
            onClick={() => void copy(handoff.documentPath, "The path is copied.")}
          >
            Copy its path
          </button>
        </p>
        <div class="acts">
          <button type="button" onClick={() => write(whole)}>
            Comment<kbd>a</kbd>
          </button>
          <Fork key={handoff.number} job={job} from={{ kind: "handoff", number: handoff.number }} />
        </div>
      </div>
      {(isSaid || writing) && (
        <div class="rows after-card">
          <Remark place={whole} of="handoff" quote="" review={review} writing={writing} write={write} />
          {isSaid && (
            <p class="entry inset soft">
              It is sent with your review: see{" "}
              <a class="link" href={`/jobs/${job}/changes`}>
                Changes
              </a>
              .
            </p>
          )}
        </div>
      )}
      {checks.length > 0 && (
        <div class="card">
          <h2>Checks</h2>
          <ul class="checks">
            {checks.map(({ name, ok }) => (
              <li key={name}>
                <span class={ok ? "plus" : "caution"}>{ok ? "✓ held" : "△ fell short"}</span> {name}
              </li>
            ))}
          </ul>
        </div>
      )}
      {rampUp && (
        <div class="card">
          <h2>What it cost to take over</h2>
          <dl class="facts">
            <Fact name="until new work">{counted(rampUp.turns, "turn")}</Fact>
            {rampUp.tokens !== null && <Fact name="tokens">{count(rampUp.tokens)}</Fact>}
            {rampUp.costEstimateUsd !== null && <Fact name="estimated">{money(rampUp.costEstimateUsd)}</Fact>}
            <Fact name="files read again">{rampUp.filesReadAgain.count}</Fact>
            <Fact name="commands run again">{rampUp.commandsRepeated.count}</Fact>
            <Fact name="edits redone">{rampUp.editsRedone.count}</Fact>
          </dl>
          {rampUp.filesReadAgain.paths.map((path) => (
            <code key={path} class="block faint">
              {path}
            </code>
          ))}
        </div>
      )}
    </div>
  );
}
