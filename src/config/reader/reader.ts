import { nearest } from "../../util/nearest.ts";
import type { Span } from "../yaml/source.ts";
import type { Entry, Located } from "../yaml/tree.ts";
import type { Schema } from "./schema.ts";

/** A fix that takes a while to find is given as a function: of thousands of mistakes only some are shown. */
export type Report = (
  span: Span,
  message: string,
  fix: string | (() => string),
  shown?: "line" | "up to the mark",
) => void;

/** A value in the file, and what to call it in a message. */
export interface Spot {
  /** Such as `agents[0].session`; empty for the whole file. */
  name: string;
  /** Absent for the items of a list and for the whole file. */
  key?: { text: string; span: Span };
  value: Located;
}

/** Reads one kind of value, and says what it reads: to editors, to the reference and to who merges layers. */
export interface Reader<T> {
  /** What is wrong goes to `report`, and undefined comes back. */
  read: (spot: Spot, report: Report) => T | undefined;
  /** In words. */
  expects: string;
  schema: Schema;
  /** Of a map with known keys. */
  keys?: Readers;
  /** Of a map whose keys the user chooses. */
  values?: Reader<unknown>;
  /** Of a list. */
  items?: Reader<unknown>;
  /** A map that is one value: the layer above replaces all of it. */
  whole?: true;
  /** A map that does something only where it is written. */
  optional?: true;
  /** Is never shown. */
  secret?: true;
  /** What looks like a variable in it is the shell's. */
  verbatim?: true;
}

export type Readers = Record<string, Reader<unknown>>;

export type ValueOf<R> = R extends Reader<infer T> ? T : never;

/** A reader with what its key means, and what holds where the key is not written. */
export function key<T>(reader: Reader<T>, meaning: string, otherwise?: unknown): Reader<T> {
  const described = { ...reader.schema, description: meaning };
  return { ...reader, schema: otherwise === undefined ? described : { ...described, default: otherwise } };
}

export function readAt<T>(reader: Reader<T>, spot: Spot, report: Report): T | undefined {
  const unresolved = spot.value.kind === "scalar" ? spot.value.unresolved : undefined;
  if (!unresolved || reader.verbatim) return reader.read(spot, report);
  report(markOf(spot), `${spot.name} ${unresolved.message}`, unresolved.fix);
}

/** What to underline: the value where it is a short one, otherwise its key. */
export function markOf({ value, key }: Spot): Span {
  if (key && (value.kind !== "scalar" || value.span.end === value.span.start)) return key.span;
  return value.span;
}

export function refuse(spot: Spot, report: Report, expected: string, fix: string): undefined {
  report(markOf(spot), mismatch(spot, expected, describe(spot.value)), fix);
}

/** `refuse` for what may hold a secret: it names the kind of value only. */
export function refuseUnseen(
  spot: Spot,
  report: Report,
  expected: string,
  fix: string,
  shown?: "up to the mark",
): undefined {
  const mark = spot.key?.span ?? spot.value.span;
  report(mark, mismatch(spot, expected, kindOf(spot.value)), fix, shown);
}

function mismatch(spot: Spot, expected: string, found: string): string {
  const name = spot.name || "the file";
  return isNothing(spot.value)
    ? `${name} has no value; it must be ${expected}`
    : `${name} must be ${expected}, found ${found}`;
}

export function exampleFix(spot: Spot, example: string): string {
  return `for example: ${spot.key ? `${spot.key.text}: ` : ""}${example}`;
}

function describe(value: Located): string {
  if (value.kind !== "scalar" || value.value === null) return kindOf(value);
  if (typeof value.value !== "string") return value.source;
  if (value.value === "") return value.written ? `an empty text from ${value.written}` : "an empty text";
  const written = value.written ?? value.value;
  const text = written.length > 40 ? `${written.slice(0, 40)}…` : written;
  return `the text ${JSON.stringify(text)}`;
}

function kindOf(value: Located): string {
  if (value.kind !== "scalar") return `a ${value.kind}`;
  switch (typeof value.value) {
    case "string":
      return "text";
    case "number":
      return "a number";
    case "boolean":
      return "true or false";
    default:
      return "nothing";
  }
}

/** A map with known keys. One that is left empty counts as a map with no keys. */
export function section<T>(
  shape: { [K in keyof T]: Reader<T[K]> },
  example: string,
  home: (key: string) => string | undefined = () => undefined,
): Reader<Partial<T>> {
  const keys: Readers = {};
  for (const key in shape) keys[key] = shape[key];
  const known = Object.keys(keys);
  return {
    expects: "a map",
    schema: { ...MAP, properties: schemasOf(keys), additionalProperties: false },
    keys,
    read(spot, report) {
      const { value } = spot;
      if (isNothing(value)) return {};
      if (value.kind !== "map") return refuseUnseen(spot, report, "a map", exampleFix(spot, example));
      for (const entry of value.entries) {
        if (known.includes(entry.key)) continue;
        const message = `unknown key "${entry.key}" in ${spot.name || "the file"}`;
        const fix = () => home(entry.key) ?? unknownKeyFix(entry.key, known);
        report(entry.keySpan, message, fix, "up to the mark");
      }
      const read: Partial<T> = {};
      for (const key in shape) {
        const entry = entryOf(value, key);
        if (!entry) continue;
        const result = readAt(shape[key], below(spot, entry), report);
        if (result !== undefined) read[key] = result;
      }
      return read;
    },
  };
}

const MAP: Schema = { type: ["object", "null"] };

function schemasOf(readers: Readers): Record<string, Schema> {
  return Object.fromEntries(Object.entries(readers).map(([key, { schema }]) => [key, schema]));
}

function unknownKeyFix(key: string, known: readonly string[]): string {
  const close = nearest(key, known);
  return close ? `did you mean "${close}"?` : `the keys here are: ${known.join(", ")}`;
}

/** A map whose keys the user chooses. */
export function mapOf<T>(values: Reader<T>, example: string): Reader<Record<string, T>> {
  return {
    expects: "a map",
    schema: { ...MAP, additionalProperties: values.schema },
    values,
    read(spot, report) {
      const { value } = spot;
      if (isNothing(value)) return {};
      if (value.kind !== "map") return refuseUnseen(spot, report, "a map", exampleFix(spot, example));
      const results: [string, T][] = value.entries.flatMap((entry) => {
        const result = readAt(values, below(spot, entry), report);
        return result === undefined ? [] : [[entry.key, result]];
      });
      return Object.fromEntries(results);
    },
  };
}

export function listOf<T>(items: Reader<T>, example: string): Reader<T[]> {
  return {
    expects: "a list",
    schema: { type: "array", items: items.schema },
    items,
    read(spot, report) {
      const { value } = spot;
      if (value.kind !== "list") return refuseUnseen(spot, report, "a list", exampleFix(spot, example));
      const results: T[] = [];
      for (const [index, item] of value.items.entries()) {
        const result = readAt(items, { name: `${spot.name}[${index}]`, value: item }, report);
        if (result !== undefined) results.push(result);
      }
      return results;
    },
  };
}

export function entryOf(value: Located | undefined, key: string): Entry | undefined {
  return value?.kind === "map" ? value.entries.find((entry) => entry.key === key) : undefined;
}

/** True for a map, also one that was left empty, without that key. */
export function lacks(value: Located, key: string): boolean {
  return isNothing(value) || (value.kind === "map" && !entryOf(value, key));
}

export function isNothing(value: Located): boolean {
  return value.kind === "scalar" && value.value === null;
}

export function below(spot: Spot, { key, keySpan, value }: Entry): Spot {
  return {
    name: spot.name ? `${spot.name}.${key}` : key,
    key: { text: key, span: keySpan },
    value,
  };
}
