import { money } from "./words.ts";

interface Day {
  date: Date;
  usd: number;
}

const HEIGHT = 120;
const TOP = 16;
const FOOT = 18;
const THICKEST = 44;

/** What each day cost, as bars. A reader of screens gets the same as a list. */
export function DayBars({ days }: { days: readonly Day[] }) {
  const most = Math.max(1e-9, ...days.map(({ usd }) => usd));
  const width = Math.max(18, Math.floor(840 / days.length));
  // With many days every label would touch the next.
  const every = Math.ceil(days.length / 10);
  return (
    <div class="card">
      <svg
        class="days"
        viewBox={`0 0 ${width * days.length} ${HEIGHT + TOP + FOOT}`}
        preserveAspectRatio="xMinYMid meet"
        aria-hidden="true"
      >
        {days.map(({ date, usd }, index) => {
          const height = (usd / most) * HEIGHT;
          const x = index * width;
          const thick = Math.min(width * 0.7, THICKEST);
          return (
            <g key={date.getTime()}>
              <title>{`${long(date)}: ${money(usd)}`}</title>
              <rect x={x} y={TOP} width={width} height={HEIGHT} fill="transparent" />
              <rect
                x={x + (width - thick) / 2}
                y={TOP + HEIGHT - Math.max(usd > 0 ? 1 : 0, height)}
                width={thick}
                height={Math.max(usd > 0 ? 1 : 0, height)}
                rx="2"
                fill="var(--fill)"
              />
              {usd === most && (
                <text x={x + width / 2} y={TOP + HEIGHT - height - 4} text-anchor="middle" class="strong">
                  {money(usd)}
                </text>
              )}
              {(days.length - 1 - index) % every === 0 && (
                <text x={x + width / 2} y={TOP + HEIGHT + 14} text-anchor="middle">
                  {short(date)}
                </text>
              )}
            </g>
          );
        })}
        <line x1="0" x2={width * days.length} y1={TOP + HEIGHT} y2={TOP + HEIGHT} stroke="var(--line)" />
      </svg>
      <ul class="hidden-from-eyes">
        {days.map(({ date, usd }) => (
          <li key={date.getTime()}>
            {long(date)}: {money(usd)}
          </li>
        ))}
      </ul>
    </div>
  );
}

const short = (date: Date) => date.toLocaleDateString([], { day: "numeric", month: "short" });
const long = (date: Date) => date.toLocaleDateString([], { weekday: "short", day: "numeric", month: "long" });
