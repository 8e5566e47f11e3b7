import { digestOf } from "../../trust/record.ts";
import { escapedJson, printable } from "../../util/printable.ts";
import type { Located } from "../yaml/tree.ts";

/** Of what a value says, as it was written: not of comments, order, quotes or the values of variables. */
export function digestOfValue(value: Located): string {
  return digestOf(JSON.stringify(canonical(value)));
}

function canonical(value: Located): unknown {
  switch (value.kind) {
    case "map":
      return value.entries
        .map(({ key, value: inner }) => [key, canonical(inner)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1));
    case "list":
      return { list: value.items.map(canonical) };
    case "scalar":
      return { value: value.written ?? value.value };
  }
}

/** As YAML, with aliases as what they stand for, so that nothing of what acts is elsewhere in the file. */
export function rendered(key: string, value: Located): string {
  return linesOf(`${keyed(key)}:`, value).join("\n");
}

function linesOf(before: string, value: Located): string[] {
  switch (value.kind) {
    case "map":
      if (value.entries.length === 0) return [`${before} {}`];
      return [
        before,
        ...value.entries.flatMap((entry) => linesOf(`${keyed(entry.key)}:`, entry.value)).map(inward),
      ];
    case "list":
      if (value.items.length === 0) return [`${before} []`];
      return [before, ...value.items.flatMap(item).map(inward)];
    case "scalar":
      return scalar(before, value.written ?? value.value);
  }
}

function item(value: Located): string[] {
  if (value.kind !== "map" || value.entries.length === 0) return linesOf("-", value);
  const [first = "", ...others] = value.entries.flatMap((entry) =>
    linesOf(`${keyed(entry.key)}:`, entry.value),
  );
  return [`- ${first}`, ...others.map(inward)];
}

function scalar(before: string, value: string | number | boolean | null): string[] {
  if (typeof value !== "string") return [`${before} ${value === null ? "" : value}`.trimEnd()];
  // What a screen would not show must not pass unseen.
  if (printable(value) !== value) return [`${before} ${escapedJson(value)}`];
  const text = value.trimEnd();
  if (text.includes("\n")) return [`${before} |`, ...text.split("\n").map(inward)];
  return [`${before} ${isPlain(value) ? value : JSON.stringify(value)}`];
}

function inward(line: string): string {
  return `  ${line}`;
}

function keyed(key: string): string {
  return isPlain(key) && printable(key) === key ? key : escapedJson(key);
}

function isPlain(text: string): boolean {
  return /^[\w./$~][^\n"\\]*$/.test(text) && text === text.trim();
}
