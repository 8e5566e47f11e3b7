import type { Hours } from "../../util/hours.ts";

/** Alike ones within this time are one. */
const ALIKE_MS = 5 * 60_000;
const DAY_MINUTES = 24 * 60;

/** Hours in which nobody is to be disturbed. */
export interface QuietHours {
  hours: Hours;
  /** Without it, the machine's. */
  timezone?: string | undefined;
}

/** Until when a notice is held back; undefined where it is told at once. `toldAt`: when one like it was. */
export function heldUntil(
  now: Date,
  { toldAt, quiet }: { toldAt?: Date | undefined; quiet?: QuietHours | undefined },
): Date | undefined {
  const later = toldAt && new Date(toldAt.getTime() + ALIKE_MS);
  const due = later && later > now ? later : now;
  const until = quiet ? quietUntil(due, quiet) : due;
  return until > now ? until : undefined;
}

/** The moment itself, or where it falls into these hours, their end. */
function quietUntil(at: Date, { hours: { from, to }, timezone }: QuietHours): Date {
  const minute = minuteOfDay(at, timezone);
  const isWithin = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  if (!isWithin) return at;
  const end = plus(wholeMinute(at), (to - minute + DAY_MINUTES) % DAY_MINUTES);
  // A night in which the clocks are set is longer or shorter than the others.
  const off = ((minuteOfDay(end, timezone) - to + DAY_MINUTES * 1.5) % DAY_MINUTES) - DAY_MINUTES / 2;
  return plus(end, -off);
}

const plus = (at: Date, minutes: number) => new Date(at.getTime() + minutes * 60_000);

function wholeMinute(at: Date): Date {
  return new Date(at.getTime() - (at.getTime() % 60_000));
}

function minuteOfDay(at: Date, timezone: string | undefined): number {
  const clock = new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...(timezone !== undefined && { timeZone: timezone }),
  });
  const [hours = 0, minutes = 0] = clock.format(at).split(":").map(Number);
  return hours * 60 + minutes;
}
