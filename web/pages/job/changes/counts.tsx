import type { AnswerOf } from "../../../../src/http/contract.ts";

type Counted = Pick<AnswerOf<"getDiff">["files"][number], "added" | "removed">;

/** Lines that came, and lines that went. */
export function Counts({ added, removed }: Counted) {
  if (added === null || removed === null) return <span class="faint">binary</span>;
  return (
    <span class="num">
      <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
    </span>
  );
}
