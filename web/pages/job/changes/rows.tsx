import { useMemo } from "preact/hooks";
import { type PatchRow, patchRows } from "../../../../src/git/patch-rows.ts";
import { LongList } from "../../../parts/long-list.tsx";
import type { FileProps } from "./file.tsx";
import { Remark, StrayRemark } from "./remark.tsx";
import { isSamePlace } from "./review.ts";
import { type Pair, paired } from "./split.ts";

/** Beyond this many, only the rows that can be seen are in the page. */
const WINDOWED = 300;

const itself = (at: number) => at;
const isChange = ({ kind }: PatchRow) => kind === "added" || kind === "removed";

export function Rows({ patch, ...props }: FileProps & { patch: string }) {
  const rows = useMemo(() => patchRows(patch), [patch]);
  const { isChosen, isSplit, drawn } = props;
  const lines = useMemo(() => {
    const places = rows.flatMap((row, index) => (isLine(row) ? [index] : []));
    return { places, first: Math.max(0, rows.findIndex(isChange)) };
  }, [rows]);
  drawn(lines);
  const pairs = useMemo(() => (isSplit ? paired(rows) : undefined), [isSplit, rows]);
  if (rows.length === 0) return <p class="soft note">Nothing to show: only its name or its mode changed.</p>;
  const cursor = isChosen ? (props.cursor ?? lines.first) : undefined;
  const count = pairs?.length ?? rows.length;
  const row = (at: number) => {
    const pair = pairs ? pairs[at] : { left: at };
    return (
      pair && (
        <Drawn key={at} {...props} rows={rows} pair={pair} isSplit={pairs !== undefined} cursor={cursor} />
      )
    );
  };
  const shown = pairs ? pairs.findIndex(({ left, right }) => left === cursor || right === cursor) : cursor;
  const { review, file } = props;
  const strays = review.comments.filter(
    (comment) =>
      comment.file === file.path &&
      comment.line > 0 &&
      !rows.some((each) => isLine(each) && isSamePlace(placeOf(file.path, each), comment)),
  );
  return (
    <div class={`diff${pairs ? " split" : ""}`}>
      {strays.map((comment) => (
        <StrayRemark key={`${comment.line} ${comment.isRemoved}`} comment={comment} review={review} />
      ))}
      {count <= WINDOWED ? (
        Array.from({ length: count }, (_, at) => row(at))
      ) : (
        <LongList
          label={`Changes of ${props.file.path}`}
          role="group"
          count={count}
          height={18}
          shown={cursor !== undefined && cursor !== lines.first ? shown : undefined}
          keyOf={itself}
          row={row}
        />
      )}
    </div>
  );
}

const isLine = ({ kind }: PatchRow) => kind !== "hunk" && kind !== "note";

interface DrawnProps extends FileProps {
  rows: readonly PatchRow[];
  pair: Pair;
}

/** A row, or the two that stand beside each other, and what was said of them. */
function Drawn(props: DrawnProps) {
  const { rows, pair, isSplit } = props;
  const [left, right] = [rows[pair.left ?? -1], rows[pair.right ?? -1]];
  const only = left ?? right;
  if (only && !isLine(only)) return <div class="hunk">{only.text}</div>;
  const line = (row: PatchRow | undefined, index: number | undefined, side?: "old" | "now") =>
    row && index !== undefined ? (
      <Line {...props} row={row} index={index} side={side} />
    ) : (
      <div class="line none" aria-hidden="true" />
    );
  const said = (row: PatchRow | undefined) =>
    row && <Remark {...props} place={placeOf(props.file.path, row)} quote={row.text} />;
  if (!isSplit) {
    return (
      <>
        {line(left, pair.left)}
        {said(left)}
      </>
    );
  }
  return (
    <>
      <div class="pair-of-lines">
        {line(left, pair.left, "old")}
        {line(right, pair.right, "now")}
      </div>
      {left?.kind === "removed" && said(left)}
      {said(right)}
    </>
  );
}

interface LineProps extends DrawnProps {
  row: PatchRow;
  index: number;
  side: "old" | "now" | undefined;
}

function Line({ row, index, side, file, cursor, choose, write }: LineProps) {
  const isHere = cursor === index && !(side === "old" && row.kind === "same");
  const place = placeOf(file.path, row);
  return (
    <div class={`line ${row.kind}${isHere ? " here" : ""}`} aria-current={isHere ? "true" : undefined}>
      {side !== "now" && <span>{row.old ?? ""}</span>}
      {side !== "old" && <span>{row.now ?? ""}</span>}
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
        {row.kind === "added" ? "+" : row.kind === "removed" ? "−" : " "}
      </button>
      <span>{row.text || " "}</span>
    </div>
  );
}

function placeOf(file: string, { kind, old = 0, now = 0 }: PatchRow) {
  const isRemoved = kind === "removed";
  return { file, line: isRemoved ? old : now, isRemoved };
}
