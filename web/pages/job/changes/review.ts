import { useCallback, useState } from "preact/hooks";

/** A word on a line or a file, kept in this browser until the review is sent. */
export interface Comment {
  file: string;
  /** In the file now, or in the one before where the line was removed. 0: the file as a whole. */
  line: number;
  isRemoved: boolean;
  quote: string;
  text: string;
}

export interface Review {
  comments: readonly Comment[];
  put: (comment: Comment) => void;
  remove: (comment: Comment) => void;
  clear: () => void;
}

const placeOf = (job: string) => `baton.review.${job}`;

export function useReview(job: string): Review {
  const [comments, set] = useState<readonly Comment[]>(() => kept(job));
  const keep = useCallback(
    (next: readonly Comment[]) => {
      if (next.length === 0) localStorage.removeItem(placeOf(job));
      else localStorage.setItem(placeOf(job), JSON.stringify(next));
      set(next);
    },
    [job],
  );
  const without = (comment: Comment) => comments.filter((other) => !isSamePlace(other, comment));
  return {
    comments,
    put: (comment) => keep([...without(comment), comment]),
    remove: (comment) => keep(without(comment)),
    clear: () => keep([]),
  };
}

export function isSamePlace(a: Omit<Comment, "text" | "quote">, b: Omit<Comment, "text" | "quote">): boolean {
  return a.file === b.file && a.line === b.line && a.isRemoved === b.isRemoved;
}

function kept(job: string): readonly Comment[] {
  try {
    return JSON.parse(localStorage.getItem(placeOf(job)) ?? "[]") as Comment[];
  } catch {
    return [];
  }
}

/** One message with every comment: where it is, the line itself, and what the person says of it. */
export function messageOf(comments: readonly Comment[]): string {
  const ordered = comments.toSorted((a, b) =>
    a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1,
  );
  const parts = ordered.map(({ file, line, isRemoved, quote, text }, index) => {
    if (line === 0) return `${index + 1}. ${file}\n\n${text.trim()}`;
    const where = `${index + 1}. ${file}:${line}${isRemoved ? " (a line that you removed)" : ""}`;
    return `${where}\n\n${fenced(quote)}\n\n${text.trim()}`;
  });
  const many = comments.length === 1 ? "one comment" : `${comments.length} comments`;
  return `A review of your changes, with ${many}:\n\n${parts.join("\n\n")}`;
}

/** Whatever the line holds, its fence is longer. */
function fenced(quote: string): string {
  const longest = Math.max(2, ...[...quote.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${quote}\n${fence}`;
}
