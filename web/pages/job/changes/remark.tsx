import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { keyName } from "../../../data/keys.ts";
import type { FileProps, Place } from "./file.tsx";
import { type Comment, isSamePlace, type Review } from "./review.ts";

interface RemarkProps extends Pick<FileProps, "review" | "writing" | "write"> {
  place: Place;
  /** What it is said of. */
  of?: string;
  /** The line itself; nothing where the whole file is meant. */
  quote: string;
}

/** What a person says of a line or a file, or is about to. */
export function Remark({
  place,
  of = place.line === 0 ? "file" : "line",
  quote,
  review,
  writing,
  write,
}: RemarkProps) {
  const comment = review.comments.find((one) => isSamePlace(one, place));
  if (writing !== undefined && isSamePlace(writing, place)) {
    return (
      <CommentForm
        of={of}
        text={comment?.text ?? ""}
        save={(text) => {
          review.put({ ...place, quote, text });
          write(undefined);
        }}
        cancel={() => write(undefined)}
      />
    );
  }
  if (!comment) return null;
  return (
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
  );
}

/** A comment whose line is not among those that are shown: it is still sent, with the line as it was. */
export function StrayRemark({ comment, review }: { comment: Comment; review: Review }) {
  const { file, line, quote, text } = comment;
  return (
    <div class="comment">
      <span class="faint">
        {file}
        {line > 0 && `, line ${line}, which is not shown here`}
        {quote !== "" && (
          <>
            : <code>{quote}</code>
          </>
        )}
      </span>
      <span>{text}</span>
      <span class="acts">
        <button type="button" onClick={() => review.remove(comment)}>
          Remove
        </button>
      </span>
    </div>
  );
}

interface CommentFormProps {
  of: string;
  text: string;
  save: (text: string) => void;
  cancel: () => void;
}

function CommentForm({ of, text: first, save, cancel }: CommentFormProps) {
  const [text, setText] = useState(first);
  const field = useRef<HTMLTextAreaElement>(null);
  // With what is drawn, not after it: the next key may come at once.
  useLayoutEffect(() => field.current?.focus(), []);
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
        placeholder={`What should the agent know about this ${of}?`}
        value={text}
        ref={field}
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
          Add to the review<kbd>{keyName("⌘Enter")}</kbd>
        </button>
        <button type="button" onClick={cancel}>
          Cancel<kbd>Esc</kbd>
        </button>
      </span>
    </form>
  );
}
