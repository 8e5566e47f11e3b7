import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { allKeys, keyName } from "../data/keys.ts";
import { useDialog } from "./dialog.ts";

/** What the person has called up over the page. */
export const over = signal<"palette" | "keys" | "new job" | undefined>(undefined);

/** What a new job begins with, as another one was asked for it. */
export interface Draft {
  project: string;
  agent: string;
  prompt: string;
  most?: number;
}

export const draft = signal<Draft | undefined>(undefined);

const close = () => {
  over.value = undefined;
};

/** One thing that the palette offers. */
export interface Offer {
  title: string;
  hint?: string;
  run: () => void;
}

/** Everything by its name: pages, jobs, and what the keys of this page do. */
export function Palette({ offers }: { offers: readonly Offer[] }) {
  const [wanted, setWanted] = useState("");
  const [chosen, choose] = useState(0);
  const dialog = useDialog(close);
  const all = [
    ...allKeys()
      .filter(({ isQuiet }) => !isQuiet)
      .map(({ does, key, run }): Offer => ({ title: does, hint: key, run })),
    ...offers,
  ];
  const shown = all.filter(({ title }) => matches(title, wanted)).slice(0, 50);
  const take = (offer: Offer | undefined) => {
    over.value = undefined;
    offer?.run();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Commands">
      <input
        aria-label="What do you want to do?"
        placeholder="Type a command, a page or a job"
        value={wanted}
        role="combobox"
        aria-expanded="true"
        aria-controls="offers"
        aria-activedescendant={`offer-${chosen}`}
        onInput={(event) => {
          setWanted(event.currentTarget.value);
          choose(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") choose(Math.min(chosen + 1, shown.length - 1));
          else if (event.key === "ArrowUp") choose(Math.max(0, chosen - 1));
          else if (event.key === "Enter") take(shown[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <div role="listbox" id="offers" aria-label="Commands">
        {shown.map((offer, index) => (
          <div
            key={`${offer.title} ${offer.hint ?? ""}`}
            id={`offer-${index}`}
            class="offer"
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => take(offer)}
            onKeyDown={() => {}}
          >
            <span>{offer.title}</span>
            {offer.hint && <kbd>{keyName(offer.hint)}</kbd>}
          </div>
        ))}
        {shown.length === 0 && <p class="soft">Nothing is called that.</p>}
      </div>
    </dialog>
  );
}

/** Every word that was typed stands in it. */
function matches(title: string, wanted: string): boolean {
  const lower = title.toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

/** The keys that this page knows. */
export function KeyList() {
  const dialog = useDialog(close);
  return (
    <dialog ref={dialog} class="of-keys" aria-label="Keys">
      <h2>Keys</h2>
      <dl class="keys">
        {allKeys().map(({ key, does }) => (
          <div key={key}>
            <dt>
              <kbd>{keyName(key)}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
