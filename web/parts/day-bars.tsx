import { money } from "./words.ts";

interface Day {
  date: Date;
  usd: number;
}

/** As many labels as fit on a narrow screen. */
const LABELS = 7;

/** What each day cost, as columns: a list, whose figures are for those who do not see them. */
export function DayBars({ days }: { days: readonly Day[] }) {
  const most = Math.max(1e-9, ...days.map(({ usd }) => usd));
  const every = Math.ceil(days.length / LABELS);
  return (
    <ol class="card days" aria-label="By day">
      {days.map(({ date, usd }, index) => (
        <li key={date.getTime()} title={`${long(date)}: ${money(usd)}`}>
          <span class="hidden-from-eyes">
            {long(date)}: {money(usd)}
          </span>
          <span class="column" aria-hidden="true" style={{ height: `${(usd / most) * 100}%` }}>
            {(usd === most || (usd > 0 && days.length <= LABELS)) && <b>{money(usd)}</b>}
          </span>
          <span class="day" aria-hidden="true">
            {(days.length - 1 - index) % every === 0 && (
              <span>{short(date, index < every || date.getDate() <= every)}</span>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Its month is said once, and where it changes. */
const short = (date: Date, withMonth: boolean) =>
  withMonth ? date.toLocaleDateString([], { day: "numeric", month: "short" }) : String(date.getDate());
const long = (date: Date) => date.toLocaleDateString([], { weekday: "short", day: "numeric", month: "long" });
