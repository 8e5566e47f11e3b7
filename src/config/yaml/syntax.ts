import { type Document, type ErrorCode, isCollection, isMap, isScalar, visit, type YAMLError } from "yaml";
import type { Report } from "../reader/reader.ts";
import { positionOf } from "./excerpt.ts";
import type { SourceFile, Span } from "./source.ts";

interface Words {
  message: string;
  fix: string;
}

/** The parser's own messages are for implementers, and some quote the text, which may be a secret. */
const WORDS: Partial<Record<ErrorCode, Words>> = {
  TAB_AS_INDENT: {
    message: "a tab is used for indentation",
    fix: "use spaces, here and below: YAML allows no tabs there",
  },
  BAD_INDENT: {
    message: "the indentation does not fit the lines above",
    fix: "start the keys of one map, and the dashes of one list, in the same column",
  },
  MISSING_CHAR: {
    message: "something is missing or indented differently here",
    fix: 'look for a missing ":", "," or "-", or a line that starts in another column than its neighbours',
  },
  MULTILINE_IMPLICIT_KEY: {
    message: 'this line has no ":" after its key',
    fix: "write it as key: value",
  },
  BLOCK_AS_IMPLICIT_KEY: {
    message: "a second key: value starts in the middle of a value",
    fix: "put the value in quotes, or the second key on a line of its own",
  },
  BAD_SCALAR_START: {
    message: "a value cannot start with this character",
    fix: "put the value in quotes",
  },
  BAD_DQ_ESCAPE: {
    message: "this is not an escape that YAML knows",
    fix: "write \\\\ for a backslash, or use 'single quotes'",
  },
  UNEXPECTED_TOKEN: { message: "this does not belong here", fix: "remove it, or put the value in quotes" },
  BAD_ALIAS: {
    message: "this anchor or alias has no usable name",
    fix: "put text that starts with & or * in quotes",
  },
  NON_STRING_KEY: {
    message: "a key must be plain text",
    fix: "write it as key: value, and text with { } in quotes",
  },
  MULTIPLE_DOCS: {
    message: "a second document starts here",
    fix: "remove the line: a configuration is one document",
  },
  TAG_RESOLVE_FAILED: {
    message: "this tag is not known",
    fix: "remove the tag, or put text that starts with ! in quotes",
  },
  RESOURCE_EXHAUSTION: { message: "the file is nested too deeply", fix: "remove some of the brackets" },
};

const OTHERWISE: Words = {
  message: "this is not valid YAML",
  fix: "check the quotes, brackets and indentation here",
};

/** One slip can make the parser refuse everything after it. */
const MOST_ERRORS = 20;

/** Reports what the parser refused, one problem a line. True when there was any. */
export function reportSyntax(document: Document.Parsed, file: SourceFile, report: Report): boolean {
  const lines = new Set<number>();
  const unknownTags = document.warnings.filter((warning) => warning.code === "TAG_RESOLVE_FAILED");
  for (const error of upToTabs([...document.errors, ...unknownTags]).slice(0, MOST_ERRORS)) {
    const found = unquotedVariable(error, file) ?? unclosedAt(document, error, file);
    const span = found?.span ?? spanOf(error, file);
    const { message, fix } = found ?? WORDS[error.code] ?? OTHERWISE;
    const { line } = positionOf(file, span.start);
    if (!lines.has(line)) report(span, message, fix);
    lines.add(line);
  }
  return lines.size > 0;
}

/** Whoever indents with tabs does so throughout, and all that follows from it is the same mistake. */
function upToTabs<E extends YAMLError>(errors: E[]): E[] {
  const [first] = errors.filter(({ code }) => code === "TAB_AS_INDENT").sort((a, b) => a.pos[0] - b.pos[0]);
  return first ? errors.filter((error) => error === first || error.pos[0] < first.pos[0]) : errors;
}

/** What the error points at, past the indentation in front of it. */
function spanOf({ pos: [from, to] }: YAMLError, file: SourceFile): Span {
  const start = from + (/^ *(?=\S)/.exec(file.text.slice(from))?.[0].length ?? 0);
  return { file, start, end: Math.max(start + 1, to) };
}

interface Found extends Words {
  span: Span;
}

/** Within `{ }` and `[ ]`, the braces of `${NAME}` are YAML's own. */
function unquotedVariable({ pos: [at] }: YAMLError, file: SourceFile): Found | undefined {
  const [variable] = /^\$\{[^}\n]*\}?/.exec(file.text.slice(Math.max(0, at - 1))) ?? [];
  if (variable === undefined) return undefined;
  const span = { file, start: at - 1, end: at - 1 + variable.length };
  return { span, message: "a variable in brackets needs quotes", fix: `write "\${NAME}", with the quotes` };
}

/** The parser notices an open quote or bracket where the text ends; a person needs to see where it starts. */
function unclosedAt(document: Document.Parsed, error: YAMLError, file: SourceFile): Found | undefined {
  if (error.code !== "MISSING_CHAR" && error.code !== "BAD_INDENT") return undefined;
  let found: Found | undefined;
  visit(document, {
    Node(_, node) {
      if (!node.range || node.range[1] !== error.pos[0]) return;
      const span = { file, start: node.range[0], end: node.range[0] + 1 };
      if (isScalar(node) && node.type?.startsWith("QUOTE")) {
        const quote = node.type === "QUOTE_DOUBLE" ? '"' : "'";
        found = { span, message: "this quote is never closed", fix: `close it with ${quote}` };
      } else if (isCollection(node) && node.flow) {
        const closer = isMap(node) ? "}" : "]";
        found = { span, message: "this bracket is never closed", fix: `close it with ${closer}` };
      }
    },
  });
  return found;
}
