import { placeOfFile } from "../../files/place-of-file.ts";
import type { Trusted, TrustedPart, TrustedPlace } from "../../trust/record.ts";
import { entryOf } from "../reader/reader.ts";
import type { Entry, Located } from "../yaml/tree.ts";
import { HARMLESS, type Harmless } from "./harmless.ts";
import { digestOfValue, rendered } from "./rendered.ts";

/** Something in a file of a project that does more than say when and how much. */
export interface ActingPart {
  file: string;
  /** Where trust is recorded for the file. */
  place: string;
  /** Such as `agents[coder].hooks`. */
  key: string;
  /** Whom it concerns; absent for what concerns all. */
  agent?: string;
  /** The line it is written in; 0 where it no longer is. */
  line: number;
  digest: string;
  /** As people are shown it. */
  shown: string;
  /** Texts in it that may name files: see `named-files.ts`. */
  texts: string[];
  trust: PartTrust;
}

export type PartTrust =
  | { state: "trusted" }
  | { state: "new" }
  /** `earlier`: as it was when the user agreed. */
  | { state: "changed"; earlier: string }
  | { state: "removed"; earlier: string };

interface Found {
  key: string;
  agent?: string;
  entry: Entry;
  /** Is left where it is: without a name nothing can be said about an agent. */
  stays?: true;
}

interface Rules {
  trusted: Trusted;
  /** Whether a path that stands in a file leads out of its project. */
  leaves: (path: Located) => boolean;
}

interface Sifted {
  /** What of the file holds. */
  tree: Located;
  acting: ActingPart[];
}

/** What of the baton.yaml of a project acts, and the file without what of it is not trusted. */
export function siftedProject(tree: Located, { trusted, leaves }: Rules): Sifted {
  const entries = tree.kind === "map" ? tree.entries : [];
  const found = entries.flatMap((entry) => {
    if (entry.key !== "agents") return inEntry(entry, HARMLESS.project, "");
    const agents = entry.value.kind === "list" ? entry.value.items : [];
    return agents.flatMap((each) => inAgentEntry(each, leaves));
  });
  return sifted(tree, found, trusted);
}

/** The same of the file of an agent. */
export function siftedAgent(tree: Located, { trusted }: Rules): Sifted {
  return sifted(tree, inKeys(tree, HARMLESS.agent, "", textOf(entryOf(tree, "name")?.value)), trusted);
}

function sifted(tree: Located, found: Found[], trusted: Trusted): Sifted {
  const place = placeOfFile(tree.span.file.path);
  const known = trusted[place];
  const lineAt = linesOf(tree.span.file.text);
  const parts = found.map((each) => partOf(each, { place, known, lineAt }));
  const withheld = new Set(
    found
      .filter((each, index) => !each.stays && parts[index]?.trust.state !== "trusted")
      .map(({ entry }) => entry),
  );
  const gone = known ? removedParts(known, parts, tree, place) : [];
  return { tree: withheld.size > 0 ? without(tree, withheld) : tree, acting: [...parts, ...gone] };
}

/** What is said about an agent among others begins with this. */
export function agentKey(value: Located): string {
  return `agents[${agentIn(value) ?? textOf(entryOf(value, "path")?.value) ?? ""}]`;
}

function agentIn(value: Located): string | undefined {
  const name = entryOf(value, "name") ?? entryOf(entryOf(value, "overrides")?.value, "name");
  return textOf(name?.value);
}

function inAgentEntry(value: Located, leaves: Rules["leaves"]): Found[] {
  const agent = agentIn(value);
  const prefix = agentKey(value);
  const entries = value.kind === "map" ? value.entries : [];
  return entries.flatMap((entry): Found[] => {
    if (entry.key === "overrides") return inKeys(entry.value, HARMLESS.agent, prefix, agent);
    if (entry.key !== "path") return inEntry(entry, HARMLESS.agent, prefix, agent);
    // What is in that file is looked at by itself.
    const acts = variables(entry.value) || leaves(entry.value);
    return acts ? [{ key: `${prefix}.path`, entry, stays: true }] : [];
  });
}

function inKeys(value: Located, harmless: Harmless, prefix: string, agent?: string): Found[] {
  if (value.kind !== "map") return [];
  return value.entries.flatMap((entry) => inEntry(entry, harmless, prefix, agent));
}

function inEntry(entry: Entry, harmless: Harmless, prefix: string, agent?: string): Found[] {
  const rule =
    harmless === true ? true : Object.hasOwn(harmless, entry.key) ? harmless[entry.key] : undefined;
  const key = prefix === "" ? entry.key : `${prefix}.${entry.key}`;
  if (rule !== undefined && rule !== true && entry.value.kind === "map") {
    return inKeys(entry.value, rule, key, agent);
  }
  if (rule === true && !variables(entry.value)) return [];
  return [
    { key, entry, ...(agent !== undefined && { agent }), ...(entry.key === "name" && { stays: true }) },
  ];
}

/** Whether what it says depends on the user's environment. */
function variables(value: Located): boolean {
  switch (value.kind) {
    case "map":
      return value.entries.some((entry) => variables(entry.value));
    case "list":
      return value.items.some(variables);
    case "scalar":
      return value.written !== undefined;
  }
}

function textOf(value: Located | undefined): string | undefined {
  return value?.kind === "scalar" ? (value.written ?? String(value.value)) : undefined;
}

interface InFile {
  place: string;
  known: TrustedPlace | undefined;
  lineAt: (offset: number) => number;
}

function partOf({ key, agent, entry }: Found, { place, known, lineAt }: InFile): ActingPart {
  const digest = digestOfValue(entry.value);
  return {
    file: entry.keySpan.file.path,
    place,
    key,
    ...(agent !== undefined && { agent }),
    line: lineAt(entry.keySpan.start),
    digest,
    shown: rendered(entry.key, entry.value),
    texts: textsIn(entry.key, entry.value),
    trust: trustIn(known?.parts[key], digest),
  };
}

/** Looks through the text once, for however many offsets in their order. */
function linesOf(text: string): (offset: number) => number {
  let line = 1;
  let at = 0;
  return (offset) => {
    if (offset < at) [line, at] = [1, 0];
    for (let next = text.indexOf("\n", at); next !== -1 && next < offset; next = text.indexOf("\n", at)) {
      line += 1;
      at = next + 1;
    }
    return line;
  };
}

function trustIn(earlier: TrustedPart | undefined, digest: string): PartTrust {
  if (!earlier) return { state: "new" };
  return earlier.digest === digest ? { state: "trusted" } : { state: "changed", earlier: earlier.shown };
}

/** What was agreed to and is gone may have been what held something back, such as tools that are denied. */
function removedParts(known: TrustedPlace, parts: ActingPart[], tree: Located, place: string): ActingPart[] {
  const here = new Set(parts.map(({ key }) => key));
  return Object.entries(known.parts)
    .filter(([key]) => key !== "" && !here.has(key))
    .map(([key, { shown }]) => ({
      file: tree.span.file.path,
      place,
      key,
      line: 0,
      digest: "",
      shown: "",
      texts: [],
      trust: { state: "removed", earlier: shown },
    }));
}

/** They are for people and models to read, or say where something is written: a file that they mention is not started by them. */
const NO_PROGRAMS = new Set([
  "system_prompt",
  "commit_message",
  "message",
  "working_directory",
  "name",
  "path",
  "dir",
  "archive_dir",
]);

export function textsIn(key: string, value: Located): string[] {
  if (NO_PROGRAMS.has(key)) return [];
  switch (value.kind) {
    case "map":
      return value.entries.flatMap((entry) => textsIn(entry.key, entry.value));
    case "list":
      return value.items.flatMap((item) => textsIn("", item));
    case "scalar":
      return typeof value.value === "string" ? [value.value] : [];
  }
}

function without(value: Located, withheld: ReadonlySet<Entry>): Located {
  switch (value.kind) {
    case "map":
      return {
        ...value,
        entries: value.entries
          .filter((entry) => !withheld.has(entry))
          .map((entry) => ({ ...entry, value: without(entry.value, withheld) })),
      };
    case "list":
      return { ...value, items: value.items.map((item) => without(item, withheld)) };
    case "scalar":
      return value;
  }
}
