import { useRef } from "preact/hooks";

interface Placed {
  id: string;
  /** The heading that it stands below. */
  group: string;
}

/** The places that rows had when the pointer came over them: nothing moves under it. New ones go to the end until it leaves. */
export function useSteady<T extends Placed>(fresh: readonly T[]) {
  const isOver = useRef(false);
  const held = useRef<ReadonlyMap<string, { index: number; group: string }>>(new Map());
  const placeOf = ({ id }: T) => held.current.get(id)?.index ?? Infinity;
  const shown = isOver.current
    ? fresh
        .map((row) => ({ ...row, group: held.current.get(row.id)?.group ?? row.group }))
        .toSorted((a, b) => (placeOf(a) === placeOf(b) ? 0 : placeOf(a) - placeOf(b)))
    : fresh;
  held.current = new Map(shown.map(({ id, group }, index) => [id, { index, group }]));
  return {
    shown,
    over: {
      onPointerEnter: ({ pointerType }: PointerEvent) => {
        isOver.current = pointerType === "mouse";
      },
      onPointerLeave: () => {
        isOver.current = false;
      },
    },
  };
}
