import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
import { inUnits } from "../../files/bounded-file.ts";
import { CONFIG_LIMITS } from "../limits.ts";
import type { Report } from "../reader/reader.ts";
import type { SourceFile, Span } from "./source.ts";
import { reportSyntax } from "./syntax.ts";
import { type Environment, type Expanded, expand, type Unresolved } from "./variables.ts";

/** A YAML value as plain data that knows where it was written. Aliases stand as what they point to. */
export type Located =
  | { kind: "map"; entries: Entry[]; span: Span }
  | { kind: "list"; items: Located[]; span: Span }
  | Scalar;

interface Scalar {
  kind: "scalar";
  value: string | number | boolean | null;
  /** As it stands in the file, without its quotes. */
  source: string;
  span: Span;
  /** The text before its variables were replaced; absent where it has none. */
  written?: string;
  /** A variable that stands for nothing. It matters only to who wants the value. */
  unresolved?: Unresolved;
}

export interface Entry {
  key: string;
  keySpan: Span;
  value: Located;
}

/** The file's tree, or undefined when it has none or is not YAML that can be trusted. */
export function parseTree(file: SourceFile, env: Environment, report: Report): Located | undefined {
  const excess = excessIn(file.text);
  if (excess) {
    report({ file, start: 0, end: 0 }, excess.message, excess.fix);
    return undefined;
  }
  const document = parseDocument(file.text, { prettyErrors: false, uniqueKeys: false, stringKeys: true });
  if (reportSyntax(document, file, report)) return undefined;
  return locate(document, file, env, report);
}

const codes = (signs: string) => new Set(Array.from(signs, (sign) => sign.charCodeAt(0)));
const SIGNS = codes("\n[]{},-?:!&*#|>");
const OPENING = codes("[{");
const CLOSING = codes("]}");
/** Brackets in texts need not be closed, but nobody leaves so many open. */
const MOST_OPEN = 10 * CONFIG_LIMITS.depth;

/** What would keep the parser busy for seconds, by a look at the characters alone. */
function excessIn(text: string): { message: string; fix: string } | undefined {
  let [signs, open] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!SIGNS.has(code)) continue;
    signs += 1;
    if (OPENING.has(code)) open += 1;
    else if (CLOSING.has(code)) open -= 1;
    if (open > MOST_OPEN)
      return { message: "the file is nested too deeply", fix: "remove some of the brackets" };
  }
  if (signs <= CONFIG_LIMITS.signs) return undefined;
  const message = `the file has more than ${CONFIG_LIMITS.signs} line breaks and signs such as - : , [`;
  return { message, fix: "remove what does not belong in it" };
}

const TOO_MUCH_TEXT = {
  message: `this file has texts of more than ${inUnits(CONFIG_LIMITS.characters)}, its aliases written out`,
  fix: 'use "defaults" for what agents share',
};

function locate(
  document: Document.Parsed,
  file: SourceFile,
  env: Environment,
  report: Report,
): Located | undefined {
  let values = 0;
  let characters = 0;
  let aliased = 0;
  let sound = true;
  /** The nodes that are being visited, each within the one before. */
  const open = new Set<unknown>();
  const anchors = new Map<string, unknown>();
  const expanded = new Map<unknown, Expanded>();

  function visit(node: unknown, at: Span): Located | undefined {
    values += 1;
    if (values > CONFIG_LIMITS.values) {
      if (values === CONFIG_LIMITS.values + 1) {
        refuse(
          at,
          `this file holds more than ${CONFIG_LIMITS.values} values, its aliases written out`,
          'use "defaults" for what agents share',
        );
      }
      return undefined;
    }
    if (open.size >= CONFIG_LIMITS.depth) {
      refuse(at, `this is nested more than ${CONFIG_LIMITS.depth} levels deep`, "write it with fewer levels");
      return undefined;
    }
    note(node);
    if (isAlias(node)) {
      const span = spanOf(node, at);
      const target = anchors.get(node.source);
      if (!target) {
        refuse(
          span,
          `there is no anchor "${node.source}" before this alias`,
          `add &${node.source} where the value is first written, or put this text in quotes`,
        );
        return undefined;
      }
      if (open.has(target)) {
        refuse(span, `the alias "${node.source}" contains itself`, "write the value out");
        return undefined;
      }
      aliased += 1;
      const value = visit(target, span);
      aliased -= 1;
      return value && { ...value, span };
    }
    const span = spanOf(node, at);
    if (isScalar(node)) {
      const { value, source } = node;
      if (typeof value === "string") {
        characters += value.length;
        if (characters > CONFIG_LIMITS.characters) {
          if (characters - value.length <= CONFIG_LIMITS.characters)
            refuse(at, TOO_MUCH_TEXT.message, TOO_MUCH_TEXT.fix);
          return undefined;
        }
        return { kind: "scalar", source: source ?? value, span, ...expandedOf(node, value) };
      }
      if (typeof value === "number" || typeof value === "boolean") {
        return { kind: "scalar", value, source: source ?? String(value), span };
      }
      return { kind: "scalar", value: null, source: "", span };
    }
    open.add(node);
    const collection = isMap(node) ? map(node.items, span) : isSeq(node) ? list(node.items, span) : undefined;
    open.delete(node);
    return collection;
  }

  function map(pairs: readonly { key: unknown; value: unknown }[], span: Span): Located {
    const entries = new Map<string, Entry>();
    for (const pair of pairs) {
      note(pair.key);
      const keySpan = spanOf(pair.key, span);
      const key = isScalar(pair.key) ? String(pair.key.value ?? "") : "";
      const value = visit(pair.value, { file, start: keySpan.end, end: keySpan.end });
      if (entries.has(key)) {
        report(keySpan, `the key "${key}" is written twice in the same map`, "keep one of them");
      } else if (value) {
        entries.set(key, { key, keySpan, value });
      }
    }
    return { kind: "map", entries: [...entries.values()], span };
  }

  function list(nodes: readonly unknown[], span: Span): Located {
    return { kind: "list", items: nodes.flatMap((node) => visit(node, span) ?? []), span };
  }

  /** An alias stands for the last anchor of its name before it; what it stands for is no such place again. */
  function note(node: unknown): void {
    if (aliased === 0 && (isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined) {
      anchors.set(node.anchor, node);
    }
  }

  /** Once for each text, however many aliases there are of it. */
  function expandedOf(node: unknown, text: string): Expanded {
    const found = expanded.get(node) ?? expand(text, env);
    expanded.set(node, found);
    return found;
  }

  function refuse(span: Span, message: string, fix: string): void {
    sound = false;
    report(span, message, fix);
  }

  function spanOf(node: unknown, otherwise: Span): Span {
    const range = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range : undefined;
    return range ? { file, start: range[0], end: range[1] } : otherwise;
  }

  const tree = visit(document.contents, { file, start: 0, end: 0 });
  return sound ? tree : undefined;
}
