import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
import type { Report } from "../reader/reader.ts";
import type { SourceFile, Span } from "./source.ts";
import { reportSyntax } from "./syntax.ts";
import { type Environment, expand, type Unresolved } from "./variables.ts";

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

/** Far more than any real file has, and reached at once by aliases that multiply. */
const MOST_VALUES = 50_000;

/** The file's tree, or undefined when it has none or is not YAML that can be trusted. */
export function parseTree(file: SourceFile, env: Environment, report: Report): Located | undefined {
  const document = parseDocument(file.text, { prettyErrors: false, uniqueKeys: false, stringKeys: true });
  if (reportSyntax(document, file, report)) return undefined;
  return locate(document, file, env, report);
}

function locate(
  document: Document.Parsed,
  file: SourceFile,
  env: Environment,
  report: Report,
): Located | undefined {
  let values = 0;
  let sound = true;
  const open = new Set<unknown>();

  function visit(node: unknown, at: Span): Located | undefined {
    values += 1;
    if (values > MOST_VALUES) {
      if (values === MOST_VALUES + 1) {
        sound = false;
        report(
          at,
          `aliases make this file larger than ${MOST_VALUES} values`,
          'use "defaults" for what agents share',
        );
      }
      return undefined;
    }
    if (isAlias(node)) {
      const span = spanOf(node, at);
      const target = node.resolve(document);
      if (!target) {
        sound = false;
        report(
          span,
          `there is no anchor "${node.source}" before this alias`,
          `add &${node.source} where the value is first written, or put this text in quotes`,
        );
        return undefined;
      }
      if (open.has(target)) {
        sound = false;
        report(span, `the alias "${node.source}" contains itself`, "write the value out");
        return undefined;
      }
      const value = visit(target, span);
      return value && { ...value, span };
    }
    const span = spanOf(node, at);
    if (isScalar(node)) {
      const { value, source } = node;
      if (typeof value === "string") {
        return { kind: "scalar", source: source ?? value, span, ...expand(value, env) };
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
    const entries: Entry[] = [];
    for (const pair of pairs) {
      const keySpan = spanOf(pair.key, span);
      const key = isScalar(pair.key) ? String(pair.key.value ?? "") : "";
      const value = visit(pair.value, { file, start: keySpan.end, end: keySpan.end });
      const earlier = entries.find((entry) => entry.key === key);
      if (earlier) {
        report(keySpan, `the key "${key}" is written twice in the same map`, "keep one of them");
      } else if (value) {
        entries.push({ key, keySpan, value });
      }
    }
    return { kind: "map", entries, span };
  }

  function list(nodes: readonly unknown[], span: Span): Located {
    return { kind: "list", items: nodes.flatMap((node) => visit(node, span) ?? []), span };
  }

  function spanOf(node: unknown, otherwise: Span): Span {
    const range = isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range : undefined;
    return range ? { file, start: range[0], end: range[1] } : otherwise;
  }

  const tree = visit(document.contents, { file, start: 0, end: 0 });
  return sound ? tree : undefined;
}
