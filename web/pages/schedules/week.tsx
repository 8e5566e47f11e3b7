import type { AnswerOf } from "../../../src/http/contract.ts";
import { counted, timeOfDay } from "../../parts/words.ts";

type Schedule = AnswerOf<"listSchedules">["schedules"][number];

interface Coming {
  at: Date;
  schedule: Schedule;
  /** With how many later ones of that day it stands in one line. */
  more: number;
}

const DAYS = 7;
/** The server tells no more times than this. */
const MOST_TOLD = 60;
/** On one day, each with its time. */
const MOST_EACH = 3;

/** What comes by itself, day by day, in the time of the browser. */
export function Week({ schedules, now }: { schedules: readonly Schedule[]; now: Date }) {
  const some = schedules.filter(({ week }) => week.length > 0);
  const [often, rest] = [some.filter(isOften), some.filter((each) => !isOften(each))];
  if (some.length === 0) return null;
  const days = Array.from({ length: DAYS }, (_, days) => startOfDay(now, days));
  return (
    <section class="coming" aria-label="The next seven days">
      <h2>The next seven days</h2>
      <ol class="rows week">
        {days.map((day, index) => (
          <li key={day.getTime()}>
            <span class="day">{index === 0 ? "Today" : `${WEEKDAY.format(day)} ${day.getDate()}`}</span>
            <Fires of={rest.flatMap((schedule) => comingOn(day, schedule))} />
          </li>
        ))}
      </ol>
      {often.length > 0 && (
        <p class="soft">
          All the time: {often.map(({ name, agent, when }) => `${name} of ${agent}, ${when}`).join(" · ")}
        </p>
      )}
    </section>
  );
}

function Fires({ of }: { of: readonly Coming[] }) {
  if (of.length === 0) return <span class="faint">nothing</span>;
  const sorted = of.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  return (
    <ul class="plain-list">
      {sorted.map(({ at, schedule: { project, agent, name }, more }) => (
        <li key={`${at.getTime()} ${project}/${agent}/${name}`}>
          <time dateTime={at.toISOString()}>{timeOfDay(at)}</time> {name}{" "}
          <span class="faint">
            {agent}
            {more > 0 && `, and ${counted(more, "time")} more`}
          </span>
        </li>
      ))}
    </ul>
  );
}

const isOften = ({ week }: Schedule) => week.length >= MOST_TOLD;

function comingOn(day: Date, schedule: Schedule): Coming[] {
  const end = startOfDay(day, 1);
  const times = schedule.week.map((at) => new Date(at)).filter((at) => at >= day && at < end);
  const [first] = times;
  if (first && times.length > MOST_EACH) return [{ at: first, schedule, more: times.length - 1 }];
  return times.map((at) => ({ at, schedule, more: 0 }));
}

function startOfDay(from: Date, daysOn: number): Date {
  return new Date(from.getFullYear(), from.getMonth(), from.getDate() + daysOn);
}

const WEEKDAY = new Intl.DateTimeFormat([], { weekday: "short" });
