import { parseDuration } from "./duration.ts";
import { nearest } from "./nearest.ts";
import { exampleFix, markOf, type Read, refuse, refuseUnseen } from "./read.ts";

/** The longest time that a timer of Node can wait; a longer one would go off at once. */
const LONGEST_MS = 2 ** 31 - 1;

export function text(example: string): Read<string> {
  return (spot, report) => {
    const { value } = spot;
    if (value.kind === "scalar" && typeof value.value === "string" && value.value !== "") return value.value;
    const unquoted = value.kind === "scalar" && value.value !== null && value.value !== "";
    return refuse(spot, report, "text", exampleFix(spot, unquoted ? `"${value.source}"` : example));
  };
}

/** `accepts` comes with the words for what it accepts. */
export function number(accepts: (value: number) => boolean, expected: string, example: string): Read<number> {
  return (spot, report) => {
    const { value } = spot;
    const given = value.kind === "scalar" && typeof value.value === "number" ? value.value : Number.NaN;
    return Number.isFinite(given) && accepts(given)
      ? given
      : refuse(spot, report, expected, exampleFix(spot, example));
  };
}

export function wholeNumber(least: number, example: number): Read<number> {
  const accepts = (value: number) => Number.isSafeInteger(value) && value >= least;
  return number(accepts, `a whole number of ${least} or more`, String(example));
}

export const flag: Read<boolean> = (spot, report) => {
  const { value } = spot;
  if (value.kind === "scalar" && typeof value.value === "boolean") return value.value;
  return refuse(spot, report, "true or false", exampleFix(spot, "true"));
};

export function oneOf<const V extends string>(...values: readonly [V, ...V[]]): Read<V> {
  return (spot, report) => {
    const { value } = spot;
    const given = value.kind === "scalar" ? value.value : undefined;
    const match = values.find((candidate) => candidate === given);
    if (match !== undefined) return match;
    const close = typeof given === "string" ? nearest(given, values) : undefined;
    const fix = close === undefined ? exampleFix(spot, values[0]) : `did you mean "${close}"?`;
    return refuse(spot, report, alternatives(values), fix);
  };
}

function alternatives(values: readonly string[]): string {
  const last = values.at(-1) ?? "";
  return values.length > 1 ? `${values.slice(0, -1).join(", ")} or ${last}` : last;
}

/** A time in milliseconds. */
export function duration(least: number, example: string): Read<number> {
  return (spot, report) => {
    const { value } = spot;
    const given = value.kind === "scalar" ? value.value : undefined;
    const fix = exampleFix(spot, example);
    const ms = typeof given === "string" ? parseDuration(given) : given;
    if (typeof ms !== "number" || !Number.isFinite(ms) || ms < 0) {
      return refuse(spot, report, "a time such as 500ms, 30s, 5m, 6h or 7d", fix);
    }
    if (ms < least) return refuse(spot, report, "longer than nothing", fix);
    if (ms > LONGEST_MS) return refuse(spot, report, "24d at most", fix);
    return Math.round(ms);
  };
}

/** A value of an environment or of HTTP headers, as it was written: 1.10 stays "1.10". */
export const secretText: Read<string> = (spot, report) => {
  const { value } = spot;
  if (value.kind !== "scalar" || value.value === null) {
    return refuseUnseen(spot, report, "text", exampleFix(spot, '"…", or "" for an empty text'));
  }
  return typeof value.value === "string" ? value.value : value.source;
};

/** A path, with the place where it was written. */
export const writtenPath: Read<{ path: string; mark: ReturnType<typeof markOf> }> = (spot, report) => {
  const path = text("./project")(spot, report);
  return path === undefined ? undefined : { path, mark: markOf(spot) };
};

/** Text in which `{name}` stands for something. */
export function pattern(example: string, placeholders: readonly string[]): Read<string> {
  return (spot, report) => {
    const given = text(example)(spot, report);
    const unknown = [...(given ?? "").matchAll(/\{([^{}]*)\}/g)]
      .map(([, name = ""]) => name)
      .find((name) => !placeholders.includes(name));
    if (unknown === undefined) return given;
    const close = nearest(unknown, placeholders);
    const known = placeholders.map((name) => `{${name}}`).join(", ");
    const fix = close ? `did you mean {${close}}?` : `these are known: ${known}`;
    report(markOf(spot), `${spot.name} holds {${unknown}}, which stands for nothing`, fix);
    return undefined;
  };
}

/** The beginning of names of environment variables. */
export const envPrefix: Read<string> = (spot, report) => {
  const given = text("BATON")(spot, report);
  if (given === undefined || /^[A-Za-z][A-Za-z0-9_]*$/.test(given)) return given?.replace(/_+$/, "");
  return refuse(spot, report, "letters, digits and _, beginning with a letter", exampleFix(spot, "BATON"));
};
