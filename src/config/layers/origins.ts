import { agent } from "../keys/agent.ts";
import { fleet } from "../keys/fleet.ts";
import { maintenance } from "../keys/maintenance.ts";
import { watch } from "../keys/watch.ts";
import { web, webhooks } from "../keys/web.ts";
import { entryOf, type Reader } from "../reader/reader.ts";
import { hasThreshold } from "../reader/threshold.ts";
import { flag } from "../reader/values.ts";
import { positionOf } from "../yaml/excerpt.ts";
import type { Located } from "../yaml/tree.ts";
import type { Written } from "./read-sources.ts";

/** A value that holds, and where it was written; the latter is absent for what is built in. */
export interface Origin {
  key: string;
  /** As it was written: what can be secret is left out, and variables have their names. */
  value: unknown;
  from?: {
    file: string;
    /** 0 for what the file means where it says nothing. */
    line: number;
  };
}

const HIDDEN = "…";

export function originsOfAgent(written: Written["agents"][number]): Origin[] {
  const { value } = written;
  return originsOf(agent, value, "", (key, otherwise) => builtIn(key, otherwise, value));
}

export function originsOfMaintenance(written: Written): Origin[] {
  return originsOf(maintenance, written.maintenance, "", (_key, otherwise) => otherwise);
}

export function originsOfWatch(written: Written): Origin[] {
  return originsOf(watch, written.watch, "", (_key, otherwise) => otherwise);
}

export function originsOfFleet(written: Written): Origin[] {
  return originsOf(fleet, written.fleet, "", (_key, otherwise) => otherwise);
}

export function originsOfWeb(written: Written): Origin[] {
  return originsOf(web, written.web, "", (_key, otherwise) => otherwise);
}

export function originsOfWebhooks(written: Written): Origin[] {
  return originsOf(webhooks, written.webhooks, "", (_key, otherwise) => otherwise);
}

/** What holds where a key is not written hangs on other keys in two places. */
function builtIn(key: string, otherwise: unknown, value: Located): unknown {
  if (key === "session.context_threshold" && hasThreshold(value)) return undefined;
  if (key !== "session.auto_compact") return otherwise;
  const enabled = entryOf(entryOf(value, "handoff")?.value, "enabled")?.value;
  return enabled !== undefined && flag.read({ name: "", value: enabled }, () => {}) === false;
}

function originsOf(
  reader: Reader<unknown>,
  value: Located | undefined,
  key: string,
  otherwise: (key: string, value: unknown) => unknown,
): Origin[] {
  const inner = (name: string, of: Reader<unknown>, at: Located | undefined) =>
    originsOf(of, at, key === "" ? name : `${key}.${name}`, otherwise);
  const isMap = value?.kind === "map" && value.entries.length > 0;
  if (reader.keys && !reader.whole && !(reader.optional && !value)) {
    return Object.entries(reader.keys).flatMap(([name, of]) => inner(name, of, entryOf(value, name)?.value));
  }
  if (isMap && (reader.keys || reader.values)) {
    return value.entries.flatMap((entry) => {
      const of = reader.keys?.[entry.key] ?? reader.values;
      return of ? inner(entry.key, of, entry.value) : [];
    });
  }
  if (value?.kind === "list" && reader.items?.keys) {
    const { items } = reader;
    return value.items.flatMap((item, index) => originsOf(items, item, `${key}[${index}]`, otherwise));
  }
  if (value) return [{ key, value: shown(reader, value), from: placeIn(value) }];
  const held = otherwise(key, reader.schema.default);
  return held === undefined ? [] : [{ key, value: held }];
}

function shown(reader: Reader<unknown> | undefined, value: Located): unknown {
  if (reader?.secret) return isOneVariable(value) ? value.written : HIDDEN;
  switch (value.kind) {
    case "map":
      return Object.fromEntries(value.entries.map((entry) => [entry.key, shown(undefined, entry.value)]));
    case "list":
      return value.items.map((item) => shown(reader?.items, item));
    case "scalar":
      return value.written ?? value.value;
  }
}

/** Only the name of a variable: what stands beside it, or as its default, can be secret too. */
function isOneVariable(value: Located): value is Extract<Located, { kind: "scalar" }> {
  return value.kind === "scalar" && /^\$\{\w+\}$/.test(value.written ?? "");
}

function placeIn({ span }: Located): { file: string; line: number } {
  const { file, start } = span;
  return { file: file.path, line: file.text === "" ? 0 : positionOf(file, start).line };
}
