import { isDeepStrictEqual } from "node:util";
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

/** A file with one more rule, and the line that says so. */
export interface WithRule {
  text: string;
  /** As it reads from now on. */
  line: string;
  /** Its number, from 1. */
  number: number;
}

/**
 * The file with a rule more for an agent, and not a character changed besides: in its own list, or in a new one. `inherited`: what
 * holds for an agent without a list of its own, which its own would replace. Undefined where the agent is not in this file, or its
 * list is written in a way that cannot be added to.
 */
export function withRule(text: string, wanted: WantedRule): WithRule | undefined {
  const document = parseDocument(text, { stringKeys: true });
  const own = document.errors.length > 0 ? undefined : agentIn(document, wanted.agent);
  const list = own?.get(wanted.key, true);
  const edit = isSeq(list)
    ? addedTo(text, list, wanted.rule)
    : own && !list
      ? newList(text, own, wanted)
      : undefined;
  return edit && checked(text, edit, wanted);
}

export interface WantedRule {
  agent: string;
  key: "allowed_tools" | "denied_tools";
  rule: string;
  inherited: readonly string[];
}

interface Edit {
  at: number;
  text: string;
}

function agentIn(document: Document, agent: string): YAMLMap | undefined {
  const agents = document.get("agents", true);
  if (!isSeq(agents)) return undefined;
  return agents.items.filter((item) => isMap(item)).find((item) => item.get("name") === agent);
}

/** In double quotes JSON is YAML. */
const quoted = (rule: string) => JSON.stringify(rule);

function addedTo(text: string, list: YAMLSeq, rule: string): Edit | undefined {
  if (!list.range) return undefined;
  const last = list.items.at(-1);
  if (list.flow) {
    const at = text.lastIndexOf("]", list.range[1] - 1);
    const before = text.slice(list.range[0] + 1, at).trimEnd();
    if (last === undefined || before.endsWith(",")) return { at, text: quoted(rule) };
    return { at: list.range[0] + 1 + before.length, text: `, ${quoted(rule)}` };
  }
  if (!isScalar(last) || !last.range) return undefined;
  const start = lineStart(text, last.range[0]);
  const indent = /^[ \t]*(?=-)/.exec(text.slice(start, last.range[0]))?.[0];
  if (indent === undefined) return undefined;
  return { at: lineEnd(text, last.range[1]), text: `\n${indent}- ${quoted(rule)}` };
}

/** After its name. */
function newList(text: string, own: YAMLMap, { key, rule, inherited }: WantedRule): Edit | undefined {
  const name = own.items.find((pair: Pair) => isScalar(pair.key) && pair.key.value === "name");
  if (!isScalar(name?.key) || !isScalar(name.value) || !name.key.range || !name.value.range) return undefined;
  const entry = `${key}: [${[...inherited, rule].map(quoted).join(", ")}]`;
  if (own.flow) return { at: name.value.range[1], text: `, ${entry}` };
  const column = name.key.range[0] - lineStart(text, name.key.range[0]);
  return { at: lineEnd(text, name.value.range[1]), text: `\n${" ".repeat(column)}${entry}` };
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

/** What is written into a person's file is read first: it must say what it said before, and the rule. */
function checked(before: string, { at, text }: Edit, wanted: WantedRule): WithRule | undefined {
  const after = before.slice(0, at) + text + before.slice(at);
  const document = parseDocument(after, { stringKeys: true });
  if (document.errors.length > 0 || !isDeepStrictEqual(document.toJS(), meant(before, wanted)))
    return undefined;
  const offset = at + (text.startsWith("\n") ? 1 : 0);
  const start = lineStart(after, offset);
  return {
    text: after,
    line: after.slice(start, lineEnd(after, offset)).trim(),
    number: after.slice(0, start).split("\n").length,
  };
}

/** All that the file is to say. */
function meant(text: string, { agent, key, rule, inherited }: WantedRule): unknown {
  const document = parseDocument(text, { stringKeys: true });
  const own = agentIn(document, agent);
  const list = own?.get(key);
  own?.set(key, [...(isSeq(list) ? list.toJSON() : inherited), rule]);
  return document.toJS();
}
