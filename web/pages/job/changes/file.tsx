import { useEffect, useMemo } from "preact/hooks";
import { isGenerated } from "../../../../src/git/patch-rows.ts";
import type { AnswerOf } from "../../../../src/http/contract.ts";
import { api } from "../../../data/api.ts";
import { useAsked } from "../../../data/asked.ts";
import { bytes, counted } from "../../../parts/words.ts";
import { Counts } from "./counts.tsx";
import { Remark } from "./remark.tsx";
import { type Comment, isSamePlace, type Review } from "./review.ts";
import { Rows } from "./rows.tsx";
import { digestOf } from "./seen.ts";

export type ChangedFile = AnswerOf<"getDiff">["files"][number];

export interface FileProps {
  job: string;
  file: ChangedFile;
  from: number | undefined;
  /** Of the job's newest event: what is on the screen may be old. */
  seq: number;
  isOpen: boolean;
  isChosen: boolean;
  /** The line that keys act on, by its place in the file's rows. Undefined: the first that changed. */
  cursor: number | undefined;
  /** What was beside what is. */
  isSplit: boolean;
  toggle: () => void;
  choose: (cursor: number) => void;
  /** Its lines, by their places in its rows, and the first of them that changed. */
  drawn: (lines: { places: readonly number[]; first: number }) => void;
  /** The digest of what was viewed. */
  viewed: string | undefined;
  view: (digest: string | undefined) => void;
  review: Review;
  /** The line that a comment is being written on. */
  writing: Place | undefined;
  write: (place: Place | undefined) => void;
}

export type Place = Pick<Comment, "file" | "line" | "isRemoved">;

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
  const whole = { file: path, line: 0, isRemoved: false };
  /** Its agent does it: nobody else is to change a file below it. */
  const askToRevert = () => {
    const said = review.comments.find((comment) => isSamePlace(comment, whole))?.text;
    const wanted = `Revert this file to what it was ${from === undefined ? "when the job began" : `at checkpoint ${from}`}.`;
    if (said?.includes(wanted)) return;
    review.put({ ...whole, quote: "", text: said === undefined ? wanted : `${said}\n\n${wanted}` });
  };
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
          <button type="button" class="plain link" onClick={() => props.write(whole)}>
            comment<span class="hidden-from-eyes"> on {path}</span>
          </button>
          <button type="button" class="plain link" onClick={askToRevert}>
            ask to revert<span class="hidden-from-eyes"> {path}</span>
          </button>
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
      <Remark {...props} place={whole} quote="" />
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
