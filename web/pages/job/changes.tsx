import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isGenerated } from "../../../src/git/patch-rows.ts";
import { api } from "../../data/api.ts";
import { useAsked } from "../../data/asked.ts";
import { now } from "../../data/clock.ts";
import { rowOf } from "../../data/fleet.ts";
import { isOver, useJob } from "../../data/job.ts";
import { useKeys } from "../../data/keys.ts";
import { filter, go, query } from "../../data/place.ts";
import { attempt } from "../../parts/attempt.ts";
import { counted, moment } from "../../parts/words.ts";
import { Counts } from "./changes/counts.tsx";
import { type ChangedFile, FileChanges, type Place } from "./changes/file.tsx";
import { StrayRemark } from "./changes/remark.tsx";
import { messageOf, type Review, useReview } from "./changes/review.ts";
import { lastLook, looked, setViewed, viewedIn } from "./changes/seen.ts";

/** Files are open from the beginning until there is this much to read. */
const OPEN_LINES = 300;

/** What a job changed, by file, with comments that go to its agent as one message. */
export default function Changes({ job }: { job: string }) {
  const { job: open, reload } = useJob(job);
  const seq = rowOf(job)?.seq ?? open?.seq ?? 0;
  const [before] = useState(() => lastLook(job));
  const { value: known } = useAsked(
    (signal) => api.listCheckpoints({ job }, undefined, { signal }),
    [job, seq],
  );
  const checkpoints = known?.checkpoints ?? [];
  const newest = checkpoints.at(-1)?.number;
  useEffect(() => {
    if (newest !== undefined) looked(job, { checkpoint: newest, at: new Date().toISOString() });
  }, [job, newest]);
  const from = numberIn(query.value.get("since"));
  const sinceLooked = checkpoints.find(({ number }) => number === before?.checkpoint)?.number;
  const { value: diff, error } = useAsked(
    (signal) => api.getDiff({ job, ...(from !== undefined && { from }) }, undefined, { signal }),
    [job, from, seq],
  );
  const files = diff?.files ?? [];
  const isOverNow = open !== undefined && isOver(open);
  const review = useReview(job);
  const [viewed, setSeen] = useState(() => viewedIn(job));
  // Since another moment, a file has other changes.
  const viewedAs = (path: string) => (from === undefined ? path : `${from}:${path}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was open stays so, whatever changes meanwhile.
  const isFirstOpen = useMemo(() => openAtFirst(files, (path) => viewedAs(path) in viewed), [diff?.from]);
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isOpen = (path: string) => toggled.get(path) ?? isFirstOpen.has(path);
  const set = (path: string, value: boolean) => setToggled((old) => new Map([...old, [path, value]]));
  // Keys come faster than the page is drawn, so they read where the cursor is now.
  const chosen = useSignal<{ path: string; cursor: number | undefined }>({ path: "", cursor: undefined });
  const lines = useRef(new Map<string, { places: readonly number[]; first: number }>());
  const isSplit = query.value.get("view") === "split";
  const [sent, setSent] = useState<number | undefined>(undefined);
  const [writing, write] = useState<Place | undefined>(undefined);
  const at = () => files.findIndex(({ path }) => path === chosen.value.path);
  const goTo = (index: number) => {
    const file = files[Math.max(0, Math.min(files.length - 1, index))];
    if (!file) return;
    set(file.path, true);
    chosen.value = { path: file.path, cursor: undefined };
    document.getElementById(`file-${file.path}`)?.scrollIntoView({ block: "nearest" });
  };
  const move = (by: number) => {
    if (at() === -1) return goTo(0);
    const { path, cursor } = chosen.value;
    const { places, first } = lines.current.get(path) ?? { places: [0], first: 0 };
    const next = places.indexOf(cursor ?? first) + by;
    chosen.value = { path, cursor: places[Math.max(0, Math.min(places.length - 1, next))] };
    requestAnimationFrame(() => document.querySelector(".diff .here")?.scrollIntoView({ block: "nearest" }));
  };
  const send = async () => {
    if (review.comments.length === 0) return;
    const text = messageOf(review.comments);
    if (isOverNow) {
      // Its agent hears nothing any more: another continues from there.
      const isForked = await attempt(async () => {
        const { job: made } = await api.forkJob({ job }, { says: text });
        review.clear();
        go(`/jobs/${made}`);
      }, "This new job continues from there, with your review.");
      if (isForked) return;
    } else {
      await attempt(async () => {
        setSent((await api.sendMessage({ job }, { text })).id);
        review.clear();
      }, "The review is on its way to the agent.");
    }
    reload();
  };
  useKeys([
    { key: "]", does: "next file", run: () => goTo(at() + 1) },
    { key: "[", does: "previous file", run: () => goTo(at() - 1) },
    { key: "j", does: "next line", run: () => move(1), isQuiet: true },
    { key: "k", does: "previous line", run: () => move(-1), isQuiet: true },
    {
      key: "A",
      does: "comment on the file",
      run: () => {
        const file = files[Math.max(0, at())];
        if (file) write({ file: file.path, line: 0, isRemoved: false });
      },
      isQuiet: true,
    },
    {
      key: "a",
      does: "comment on the line",
      run: () => document.querySelector<HTMLButtonElement>(".diff .here .mark")?.click(),
      isQuiet: true,
    },
    { key: "S", does: "send the review", run: () => void send() },
    {
      key: "s",
      does: "since you looked, or all of it",
      run: () =>
        filter({ since: from === undefined && sinceLooked !== undefined ? String(sinceLooked) : "" }),
    },
    { key: "v", does: "beside each other, or below", run: () => filter({ view: isSplit ? "" : "split" }) },
  ]);
  const sum = (of: "added" | "removed") => files.reduce((all, file) => all + (file[of] ?? 0), 0);
  return (
    <section aria-label="Changes">
      <div class="filters bar-of-review">
        <label>
          <span class="hidden-from-eyes">Changes </span>
          <select
            value={from === undefined ? "" : String(from)}
            onChange={(event) => filter({ since: event.currentTarget.value })}
          >
            <option value="">since the job began</option>
            {before && sinceLooked !== undefined && (
              <option value={String(before.checkpoint)}>
                since I looked, {moment(before.at, now.value)}
              </option>
            )}
            {checkpoints
              .filter(({ number }) => number !== before?.checkpoint)
              .toReversed()
              .map(({ number, at: made }) => (
                <option key={number} value={String(number)}>
                  since checkpoint {number}, {moment(made, now.value)}
                </option>
              ))}
          </select>
        </label>
        {diff && (
          <span class="soft">
            {counted(files.length, "file")} <Counts added={sum("added")} removed={sum("removed")} /> up to{" "}
            {diff.to}
          </span>
        )}
        <button type="button" class="only-wide" onClick={() => filter({ view: isSplit ? "" : "split" })}>
          {isSplit ? "Below each other" : "Side by side"}
          <kbd>v</kbd>
        </button>
        <button
          type="button"
          class="main"
          disabled={review.comments.length === 0}
          onClick={() => void send()}
        >
          {isOverNow ? "Fork with review" : "Send review"}
          {review.comments.length > 0 && ` (${review.comments.length})`}
          <kbd>S</kbd>
        </button>
      </div>
      {sent !== undefined && <Delivery job={job} message={sent} seq={seq} />}
      {error && <p class="notice bad">{error}</p>}
      {diff?.note && <p class="notice">{diff.note}</p>}
      {!diff && !error && <p class="soft">Loading …</p>}
      {diff && files.length === 0 && !diff.note && <p class="nothing">Nothing changed in this time.</p>}
      {diff && <Strays files={files} review={review} />}
      {files.length > 0 && (
        <div class="rows">
          {files.map((file) => (
            <FileChanges
              key={`${from ?? ""} ${file.path}`}
              job={job}
              file={file}
              from={from}
              seq={seq}
              isOpen={isOpen(file.path)}
              isChosen={file.path === chosen.value.path}
              cursor={chosen.value.cursor}
              toggle={() => set(file.path, !isOpen(file.path))}
              choose={(cursor) => {
                chosen.value = { path: file.path, cursor };
              }}
              isSplit={isSplit}
              drawn={(of) => lines.current.set(file.path, of)}
              viewed={viewed[viewedAs(file.path)]}
              view={(digest) => {
                setSeen(setViewed(job, viewedAs(file.path), digest));
                if (digest !== undefined) set(file.path, false);
              }}
              review={review}
              writing={writing}
              write={write}
            />
          ))}
        </div>
      )}
      <p class="hint only-wide">
        <kbd>]</kbd>next file <kbd>j</kbd>next line <kbd>a</kbd>comment <kbd>s</kbd>since you looked
      </p>
    </section>
  );
}

/** What was said of files that are not among these: it is sent with the rest. */
function Strays({ files, review }: { files: readonly ChangedFile[]; review: Review }) {
  const shown = new Set(files.map(({ path }) => path));
  const strays = review.comments.filter(({ file }) => !shown.has(file));
  if (strays.length === 0) return null;
  return (
    <div class="rows after">
      {strays.map((comment) => (
        <StrayRemark key={`${comment.file} ${comment.line}`} comment={comment} review={review} />
      ))}
    </div>
  );
}

/** What became of a review: the agent has it, or will have it. */
function Delivery({ job, message, seq }: { job: string; message: number; seq: number }) {
  const { value } = useAsked(
    (signal) => api.listMessages({ job }, undefined, { signal }),
    [job, message, seq],
  );
  const told = value?.told.find(({ id }) => id === message);
  return (
    <p class="notice good" role="status">
      {told
        ? `The agent has your review, since ${moment(told.toldAt, now.value)}.`
        : "Your review waits for the agent's next boundary."}{" "}
      <a class="link" href={`/jobs/${job}`}>
        See what it makes of it
      </a>
    </p>
  );
}

function openAtFirst(files: readonly ChangedFile[], isViewed: (path: string) => boolean): Set<string> {
  const open = new Set<string>();
  let lines = 0;
  for (const { path, added, removed } of files) {
    if (added === null || isGenerated(path) || isViewed(path)) continue;
    const size = added + (removed ?? 0);
    if (lines + size > OPEN_LINES) continue;
    lines += size;
    open.add(path);
  }
  return open;
}

function numberIn(text: string | null): number | undefined {
  const number = Number(text);
  return text !== null && text !== "" && Number.isInteger(number) ? number : undefined;
}
