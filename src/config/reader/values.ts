import { nearest } from "../../util/nearest.ts";
import type { Span } from "../yaml/source.ts";
import type { Located } from "../yaml/tree.ts";
import { absolute } from "./absolute.ts";
import { durationText, parseDuration } from "./duration.ts";
import { exampleFix, markOf, type Reader, refuse, refuseUnseen } from "./reader.ts";
import { orVariable, type Schema, told } from "./schema.ts";

/** `${` begins a variable, or is written `$${`. */
const VARIABLES = "^(?:\\$\\$\\{|\\$\\{[A-Za-z_][A-Za-z0-9_]*(?::-[^}]*)?\\}|(?!\\$\\{)[\\s\\S])*$";
const TEXT: Schema = { title: "text", type: "string", minLength: 1, pattern: VARIABLES };

export function text(example: string): Reader<string> {
  return {
    expects: "text",
    schema: { ...TEXT, examples: [example] },
    read(spot, report) {
      const { value } = spot;
      if (value.kind === "scalar" && typeof value.value === "string" && value.value !== "")
        return value.value;
      const unquoted = value.kind === "scalar" && value.value !== null && value.value !== "";
      return refuse(spot, report, "text", exampleFix(spot, unquoted ? `"${value.source}"` : example));
    },
  };
}

/** Text of a certain form, with the words for it. */
export function formed(form: RegExp, expected: string, example: string): Reader<string> {
  const plain = text(example);
  return {
    expects: expected,
    schema: orVariable({ type: "string", pattern: form.source, examples: [example] }),
    read(spot, report) {
      const given = plain.read(spot, report);
      if (given === undefined || form.test(given)) return given;
      return refuse(spot, report, expected, exampleFix(spot, example));
    },
  };
}

/** What the shell is given, as it was written: variables in it are the shell's own. */
export function shellCommand(example: string): Reader<string> {
  const plain = text(example);
  return {
    expects: "a shell command",
    schema: { type: "string", minLength: 1, examples: [example] },
    verbatim: true,
    read(spot, report) {
      const given = plain.read(spot, report);
      return spot.value.kind === "scalar" && given !== undefined ? (spot.value.written ?? given) : given;
    },
  };
}

interface Bounds {
  least?: number;
  above?: number;
  most?: number;
  whole?: boolean;
}

/** `expected` says the bounds in words. */
export function number(bounds: Bounds, expected: string, example: number): Reader<number> {
  const { least, above, most, whole } = bounds;
  return {
    expects: expected,
    schema: orVariable({
      type: whole ? "integer" : "number",
      ...(least !== undefined && { minimum: least }),
      ...(above !== undefined && { exclusiveMinimum: above }),
      ...(most !== undefined && { maximum: most }),
      examples: [example],
    }),
    read(spot, report) {
      const given = numberIn(spot.value) ?? Number.NaN;
      const fits =
        given >= (least ?? -Infinity) && given > (above ?? -Infinity) && given <= (most ?? Infinity);
      const isRight = fits && Number.isFinite(given) && (!whole || Number.isSafeInteger(given));
      return isRight ? given : refuse(spot, report, expected, exampleFix(spot, String(example)));
    },
  };
}

export function wholeNumber(least: number, example: number): Reader<number> {
  return number({ least, whole: true }, `a whole number of ${least} or more`, example);
}

/** What comes out of a variable is text, also where it is meant as a number. */
export function numberIn(value: Located): number | undefined {
  if (value.kind !== "scalar") return undefined;
  if (typeof value.value === "number") return value.value;
  const fromVariable = value.written !== undefined && typeof value.value === "string";
  return fromVariable && /^-?\d+(?:\.\d+)?$/.test(String(value.value)) ? Number(value.value) : undefined;
}

export const flag: Reader<boolean> = {
  expects: "true or false",
  schema: orVariable({ type: "boolean" }),
  read(spot, report) {
    const { value } = spot;
    const given = value.kind === "scalar" ? value.value : undefined;
    if (typeof given === "boolean") return given;
    const fromVariable = value.kind === "scalar" && value.written !== undefined;
    if (fromVariable && (given === "true" || given === "false")) return given === "true";
    return refuse(spot, report, "true or false", exampleFix(spot, "true"));
  },
};

export function oneOf<const V extends string>(...values: readonly [V, ...V[]]): Reader<V> {
  const expected = alternatives(values);
  return {
    expects: expected,
    schema: orVariable({ enum: values }),
    read(spot, report) {
      const { value } = spot;
      const given = value.kind === "scalar" ? value.value : undefined;
      const match = values.find((candidate) => candidate === given);
      if (match !== undefined) return match;
      const close = typeof given === "string" ? nearest(given, values) : undefined;
      const fix = close === undefined ? exampleFix(spot, values[0]) : `did you mean "${close}"?`;
      return refuse(spot, report, expected, fix);
    },
  };
}

export function alternatives(values: readonly string[]): string {
  const last = values.at(-1) ?? "";
  return values.length > 1 ? `${values.slice(0, -1).join(", ")} or ${last}` : last;
}

/** The longest time that a timer of Node can wait; a longer one would go off at once. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

const DURATION: Schema = { type: "string", pattern: "^\\s*\\d+(\\.\\d+)? ?(ms|s|m|h|d)\\s*$" };

/** A time in milliseconds. One that is not waited for, but compared with others, may be longer than a timer can be. */
export function duration(least: number, example: string, most = LONGEST_WAIT_MS): Reader<number> {
  const longEnough = least > 1 ? `${durationText(least)} at least` : "longer than nothing";
  return {
    expects: "a time",
    schema: orVariable({
      ...told(
        { type: "number" },
        { minimum: least, ...(Number.isFinite(most) && { maximum: most }) },
        DURATION,
      ),
      examples: [example],
    }),
    read(spot, report) {
      const { value } = spot;
      const given = value.kind === "scalar" ? value.value : undefined;
      const fix = exampleFix(spot, example);
      const ms = numberIn(value) ?? (typeof given === "string" ? parseDuration(given) : undefined);
      if (ms === undefined || !Number.isFinite(ms) || ms < 0) {
        return refuse(spot, report, "a time such as 500ms, 30s, 5m, 6h or 7d", fix);
      }
      if (ms < least) return refuse(spot, report, longEnough, fix);
      if (ms > most) return refuse(spot, report, `${durationText(most)} at most`, fix);
      return Math.round(ms);
    },
  };
}

/** A value of an environment or of a command line, as it was written: 1.10 stays "1.10". */
export const secretText: Reader<string> = {
  expects: "text",
  schema: { title: "text_number_or_flag", type: ["string", "number", "boolean"], pattern: VARIABLES },
  secret: true,
  read(spot, report) {
    const { value } = spot;
    if (value.kind !== "scalar" || value.value === null) {
      return refuseUnseen(spot, report, "text", exampleFix(spot, '"…", or "" for an empty text'));
    }
    return typeof value.value === "string" ? value.value : value.source;
  },
};

/** An address of the web. What it is stays unsaid: it can hold a secret. */
export function webAddress(example: string): Reader<string> {
  const plain = text(example);
  return {
    expects: "a web address",
    schema: orVariable({ type: "string", pattern: "^https?://", examples: [example] }),
    read(spot, report) {
      const { value, key, name } = spot;
      if (value.kind !== "scalar" || typeof value.value !== "string" || value.value === "") {
        return plain.read(spot, report);
      }
      if (/^https?:$/.test(URL.parse(value.value)?.protocol ?? "")) return value.value;
      const mark = key?.span ?? value.span;
      report(mark, `${name} is not a web address`, "start it with https:// or http://", "up to the mark");
    },
  };
}

export interface WrittenPath {
  /** Absolute. */
  path: string;
  /** For people: without the values of variables. */
  shown: string;
  mark: Span;
}

/** A path, relative to its file, with the place where it was written. */
export function path(example: string): Reader<WrittenPath> {
  const plain = text(example);
  return {
    ...plain,
    expects: "a path",
    read(spot, report) {
      const given = plain.read(spot, report);
      if (given === undefined) return undefined;
      const mark = markOf(spot);
      const written = spot.value.kind === "scalar" ? spot.value.written : undefined;
      const absolutePath = absolute(given, spot.value.span.file);
      return { path: absolutePath, shown: written ?? absolutePath, mark };
    },
  };
}

/** Text in which `{name}` stands for something. */
export function pattern(example: string, placeholders: readonly string[]): Reader<string> {
  const plain = text(example);
  const known = placeholders.map((name) => `{${name}}`).join(", ");
  return {
    expects: `text, with ${known}`,
    schema: {
      type: "string",
      minLength: 1,
      pattern: `^(?![\\s\\S]*(?<!\\$)\\{(?!(?:${placeholders.join("|")})\\})[^{}]*\\})`,
      examples: [example],
    },
    read(spot, report) {
      const given = plain.read(spot, report);
      const unknown = [...(given ?? "").matchAll(/\{([^{}]*)\}/g)]
        .map(([, name = ""]) => name)
        .find((name) => !placeholders.includes(name));
      if (unknown === undefined) return given;
      const close = nearest(unknown, placeholders);
      const fix = close ? `did you mean {${close}}?` : `these are known: ${known}`;
      const isHidden = spot.value.kind === "scalar" && spot.value.written !== undefined;
      const what = isHidden ? "a placeholder that" : `{${unknown}}, which`;
      report(markOf(spot), `${spot.name} holds ${what} stands for nothing`, fix);
    },
  };
}
