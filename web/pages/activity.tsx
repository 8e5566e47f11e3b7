import { useEffect, useState } from "preact/hooks";
import type { AnswerOf } from "../../src/http/contract.ts";
import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { now } from "../data/clock.ts";
import { useKeys } from "../data/keys.ts";
import { filter, query } from "../data/place.ts";
import { Answer, Nothing } from "../parts/answer.tsx";
import { attempt } from "../parts/attempt.ts";
import { download } from "../parts/download.ts";
import { Status } from "../parts/status.tsx";
import { moment } from "../parts/words.ts";

type Entry = AnswerOf<"listAudit">["entries"][number];

const PAGE = 100;
/** Of the file that is saved. */
const MOST_SAVED = 100_000;

/** Who did what, over the API and on terminals: the newest first. */
export default function Activity() {
  const who = query.value.get("who") ?? "";
  const target = query.value.get("target") ?? "";
  const what = query.value.get("what") ?? "";
  const wanted = {
    limit: PAGE,
    ...(who !== "" && { who }),
    ...(what !== "" && { what }),
    ...(target !== "" && { target }),
  };
  const answer = useAsked((signal) => api.listAudit(wanted, undefined, { signal }), [who, what, target]);
  const [older, setOlder] = useState<{ entries: Entry[]; next?: number | undefined } | undefined>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was loaded belongs to what was asked.
  useEffect(() => setOlder(undefined), [who, what, target]);
  /** All that match, one JSON object a line, as the server tells them. */
  const save = () =>
    attempt(async () => {
      const lines: string[] = [];
      let before: number | undefined;
      do {
        const page = await api.listAudit({ ...wanted, limit: PAGE, ...(before !== undefined && { before }) });
        lines.push(...page.entries.map((entry) => `${JSON.stringify(entry)}\n`));
        before = page.next;
      } while (before !== undefined && lines.length < MOST_SAVED);
      download("activity.jsonl", "application/x-ndjson", lines.join(""));
    }, "The file is with your downloads.");
  const more = async (before: number) => {
    await attempt(async () => {
      const page = await api.listAudit({ ...wanted, before });
      setOlder((known) => ({ entries: [...(known?.entries ?? []), ...page.entries], next: page.next }));
    });
  };
  useKeys([
    { key: "/", does: "filter by who", run: () => document.getElementById("who")?.focus() },
    { key: "R", does: "load it again", run: answer.reload },
    { key: "D", does: "save it as JSONL", run: () => void save() },
  ]);
  return (
    <section>
      <h1>Activity</h1>
      <p class="sub">Who changed something, what, and from where. What was refused is here, too.</p>
      <div class="filters">
        <input
          id="who"
          type="search"
          aria-label="By whom, exactly"
          placeholder="by whom: browser:…, token:…, person"
          value={who}
          onChange={(event) => filter({ who: event.currentTarget.value.trim() })}
        />
        <input
          type="search"
          aria-label="What they did, exactly"
          placeholder="did what: cancelJob, halt"
          value={what}
          onChange={(event) => filter({ what: event.currentTarget.value.trim() })}
        />
        <input
          type="search"
          aria-label="On what, exactly"
          placeholder="on what: the id of a job, the name of an agent"
          value={target}
          onChange={(event) => filter({ target: event.currentTarget.value.trim() })}
        />
        <button type="button" onClick={() => void save()}>
          Save as JSONL<kbd>D</kbd>
        </button>
      </div>
      <Answer of={answer}>
        {({ entries, next }) => {
          const all = [...entries, ...(older?.entries ?? [])];
          const before = older ? older.next : next;
          if (all.length === 0) return <Empty isFiltered={who !== "" || what !== "" || target !== ""} />;
          return (
            <>
              <ul class="rows plain-list">
                {all.map((entry) => (
                  <Line
                    key={entry.id}
                    entry={entry}
                    now={now.value}
                    filterWho={() => filter({ who: entry.who })}
                  />
                ))}
              </ul>
              {before !== undefined && (
                <p>
                  <button type="button" onClick={() => void more(before)}>
                    Load earlier ones
                  </button>
                </p>
              )}
            </>
          );
        }}
      </Answer>
    </section>
  );
}

function Empty({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Nothing says="Nobody of that name did that." />
  ) : (
    <Nothing says="Nobody has changed anything yet. What you do here, and with tokens, will be listed." />
  );
}

interface LineProps {
  entry: Entry;
  now: Date;
  filterWho: () => void;
}

function Line({ entry, now, filterWho }: LineProps) {
  const { at, who, what, target, origin, outcome } = entry;
  return (
    <li class="entry">
      <div class="line deed">
        <time class="faint" dateTime={at} title={new Date(at).toLocaleString()}>
          {moment(at, now)}
        </time>
        <button type="button" class="plain title" title={`Only what ${who} did`} onClick={filterWho}>
          {who}
        </button>
        <span class="wide">
          <code>{what}</code> {target !== null && <Target of={target} />}
        </span>
        <span class="meta">{origin ?? ""}</span>
        <Status status={OUTCOMES[outcome] ?? "failed"} word={outcome} />
      </div>
    </li>
  );
}

/** All else is why it was refused. */
const OUTCOMES: Record<string, string> = { done: "completed", begun: "running" };

const JOB_ID = /^job-\d{4}-\d\d-\d\d-[a-z0-9]+$/;

function Target({ of }: { of: string }) {
  if (!JOB_ID.test(of)) return <span class="soft">{of}</span>;
  return (
    <a class="link" href={`/jobs/${of}`}>
      {of}
    </a>
  );
}
