import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isGenerated } from "../../../src/git/patch-rows.ts";
import { api } from "../../data/api.ts";
import { useAsked } from "../../data/asked.ts";
import { now } from "../../data/clock.ts";
import { rowOf } from "../../data/fleet.ts";
import { useJob } from "../../data/job.ts";
import { useKeys } from "../../data/keys.ts";
import { filter, go, query } from "../../data/place.ts";
import { attempt } from "../../parts/attempt.ts";
import { counted, moment } from "../../parts/words.ts";
import { type ChangedFile, Counts, FileChanges, type Place } from "./changes/file.tsx";
import { messageOf, useReview } from "./changes/review.ts";
import { lastLook, looked, setViewed, viewedIn } from "./changes/seen.ts";

const OVER = new Set(["completed", "failed", "cancelled"]);

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
  const { value: diff, error } = useAsked(
    (signal) => api.getDiff({ job, ...(from !== undefined && { from }) }, undefined, { signal }),
    [job, from, seq],
  );
  const files = diff?.files ?? [];
  const isOver = open !== undefined && OVER.has(open.status);
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
  const chosen = useSignal({ path: "", cursor: 0 });
  const sizes = useRef(new Map<string, number>());
  const [writing, write] = useState<Place | undefined>(undefined);
  const at = () => files.findIndex(({ path }) => path === chosen.value.path);
  const goTo = (index: number) => {
    const file = files[Math.max(0, Math.min(files.length - 1, index))];
    if (!file) return;
    set(file.path, true);
    chosen.value = { path: file.path, cursor: 0 };
    document.getElementById(`file-${file.path}`)?.scrollIntoView({ block: "nearest" });
  };
  const move = (by: number) => {
    if (at() === -1) goTo(0);
    const { path, cursor } = chosen.value;
    const last = (sizes.current.get(path) ?? 1) - 1;
    chosen.value = { path, cursor: Math.max(0, Math.min(last, cursor + by)) };
    requestAnimationFrame(() => document.querySelector(".diff .here")?.scrollIntoView({ block: "nearest" }));
  };
  const send = async () => {
    if (review.comments.length === 0) return;
    const text = messageOf(review.comments);
    if (isOver) {
      // Its agent hears nothing any more: another continues from there.
      const isForked = await attempt(async () => {
        const { job: made } = await api.forkJob({ job }, { says: text });
        review.clear();
        go(`/jobs/${made}`);
      }, "This new job continues from there, with your review.");
      if (isForked) return;
    } else if (
      await attempt(() => api.sendMessage({ job }, { text }), "The review is on its way to the agent.")
    ) {
      review.clear();
    }
    reload();
  };
  useKeys([
    { key: "]", does: "next file", run: () => goTo(at() + 1) },
    { key: "[", does: "previous file", run: () => goTo(at() - 1) },
    { key: "j", does: "next line", run: () => move(1), isQuiet: true },
    { key: "k", does: "previous line", run: () => move(-1), isQuiet: true },
    {
      key: "a",
      does: "comment on the line",
      run: () => document.querySelector<HTMLButtonElement>(".diff .here .mark")?.click(),
      isQuiet: true,
    },
    { key: "S", does: "send the review", run: () => void send() },
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
            {before && checkpoints.some(({ number }) => number === before.checkpoint) && (
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
        <button
          type="button"
          class="main"
          disabled={review.comments.length === 0}
          onClick={() => void send()}
        >
          {isOver ? "Fork with review" : "Send review"}
          {review.comments.length > 0 && ` (${review.comments.length})`}
          <kbd>S</kbd>
        </button>
      </div>
      {error && <p class="notice bad">{error}</p>}
      {diff?.note && <p class="notice">{diff.note}</p>}
      {!diff && !error && <p class="soft">Loading …</p>}
      {diff && files.length === 0 && <p class="nothing">Nothing changed in this time.</p>}
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
              drawn={(rows) => sizes.current.set(file.path, rows)}
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
      <p class="faint">
        <kbd>]</kbd> next file <kbd>j</kbd> next line <kbd>a</kbd> comment
      </p>
    </section>
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
