import { useLayoutEffect } from "preact/hooks";

/** A key, or two one after the other (`g i`), and what it does, as the list of keys shows it. */
export interface Key {
  key: string;
  does: string;
  run: () => void;
  /** Known to the list, and offered by the button that it presses: not in the palette again. */
  isQuiet?: boolean;
}

/** As it is printed on this person's keyboard. */
const COMMAND = /mac|iphone|ipad/i.test(navigator.platform) ? "⌘" : "Ctrl ";

/** A key as people know it. */
export const keyName = (key: string) => key.replace("⌘", COMMAND);

/** Of the page that is open, the newest part last: it comes first. */
const known: Key[][] = [];
let waiting = "";

export function allKeys(): Key[] {
  const seen = new Set<string>();
  return known
    .toReversed()
    .flat()
    .filter(({ key }) => !seen.has(key) && seen.add(key));
}

/** Keys for as long as a part is on the page. */
export function useKeys(keys: Key[]): void {
  // With what is drawn, not after it: the next key may come at once.
  useLayoutEffect(() => {
    known.push(keys);
    return () => {
      known.splice(known.indexOf(keys), 1);
    };
  });
}

export function listenForKeys(): void {
  addEventListener("keydown", (event) => {
    if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
    if (event.altKey) return;
    const pressed = nameOf(event);
    if (pressed === undefined || isItsOwn(event.target, pressed)) return;
    const keys = allKeys();
    const both = `${waiting} ${pressed}`;
    const found = keys.find(({ key }) => key === both) ?? keys.find(({ key }) => key === pressed);
    waiting = keys.some(({ key }) => key.startsWith(`${pressed} `)) ? pressed : "";
    if (!found) return;
    waiting = "";
    event.preventDefault();
    found.run();
  });
}

function nameOf(event: KeyboardEvent): string | undefined {
  if (["Shift", "Control", "Meta"].includes(event.key)) return undefined;
  const isCommand = event.metaKey || event.ctrlKey;
  if (isCommand && event.key !== "k" && event.key !== "Enter") return undefined;
  return isCommand ? `⌘${event.key}` : event.key === " " ? "Space" : event.key;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]") !== null
  );
}

/** What is pressed by Enter and Space where it has the focus. */
function isItsOwn(target: EventTarget | null, pressed: string): boolean {
  if (pressed !== "Enter" && pressed !== "Space") return false;
  return target instanceof Element && target.closest("a, button, summary, input") !== null;
}
