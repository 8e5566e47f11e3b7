import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

type Key = string | number;

export interface LongListProps {
  count: number;
  /** The same function as long as the rows are the same: with another, each is looked at again. */
  keyOf: (index: number) => Key;
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
}

/** Only what can be seen is in the page, however long the list is. */
export function LongList(props: LongListProps) {
  const { count, keyOf, height, tail, atStart, shown, label } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useReducer((turn: number) => turn + 1, 0);
  const isAtEnd = useRef(tail ?? false);
  const was = useRef({ scrollTop: 0, scrollHeight: 0 });
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
  // The same with every drawing, so that rows are measured once and not with every turn of the wheel.
  const [measure] = useState(() => (element: HTMLDivElement | null) => list.measureElement(element));
  list.setOptions(options);
  useLayoutEffect(() => list._didMount(), [list]);
  useLayoutEffect(() => list._willUpdate());
  const last = count === 0 ? 0 : Number(keyOf(count - 1));
  const [seen, see] = useState(last);
  const first = count === 0 ? undefined : keyOf(0);
  const held = useRef<{ first: Key | undefined; key?: Key; below?: number }>({ first });
  /** What is at the top of the view stays there, whatever is put before it. */
  const hold = () => {
    const top = scroller.current?.scrollTop ?? 0;
    const item = list.getVirtualItems().find(({ start }) => start >= top);
    held.current = { first, ...(item && { key: keyOf(item.index), below: item.start - top }) };
  };
  useLayoutEffect(() => {
    const { first: was, key, below = 0 } = held.current;
    if (was === first) return;
    const item = key === undefined ? undefined : list.measurementsCache[indexOf(key, count, keyOf)];
    if (item && scroller.current && !isAtEnd.current) scroller.current.scrollTop = item.start - below;
    hold();
  });
  useLayoutEffect(() => {
    if (isAtEnd.current) see(last);
  }, [last]);
  // With every drawing: rows turn out to be higher than they were thought to be.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (isAtEnd.current && element) element.scrollTop = element.scrollHeight;
  });
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
    const { scrollTop, scrollHeight, clientHeight } = element;
    const isUp = scrollHeight === was.current.scrollHeight && scrollTop < was.current.scrollTop;
    was.current = { scrollTop, scrollHeight };
    // Only a person scrolls up: what grows below leaves the end behind, and is followed.
    if (scrollHeight - scrollTop - clientHeight < 40) isAtEnd.current = tail ?? false;
    else if (isUp) isAtEnd.current = false;
    if (isAtEnd.current) see(last);
    hold();
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
              <div key={String(key)} data-index={index} ref={measure}>
                {props.row(index)}
              </div>
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

function indexOf(key: Key, count: number, keyOf: LongListProps["keyOf"]): number {
  for (let index = 0; index < count; index++) if (keyOf(index) === key) return index;
  return -1;
}

/** How many came after the one with this key: keys of a tail are numbers that grow. */
function newer({ count, keyOf }: LongListProps, seen: number): number {
  let first = count;
  while (first > 0 && Number(keyOf(first - 1)) > seen) first--;
  return count - first;
}
