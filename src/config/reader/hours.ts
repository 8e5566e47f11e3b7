import { type Hours, parseHours } from "../../util/hours.ts";
import { exampleFix, markOf, type Reader, refuse } from "./reader.ts";
import { orVariable } from "./schema.ts";
import { text } from "./values.ts";

/** In which the morning begins where nothing else is said. */
const MORNING = "07:00";

const TIME_OF_DAY = "(?:[01]?\\d|2[0-3]):[0-5]\\d";
const HOURS = `^${TIME_OF_DAY}(?:\\s*-\\s*${TIME_OF_DAY})?$`;
const HOURS_WORDS = "a time of the day, or from one to another";

/** A part of every day. */
export const hours: Reader<Hours> = {
  expects: HOURS_WORDS,
  schema: orVariable({ type: "string", pattern: HOURS, examples: ["22:00"] }),
  read(spot, report) {
    const given = spot.value.kind === "scalar" ? String(spot.value.value) : "";
    if (!new RegExp(HOURS).test(given)) return refuse(spot, report, HOURS_WORDS, exampleFix(spot, "22:00"));
    const parsed = parseHours(given, MORNING);
    if (parsed) return parsed;
    report(markOf(spot), `${spot.name} ends when it begins`, exampleFix(spot, "22:00-06:00"));
    return undefined;
  },
};

export const timezone: Reader<string> = {
  ...text("Europe/Berlin"),
  expects: "a time zone",
  read(spot, report) {
    const given = text("Europe/Berlin").read(spot, report);
    if (given === undefined) return undefined;
    try {
      new Intl.DateTimeFormat("en", { timeZone: given });
      return given;
    } catch {
      return refuse(spot, report, "a time zone of the IANA database", exampleFix(spot, "Europe/Berlin"));
    }
  },
};
