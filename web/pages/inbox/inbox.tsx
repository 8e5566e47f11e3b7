import { useState } from "preact/hooks";
import { now } from "../../data/clock.ts";
import { inbox, loadInbox } from "../../data/inbox.ts";
import { useKeys } from "../../data/keys.ts";
import { attempt } from "../../parts/attempt.ts";
import { numberWord } from "../../parts/words.ts";
import { InboxCard } from "./card.tsx";
import { SinceYouLooked } from "./since.tsx";

/** Home: who needs me. Answered in place, by key. */
export function Inbox() {
  const all = inbox.value;
  const [chosen, choose] = useState<string | undefined>(undefined);
  const at = Math.max(
    0,
    all.findIndex(({ id }) => id === chosen),
  );
  const current = all[at];
  const move = (by: number) => {
    const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
    choose(next?.id);
    if (next) document.getElementById(`inbox-${next.id}`)?.focus();
  };
  const act = async (work: () => Promise<unknown>, done: string) => {
    await attempt(work, done);
    await attempt(loadInbox);
  };
  useKeys([
    { key: "j", does: "next in the inbox", run: () => move(1), isQuiet: true },
    { key: "k", does: "previous in the inbox", run: () => move(-1), isQuiet: true },
  ]);
  return (
    <section>
      <h1>{titleFor(all.length)}</h1>
      <SinceYouLooked />
      <div aria-live="polite">
        {all.map((row) => (
          <InboxCard
            key={`${row.project} ${row.kind} ${row.id}`}
            row={row}
            now={now.value}
            isChosen={row === current}
            choose={() => choose(row.id)}
            act={(work, done) => void act(work, done)}
          />
        ))}
      </div>
    </section>
  );
}

function titleFor(count: number): string {
  if (count === 0) return "Nothing needs you";
  return count === 1 ? "One thing needs you" : `${numberWord(count)} things need you`;
}
