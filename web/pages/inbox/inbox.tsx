import { useState } from "preact/hooks";
import { now } from "../../data/clock.ts";
import { type InboxRow, inbox, keyOfRow, loadInbox, snooze, snoozedRows, wakeAll } from "../../data/inbox.ts";
import { useKeys } from "../../data/keys.ts";
import { useSteady } from "../../data/steady.ts";
import { attempt } from "../../parts/attempt.ts";
import { say } from "../../parts/said.tsx";
import { counted, numberWord } from "../../parts/words.ts";
import { InboxCard } from "./card.tsx";
import { type Deed, deedsOf } from "./deeds.ts";
import { SinceYouLooked } from "./since.tsx";

const HOUR_MS = 3_600_000;

/** Home: who needs me. Answered in place, by key. */
export function Inbox() {
  const { shown, over } = useSteady(inbox.value.map((row) => ({ id: keyOfRow(row), group: "", row })));
  const all = shown.map(({ row }) => row);
  const [chosen, choose] = useState<string | undefined>(undefined);
  const [marked, mark] = useState<ReadonlySet<string>>(new Set());
  const [because, setBecause] = useState<Readonly<Record<string, string>>>({});
  const at = Math.max(
    0,
    all.findIndex((row) => keyOfRow(row) === chosen),
  );
  const current = all[at];
  const move = (by: number) => {
    const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
    if (!next) return;
    choose(keyOfRow(next));
    document.getElementById(`inbox-${next.id}`)?.focus();
  };
  const toggle = (row: InboxRow) => {
    const next = new Set(marked);
    if (!next.delete(keyOfRow(row))) next.add(keyOfRow(row));
    mark(next);
  };
  const isMarked = (row: InboxRow) => marked.has(keyOfRow(row));
  const deeds = (row: InboxRow) => deedsOf(row, (because[keyOfRow(row)] ?? "").trim());
  const act = async (deed: Deed) => {
    let isDone = true;
    const run = async () => {
      isDone = (await deed.run()) !== false;
    };
    if ((await attempt(run)) && isDone && deed.done !== undefined) say(deed.done);
    if (deed.done !== undefined) await attempt(loadInbox);
  };
  /** The same for all that are marked and can be answered like that. */
  const actByKey = async (key: string) => {
    const rows = all.filter(isMarked);
    if (rows.length === 0 || key === "Enter") {
      const deed = current && deeds(current).find((each) => each.key === key);
      if (deed) await act(deed);
      return;
    }
    const fit = rows.flatMap((row) => deeds(row).filter((each) => each.key === key));
    const results = await Promise.all(fit.map(({ run }) => attempt(run)));
    const done = results.filter(Boolean).length;
    if (done > 0) say(`${fit[0]?.name.split(" ")[0]}: done for ${counted(done, "row")}.`);
    mark(new Set());
    await attempt(loadInbox);
  };
  const forAnHour = () => {
    const rows = all.some(isMarked) ? all.filter(isMarked) : current ? [current] : [];
    snooze(rows, HOUR_MS);
    mark(new Set());
    say(`${counted(rows.length, "row")} will come again in an hour.`);
  };
  const offered = all.some(isMarked) ? all.filter(isMarked).flatMap(deeds) : current ? deeds(current) : [];
  const keys = new Map(offered.map(({ key, name }) => [key, name]));
  useKeys([
    { key: "j", does: "next in the inbox", run: () => move(1), isQuiet: true },
    { key: "k", does: "previous in the inbox", run: () => move(-1), isQuiet: true },
    {
      key: "x",
      does: "mark it, to answer several at once",
      run: () => current && toggle(current),
      isQuiet: true,
    },
    { key: "z", does: "leave it out for an hour", run: forAnHour },
    ...[...keys].map(([key, name]) => ({ key, does: name.toLowerCase(), run: () => void actByKey(key) })),
    ...(current?.ask
      ? [
          {
            key: "i",
            does: current.kind === "question" ? "answer" : "say why not",
            run: () =>
              document.querySelector<HTMLInputElement>(".ask.chosen :is(.because, .question input)")?.focus(),
            isQuiet: true,
          },
        ]
      : []),
  ]);
  const left = snoozedRows.value.length;
  return (
    <section>
      <h1>{titleFor(all.length)}</h1>
      <SinceYouLooked />
      {/* What comes is said aloud; how long all else has waited by now is not. */}
      <div aria-live="polite" aria-relevant="additions" {...over}>
        {all.map((row) => (
          <InboxCard
            key={keyOfRow(row)}
            row={row}
            now={now.value}
            isChosen={row === current}
            isMarked={isMarked(row)}
            deeds={deeds(row)}
            because={because[keyOfRow(row)] ?? ""}
            say={(text) => setBecause({ ...because, [keyOfRow(row)]: text })}
            choose={() => choose(keyOfRow(row))}
            mark={() => toggle(row)}
            act={(deed) => void act(deed)}
          />
        ))}
      </div>
      {left > 0 && (
        <p class="soft">
          {counted(left, "row")} left out for an hour.{" "}
          <button type="button" class="plain link" onClick={wakeAll}>
            Show {left === 1 ? "it" : "them"}
          </button>
        </p>
      )}
    </section>
  );
}

function titleFor(count: number): string {
  if (count === 0) return "Nothing needs you";
  return count === 1 ? "One thing needs you" : `${numberWord(count)} things need you`;
}
