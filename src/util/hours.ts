/** A part of every day, in minutes since midnight by the clock of this machine. It goes over midnight where `to` comes before `from`. */
export interface Hours {
  from: number;
  to: number;
}

/** `22:00-07:00`, or a single time: from then until `morning`. Undefined where it is neither. */
export function parseHours(written: string, morning: string): Hours | undefined {
  const [, from, to] = /^(\d{1,2}:\d{2})(?:\s*-\s*(\d{1,2}:\d{2}))?$/.exec(written) ?? [];
  const [first, last] = [minutesOf(from), minutesOf(to ?? morning)];
  return first === undefined || last === undefined || first === last ? undefined : { from: first, to: last };
}

function minutesOf(time = ""): number | undefined {
  const [hours = Number.NaN, minutes = Number.NaN] = time.split(":").map(Number);
  return hours < 24 && minutes < 60 ? hours * 60 + minutes : undefined;
}

/** The moment itself, or where it falls into these hours, their end. */
export function outside(hours: Hours | undefined, at: Date): Date {
  if (!hours) return at;
  const { from, to } = hours;
  const minute = at.getHours() * 60 + at.getMinutes();
  const isWithin = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  if (!isWithin) return at;
  const day = at.getDate() + (minute < to ? 0 : 1);
  return new Date(at.getFullYear(), at.getMonth(), day, Math.floor(to / 60), to % 60);
}

/** `17:00`, by the clock of this machine. */
export function clock(at: Date): string {
  const two = (figure: number) => String(figure).padStart(2, "0");
  return `${two(at.getHours())}:${two(at.getMinutes())}`;
}
