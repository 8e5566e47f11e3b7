import { useEffect, useMemo, useState } from "preact/hooks";
import { isGenerated, type PatchRow, patchRows } from "../../../../src/git/patch-rows.ts";
import type { AnswerOf } from "../../../../src/http/contract.ts";
import { api } from "../../../data/api.ts";
import { useAsked } from "../../../data/asked.ts";
import { LongList } from "../../../parts/long-list.tsx";
import { bytes, counted } from "../../../parts/words.ts";
import { type Comment, isSamePlace, type Review } from "./review.ts";
import { digestOf } from "./seen.ts";

export type ChangedFile = AnswerOf<"getDiff">["files"][number];

interface FileProps {
  job: string;
  file: ChangedFile;
  from: number | undefined;
  /** Of the job's newest event: what is on the screen may be old. */
  seq: number;
  isOpen: boolean;
  isChosen: boolean;
  /** The line that keys act on, by its place in the file's rows. */
  cursor: number;
  toggle: () => void;
  choose: (cursor: number) => void;
  /** How many rows its changes have. */
  drawn: (rows: number) => void;
  /** The digest of what was viewed. */
  viewed: string | undefined;
  view: (digest: string | undefined) => void;
  review: Review;
  /** The line that a comment is being written on. */
  writing: Place | undefined;
  write: (place: Place | undefined) => void;
}

export type Place = Pick<Comment, "file" | "line" | "isRemoved">;

/** Beyond this many, only the rows that can be seen are in the page. */
const WINDOWED = 300;

/** One file: its head, and its changes once they are wanted. */
export function FileChanges(props: FileProps) {
  const { job, file, from, seq, isOpen, isChosen, viewed, view, review } = props;
  const { path, added, removed } = file;
  const isWanted = isOpen || viewed !== undefined;
  const { value, error } = useAsked(
    async (signal) =>
      isWanted
        ? api.getDiff({ job, file: path, ...(from !== undefined && { from }) }, undefined, { signal })
        : undefined,
    [job, path, from, isWanted, isWanted ? seq : 0],
  );
  const patch = value?.patch;
  const digest = useMemo(() => (patch === undefined ? undefined : digestOf(patch)), [patch]);
  const isViewed = viewed !== undefined && (digest === undefined || digest === viewed);
  useEffect(() => {
    // It was changed after it was viewed.
    if (viewed !== undefined && digest !== undefined && digest !== viewed) view(undefined);
  }, [viewed, digest, view]);
  const comments = review.comments.filter((comment) => comment.file === path).length;
  return (
    <section class={`file${isChosen ? " chosen" : ""}`} id={`file-${path}`} aria-label={path}>
      <div class="file-head">
        <button type="button" class="plain" aria-expanded={isOpen} onClick={props.toggle}>
          <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span> <code>{path}</code>
        </button>
        <span class="facts-line">
          {comments > 0 && <span>{counted(comments, "comment")}</span>}
          {isGenerated(path) && <span class="faint">generated</span>}
          <Counts added={added} removed={removed} />
          {digest !== undefined && (
            <label>
              <input
                type="checkbox"
                checked={isViewed}
                onChange={(event) => view(event.currentTarget.checked ? digest : undefined)}
              />{" "}
              viewed
            </label>
          )}
        </span>
      </div>
      {isOpen && error && <p class="notice bad">{error}</p>}
      {isOpen && !error && patch === undefined && <p class="soft note">Loading …</p>}
      {isOpen && patch !== undefined && <Rows {...props} patch={patch} />}
      {isOpen && value?.cut !== undefined && (
        <p class="notice">
          {bytes(value.cut)} more of this file are left out here. <code>baton diff {job}</code> prints all of
          it.
        </p>
      )}
    </section>
  );
}

export function Counts({ added, removed }: Pick<ChangedFile, "added" | "removed">) {
  if (added === null || removed === null) return <span class="faint">binary</span>;
  return (
    <span class="num">
      <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
    </span>
  );
}

function Rows({ patch, ...props }: FileProps & { patch: string }) {
  const rows = useMemo(() => patchRows(patch), [patch]);
  const { isChosen, cursor, drawn } = props;
  drawn(rows.length);
  if (rows.length === 0) return <p class="soft note">Nothing to show: only its name or its mode changed.</p>;
  const row = (index: number) => {
    const shown = rows[index];
    return shown && <Row key={index} {...props} row={shown} index={index} />;
  };
  return (
    <div class="diff">
      {rows.length <= WINDOWED ? (
        rows.map((_, index) => row(index))
      ) : (
        <LongList
          label={`Changes of ${props.file.path}`}
          role="group"
          count={rows.length}
          height={18}
          shown={isChosen && cursor > 0 ? cursor : undefined}
          keyOf={(index) => index}
          row={row}
        />
      )}
    </div>
  );
}

function Row({ row, index, file, isChosen, cursor, choose, review, writing, write }: RowProps) {
  if (row.kind === "hunk" || row.kind === "note") return <div class="hunk">{row.text}</div>;
  const isRemoved = row.kind === "removed";
  const place = { file: file.path, line: (isRemoved ? row.old : row.now) ?? 0, isRemoved };
  const comment = review.comments.find((one) => isSamePlace(one, place));
  const isWriting = writing !== undefined && isSamePlace(writing, place);
  const isHere = isChosen && cursor === index;
  return (
    <>
      <div class={`line ${row.kind}${isHere ? " here" : ""}`} aria-current={isHere ? "true" : undefined}>
        <span>{row.old ?? ""}</span>
        <span>{row.now ?? ""}</span>
        <button
          type="button"
          class="plain mark"
          tabIndex={-1}
          aria-label={`Comment on line ${place.line}`}
          onClick={() => {
            choose(index);
            write(place);
          }}
        >
          {row.kind === "added" ? "+" : isRemoved ? "−" : " "}
        </button>
        <span>{row.text || " "}</span>
      </div>
      {isWriting ? (
        <CommentForm
          text={comment?.text ?? ""}
          save={(text) => {
            review.put({ ...place, quote: row.text, text });
            write(undefined);
          }}
          cancel={() => write(undefined)}
        />
      ) : (
        comment && (
          <div class="comment">
            <span>{comment.text}</span>
            <span class="acts">
              <button type="button" onClick={() => write(place)}>
                Edit
              </button>
              <button type="button" onClick={() => review.remove(comment)}>
                Remove
              </button>
            </span>
          </div>
        )
      )}
    </>
  );
}

interface RowProps extends FileProps {
  row: PatchRow;
  index: number;
}

function CommentForm({ text: first, save, cancel }: CommentFormProps) {
  const [text, setText] = useState(first);
  const isEmpty = text.trim() === "";
  return (
    <form
      class="comment"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isEmpty) save(text.trim());
      }}
    >
      <textarea
        rows={2}
        aria-label="Comment"
        placeholder="What should the agent know about this line?"
        value={text}
        ref={(element) => {
          if (element && document.activeElement !== element && first === text) element.focus();
        }}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") cancel();
          else if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
            if (!isEmpty) save(text.trim());
          } else return;
          event.preventDefault();
        }}
      />
      <span class="acts">
        <button type="submit" disabled={isEmpty}>
          Add to the review<kbd>⌘Enter</kbd>
        </button>
        <button type="button" onClick={cancel}>
          Cancel<kbd>Esc</kbd>
        </button>
      </span>
    </form>
  );
}

interface CommentFormProps {
  text: string;
  save: (text: string) => void;
  cancel: () => void;
}
