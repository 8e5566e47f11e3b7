const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const SHORT = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const NAMED: Record<string, string> = {
  "@hourly": "every hour",
  "@daily": "every day at 00:00",
  "@midnight": "every day at 00:00",
  "@weekly": "every Sunday at 00:00",
  "@monthly": "on the 1st of every month at 00:00",
  "@yearly": "on 1 January at 00:00",
  "@annually": "on 1 January at 00:00",
};

/** When a schedule runs, in words; undefined for an expression that is clearer than any sentence about it. */
export function cronInWords(expression: string): string | undefined {
  const named = NAMED[expression.trim().toLowerCase()];
  if (named !== undefined) return named;
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 5) return undefined;
  const [minute = "", hour = "", date = "", month = "", day = ""] = fields;
  if (month !== "*") return undefined;
  const every = date === "*" && day === "*" ? repeated(minute, hour) : undefined;
  if (every !== undefined) return every;
  const time = timeOf(minute, hour);
  if (time === undefined) return undefined;
  if (date === "*" && day === "*") return `every day at ${time}`;
  if (date === "*") {
    const days = daysOf(day);
    return days && `${days} at ${time}`;
  }
  return day === "*" && /^\d+$/.test(date)
    ? `on the ${nth(Number(date))} of every month at ${time}`
    : undefined;
}

function repeated(minute: string, hour: string): string | undefined {
  const [, minutes] = /^\*\/(\d+)$/.exec(minute) ?? [];
  if (minute === "*" && hour === "*") return "every minute";
  if (minutes !== undefined && hour === "*") return `every ${minutes} minutes`;
  if (!/^\d+$/.test(minute)) return undefined;
  const past = Number(minute) === 0 ? "on the hour" : `${Number(minute)} minutes past the hour`;
  if (hour === "*") return `every hour, ${past}`;
  const [, hours] = /^\*\/(\d+)$/.exec(hour) ?? [];
  return hours === undefined ? undefined : `every ${hours} hours, ${past}`;
}

function timeOf(minute: string, hour: string): string | undefined {
  if (!/^\d+$/.test(minute) || !/^\d+$/.test(hour)) return undefined;
  return `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
}

function daysOf(field: string): string | undefined {
  if (/^(?:1-5|mon-fri)$/i.test(field)) return "Monday to Friday";
  if (/^(?:6,0|0,6|6-7|6,7|sat,sun|sun,sat)$/i.test(field)) return "every Saturday and Sunday";
  const names = field.split(",").map((one) => DAYS[/^[0-7]$/.test(one) ? Number(one) : dayNamed(one)]);
  if (names.some((name) => name === undefined)) return undefined;
  return `every ${names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`}`;
}

const dayNamed = (name: string) => SHORT.indexOf(name.toLowerCase());

function nth(date: number): string {
  const last = date % 10;
  const isTeen = date > 10 && date < 14;
  return `${date}${isTeen ? "th" : (["th", "st", "nd", "rd"][last] ?? "th")}`;
}
