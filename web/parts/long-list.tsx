import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

export interface LongListProps {
  count: number;
  keyOf: (index: number) => string | number;
  row: (index: number) => ComponentChildren;
  /** Of a row that nobody has seen yet. */
  height: number;
  label: string;
  /** `log`: what comes is put at its end. */
  role?: "log" | "group";
  /** Stays at the end while the person is there. */
  tail?: boolean;
  /** The person has come near the beginning: earlier rows may be fetched. */
  atStart?: () => void;
  /** Bring this one into view. */
  shown?: number | undefined;
  /** Rows were put before the first, which keeps its place on the screen. */
  before?: number;
}

/** Only what can be seen is in the page, however long the list is. */
export function LongList(props: LongListProps) {
  const { count, keyOf, height, tail, atStart, shown, label, before = 0 } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((turn: number) => turn + 1, 0);
  const isAtEnd = useRef(tail ?? false);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: keyOf,
    overscan: 8,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw(0),
  };
  const [list] = useState(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options));
  list.setOptions(options);
  useLayoutEffect(() => list._didMount(), [list]);
  useLayoutEffect(() => list._willUpdate());
  const last = count === 0 ? 0 : Number(keyOf(count - 1));
  const [seen, see] = useState(last);
  const had = useRef(before);
  useLayoutEffect(() => {
    if (before > had.current) list.scrollToIndex(before - had.current, { align: "start" });
    had.current = before;
  }, [before, list]);
  useLayoutEffect(() => {
    if (!isAtEnd.current) return;
    see(last);
    if (count > 0) list.scrollToIndex(count - 1, { align: "end" });
  }, [count, last, list]);
  useLayoutEffect(() => {
    if (shown === undefined) return;
    isAtEnd.current = false;
    list.scrollToIndex(shown, { align: "center" });
  }, [shown, list]);
  const items = list.getVirtualItems();
  const offset = items[0]?.start ?? 0;
  const scrolled = () => {
    const element = scroller.current;
    if (!element) return;
    isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 40;
    if (isAtEnd.current) see(last);
    if (element.scrollTop < 400) atStart?.();
  };
  const below = tail && !isAtEnd.current ? newer(props, seen) : 0;
  return (
    <div class="holds-long">
      {below > 0 && (
        <button
          type="button"
          class="below"
          onClick={() => {
            isAtEnd.current = true;
            see(last);
            list.scrollToIndex(count - 1, { align: "end" });
          }}
        >
          {below} new below
        </button>
      )}
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles take a name. */}
      <div
        class="long"
        ref={scroller}
        onScroll={scrolled}
        role={props.role ?? "log"}
        aria-label={label}
        aria-live="off"
        tabIndex={0}
      >
        <div style={{ height: `${list.getTotalSize()}px`, position: "relative" }}>
          <div style={{ transform: `translateY(${offset}px)` }}>
            {items.map(({ index, key }) => (
              <div key={String(key)} data-index={index} ref={(element) => list.measureElement(element)}>
                {props.row(index)}
              </div>
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

/** How many came after the one with this key: keys of a tail are numbers that grow. */
function newer({ count, keyOf }: LongListProps, seen: number): number {
  let first = count;
  while (first > 0 && Number(keyOf(first - 1)) > seen) first--;
  return count - first;
}
