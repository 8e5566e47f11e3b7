import type { AnswerOf } from "../../src/http/contract.ts";
import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { choosing, useChosen } from "../data/chosen.ts";
import { now } from "../data/clock.ts";
import { fleet, rows } from "../data/fleet.ts";
import { useKeys } from "../data/keys.ts";
import { Answer, Nothing } from "../parts/answer.tsx";
import { isSure } from "../parts/ask.tsx";
import { attempt } from "../parts/attempt.ts";
import { Status } from "../parts/status.tsx";
import { counted, lasting, moment } from "../parts/words.ts";

type Source = AnswerOf<"listWork">["sources"][number];
type Item = Source["items"][number];

/** An item, and whose it is. */
interface Row extends Item {
  key: string;
  of: { source: string; project: string };
}

const LOOK_MS = 5_000;

const rowsOf = ({ source, project, items }: Source): Row[] =>
  items.map((item) => {
    const key = [project, source, item.agent, item.schedule, item.id].filter(Boolean).join("/");
    return { ...item, key, of: { source, project } };
  });

/** What trackers have for the fleet: what it takes next, and why not the rest. */
export default function Work() {
  const turn = Math.floor(now.value.getTime() / LOOK_MS);
  const changes = rows.value.map(({ status }) => status).join();
  const answer = useAsked((signal) => api.listWork({}, undefined, { signal }), [turn, changes]);
  const all = (answer.value?.sources ?? []).flatMap(rowsOf);
  const chosen = useChosen(
    all.map(({ key }) => key),
    "item",
  );
  const current = all.find(({ key }) => key === chosen.id);
  const act = async (work: () => Promise<unknown>, done: string) => {
    if (await attempt(work, done)) answer.reload();
  };
  const claim = ({ id, of, agent }: Row) =>
    act(
      () => api.claimWork({ id }, { ...of, agent }),
      `${id} is claimed: ${agent} works on it when it has a slot.`,
    );
  const release = async ({ id, of, state, job }: Row) => {
    const isSureOfIt = await isSure({
      title: `Release ${id}?`,
      text: `${job !== undefined && state === "claimed" ? `${job}, which has it, is cancelled. ` : ""}Whoever has it loses it, and it is ready to be taken again.`,
      does: "Release",
    });
    if (isSureOfIt) await act(() => api.releaseWork({ id }, of), `${id} is free and ready.`);
  };
  const ignore = ({ id, of, state }: Row) =>
    state === "ignored"
      ? act(() => api.ignoreWork({ id }, { ...of, undo: true }), `${id} is no longer ignored.`)
      : act(() => api.ignoreWork({ id }, of), `${id} is left alone.`);
  const deeds = { claim, release, ignore };
  useKeys(
    current ? deedsOf(current).map((deed) => ({ ...deed, run: () => void deeds[deed.is](current) })) : [],
  );
  return (
    <section>
      <h1>Work</h1>
      <Answer of={answer}>
        {({ sources }) =>
          sources.length === 0 ? (
            <Nothing
              says="No agent takes work from a tracker yet. Add one to baton.yaml:"
              command={
                "work_source: { type: github, repo: owner/name }\nwork_source: { type: linear, team: ENG }"
              }
            />
          ) : (
            <>
              <p class="sub">{summary(all)}</p>
              <NobodyAsks />
              {sources.map((source) => (
                <SourceRows
                  key={`${source.project}/${source.source}`}
                  source={source}
                  row={(row) => (
                    <Line
                      key={row.key}
                      row={row}
                      isChosen={row.key === chosen.id}
                      isOpen={chosen.isOpen(row.key)}
                      choose={() => chosen.choose(row.key)}
                      toggle={() => chosen.toggle(row.key)}
                      act={(is) => void deeds[is](row)}
                    />
                  )}
                />
              ))}
            </>
          )
        }
      </Answer>
    </section>
  );
}

function summary(all: readonly Row[]): string {
  const idsIn = (state: Row["state"]) =>
    new Set(all.filter((row) => row.state === state).map(({ id, of }) => `${of.source} ${id}`)).size;
  return `${counted(idsIn("take"), "item")} to take · ${idsIn("claimed")} taken`;
}

/** Nothing is asked of trackers while no fleet is there to take anything. */
function NobodyAsks() {
  const projects = fleet.value?.projects ?? [];
  const idle = projects.filter(({ state }) => state === "not running");
  if (idle.length === 0) return null;
  const names = idle.length === projects.length ? "" : ` for ${idle.map(({ name }) => name).join(", ")}`;
  return (
    <div class="notice">
      No fleet runs{names}, so no tracker is asked and nothing is taken. Start it with{" "}
      <code>baton start</code>, or look once with <code>baton work</code>
    </div>
  );
}

function SourceRows({ source, row }: { source: Source; row: (of: Row) => preact.JSX.Element }) {
  const { source: name, filters, problem, items } = source;
  return (
    <div class="rows">
      <div class="group">
        <h2>
          <code>{name}</code>
        </h2>
        <span>{standing(source, now.value)}</span>
      </div>
      {filters.map((filter) => (
        <p class="entry inset soft" key={`${filter.agent}/${filter.schedule}`}>
          {filterInWords(filter)}
        </p>
      ))}
      {problem && (
        <p class="entry inset bad" role="alert">
          Since {moment(problem.since, now.value)}: {problem.why}
        </p>
      )}
      {rowsOf(source).map(row)}
      {items.length === 0 && !problem && source.polledAt !== undefined && (
        <p class="entry inset">Nothing there is marked as ready.</p>
      )}
    </div>
  );
}

function standing({ polledAt, nextAt, budget }: Source, at: Date): string {
  const parts = [polledAt === undefined ? "not asked yet" : `asked ${moment(polledAt, at)}`];
  if (nextAt !== undefined) parts.push(`next ${moment(nextAt, at)}`);
  if (budget?.remaining != null && budget.limit != null) {
    const until = budget.resetsAt === null ? "" : ` until ${moment(budget.resetsAt, at)}`;
    parts.push(`${budget.remaining} of ${budget.limit} requests left${until}`);
  }
  return parts.join(" · ");
}

function filterInWords(filter: Source["filters"][number]): string {
  const { agent, schedule, labels, state, exclude, trust, attempts, pollMs } = filter;
  const taker = schedule === undefined ? agent : `${schedule} of ${agent}`;
  const parts = [
    `${taker} takes what is labelled ${labels.ready}${state === undefined ? "" : ` and in the state ${state}`}`,
    ...(exclude.length === 0 ? [] : [`not what is labelled ${exclude.join(" or ")}`]),
    trust === "anyone" ? "whoever labels it" : "if somebody who may write labels it",
    `up to ${counted(attempts, "attempt")}, then ${labels.failed}`,
    `asked every ${lasting(pollMs)}`,
  ];
  return `${parts.join(" · ")}.`;
}

type Is = "claim" | "release" | "ignore";

interface Deed {
  is: Is;
  key: string;
  name: string;
  does: string;
}

const CLAIM: Deed = { is: "claim", key: "c", name: "Claim", does: "claim the item now" };
const RELEASE: Deed = { is: "release", key: "r", name: "Release", does: "release the item" };
const IGNORE: Deed = { is: "ignore", key: "i", name: "Ignore", does: "leave the item alone" };
const HEED: Deed = { is: "ignore", key: "i", name: "Stop ignoring", does: "stop ignoring the item" };

function deedsOf({ state }: Item): Deed[] {
  switch (state) {
    case "take":
    case "not-ready":
    case "excluded":
    case "blocked":
    case "assigned":
    case "untrusted":
    case "trouble":
      return [CLAIM, IGNORE];
    case "claimed":
    case "held":
    case "delivered":
    case "failed":
      return [RELEASE, IGNORE];
    case "ignored":
      return [HEED];
    case "closed":
      return [];
  }
}

const STATES: Record<Item["state"], { status: string; word: string }> = {
  take: { status: "queued", word: "next" },
  claimed: { status: "queued", word: "taken" },
  delivered: { status: "completed", word: "delivered" },
  failed: { status: "failed", word: "failed" },
  held: { status: "waiting", word: "held" },
  blocked: { status: "waiting", word: "blocked" },
  assigned: { status: "waiting", word: "assigned" },
  untrusted: { status: "paused", word: "not trusted" },
  trouble: { status: "waiting", word: "tried again" },
  excluded: { status: "cancelled", word: "excluded" },
  ignored: { status: "cancelled", word: "ignored" },
  "not-ready": { status: "cancelled", word: "not ready" },
  closed: { status: "cancelled", word: "closed" },
};

const PRIORITIES = { 1: "urgent", 2: "high", 3: "normal", 4: "low" } as const;

interface LineProps {
  row: Row;
  isChosen: boolean;
  isOpen: boolean;
  choose: () => void;
  toggle: () => void;
  act: (is: Is) => void;
}

function Line({ row, isChosen, isOpen, choose, toggle, act }: LineProps) {
  const { key, id, title, state, why, agent, priority, labels } = row;
  const job = state === "claimed" ? rows.value.find((each) => each.id === row.job) : undefined;
  const author = `by ${row.author}${row.authorTrusted === false ? ", who may not write" : ""}`;
  const facts = [id, author, PRIORITIES[priority], `for ${agent}`, ...labels];
  return (
    <article
      id={key}
      class={`entry${isChosen ? " chosen" : ""}`}
      aria-label={`${id}: ${title}`}
      {...choosing(choose)}
    >
      <div class="line item">
        <Status {...(job ? { status: job.status } : STATES[state])} />
        <span class="wide">
          <button type="button" class="plain title" aria-expanded={isOpen} onClick={toggle}>
            {title}
          </button>
          <span class="meta">{facts.join(" · ")}</span>
        </span>
        <span class="wide wraps soft">{why ?? `${agent} takes it when it has a slot`}</span>
        <span class="acts">
          {deedsOf(row).map((deed) => (
            <button type="button" key={deed.is} onClick={() => act(deed.is)}>
              {deed.name}
              {isChosen && <kbd>{deed.key}</kbd>}
            </button>
          ))}
        </span>
      </div>
      {isOpen && <Details row={row} />}
    </article>
  );
}

function Details({ row: { url, createdAt, schedule, job, of } }: { row: Row }) {
  const isWeb = /^https?:\/\//i.test(url);
  return (
    <div class="details">
      <p>
        Opened {moment(createdAt, now.value)}.
        {schedule !== undefined && ` Taken by the schedule ${schedule}.`}{" "}
        {isWeb && (
          <a class="link" href={url} target="_blank" rel="noreferrer noopener">
            Open it in {of.source.split(":")[0] === "linear" ? "Linear" : "GitHub"}
          </a>
        )}{" "}
        {job !== undefined && (
          <a class="link" href={`/jobs/${job}`}>
            Its job
          </a>
        )}
      </p>
    </div>
  );
}
