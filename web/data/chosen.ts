import { useState } from "preact/hooks";
import { useKeys } from "./keys.ts";

interface Chosen {
  /** Undefined where there is nothing to choose from. */
  id: string | undefined;
  choose: (id: string) => void;
  isOpen: (id: string) => boolean;
  toggle: (id: string) => void;
}

/** Whatever has the focus is chosen. A pointer chooses once it has clicked: what that shows must not move what is being pressed. */
export const choosing = (choose: () => void) => ({
  onFocusIn: ({ target }: { target: EventTarget | null }) => {
    if (target instanceof Element && target.matches(":focus-visible")) choose();
  },
  // Once the click is over: drawn again in the middle of it, a checkbox would stay as it was.
  onClick: () => void setTimeout(choose),
});

/** One of a list, by `j` and `k`, and those whose details are open, by `o`. Rows have their id as that of their element. */
export function useChosen(ids: readonly string[], what: string): Chosen {
  const [chosen, choose] = useState<string | undefined>(undefined);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const id = chosen !== undefined && ids.includes(chosen) ? chosen : ids[0];
  const toggle = (which: string) => {
    const next = new Set(open);
    if (!next.delete(which)) next.add(which);
    setOpen(next);
  };
  const move = (by: number) => {
    const at = chosen === undefined ? -1 : ids.indexOf(chosen);
    const next = ids[Math.max(0, Math.min(ids.length - 1, at === -1 ? 0 : at + by))];
    if (next === undefined) return;
    choose(next);
    document.getElementById(next)?.scrollIntoView({ block: "nearest" });
  };
  useKeys([
    { key: "j", does: `next ${what}`, run: () => move(1), isQuiet: true },
    { key: "k", does: `previous ${what}`, run: () => move(-1), isQuiet: true },
    {
      key: "o",
      does: `open or close the details of the ${what}`,
      run: () => id !== undefined && toggle(id),
      isQuiet: true,
    },
  ]);
  return { id, choose, isOpen: (which) => open.has(which), toggle };
}
