import { linesIn } from "./names.ts";

/** How a line may begin before the word that says what it defines. */
const BEFORE = String.raw`^\s*(?:@\w+\s+)?(?:(?:export|default|declare|public|private|protected|internal|static|async|abstract|final|override|inline|open|suspend|virtual|extern|unsafe|pub(?:\([\w:]+\))?|data|sealed|partial|readonly|local)\s+)*`;

const NAMED = new RegExp(
  String.raw`${BEFORE}(?:function\*?|func(?:\s+\([^)]{0,80}\))?|fn|def|defp|defmacrop?|defmodule|defprotocol|class|interface|struct|enum|trait|module|namespace|object|record|protocol|extension|actor|union|fun|sub|proc|macro_rules!|message|service|rpc)\s+(?:self\.)?([\p{L}_$][\p{L}\p{N}_$.]*)`,
  "u",
);
/** Only where nothing stands before them: a function has many of its own. */
const AT_THE_TOP =
  /^(?:export\s+)?(?:declare\s+)?(?:pub(?:\([\w:]+\))?\s+)?(?:const|let|var|val|type)\s+([\p{L}_$][\p{L}\p{N}_$]*)/u;
/** A function by its shape: `void run(int n) {`, `async load(path: string): Promise<void> {`. */
const BY_SHAPE =
  /^\s*(?:[\p{L}_$][\p{L}\p{N}_$<>[\].,*&:?]*\s+){0,6}[*&]{0,2}#?([\p{L}_$][\p{L}\p{N}_$]*)\s*\([^()]{0,200}\)\s*(?::\s*[^={]{1,80}|->\s*[^={]{1,80}|throws\s+[\w., ]+|const|noexcept|override)?\s*\{\s*$/u;
const NO_FUNCTION =
  /^\s*(?:\}\s*)?(?:else\s+)?(?:if|for|foreach|while|switch|catch|return|function|with|match|elsif|unless|until|do|when|await|new|throw)\b/;
const TABLE =
  /^\s*create\s+(?:or\s+replace\s+)?(?:table|view|index|function|trigger|type)\s+(?:if\s+not\s+exists\s+)?["`[]?([\w.]+)/i;
/** A test is known by what it says, a route by its path. */
const SAID =
  /^\s*(?:it|test|describe|context|feature|scenario|specify)(?:\.\w+)*\s*\(?\s*(?:"([^"]{3,100})"|'([^']{3,100})'|`([^`]{3,100})`)/;
const ROUTE =
  /\b(?:get|post|put|patch|delete|route|live|resources|scope|HandleFunc|Handle)\s*\(?\s*["'`](\/[\w:/{}*.-]{2,80})["'`]/;
const KEY = /^ {0,4}(?:- )?["']?([A-Za-z][\w.-]{2,60})["']?\s*[:=](?:\s|$)/;
const PROSE = /\.(?:mdx?|txt|rst|adoc|html?)$/i;
const KEYED_FILE = /\.(?:ya?ml|json|toml|ini|conf|properties|env)$/i;

/** What a text defines, in any language: functions, classes, tests, routes; keys where the file is made of them. */
export function definitionsIn(text: string, path = ""): string[] {
  const found = new Set<string>();
  if (PROSE.test(path)) return [];
  const isKeyed = KEYED_FILE.test(path);
  for (const line of linesIn(text)) {
    const name = isKeyed ? KEY.exec(line)?.[1] : definedBy(line);
    if (name !== undefined && name.length > 2) found.add(name);
  }
  return [...found];
}

/** No definition of a person begins later. */
const LONGEST_LINE = 300;

function definedBy(line: string): string | undefined {
  if (line.length > LONGEST_LINE || line.trimStart() === "") return undefined;
  const said = SAID.exec(line);
  if (said) return said[1] ?? said[2] ?? said[3];
  const named = NAMED.exec(line) ?? AT_THE_TOP.exec(line) ?? TABLE.exec(line);
  if (named) return named[1];
  const route = ROUTE.exec(line);
  if (route) return route[1];
  return NO_FUNCTION.test(line) ? undefined : BY_SHAPE.exec(line)?.[1];
}

const NEW_FILE = /^\+\+\+ (?:b\/)?(\S+)/;
const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/** What a diff says was changed: in which files, and within what. */
export function changedIn(diff: string): Map<string, string[]> {
  const changed = new Map<string, Set<string>>();
  let names: Set<string> | undefined;
  for (const line of linesIn(diff)) {
    const [, path] = NEW_FILE.exec(line) ?? [];
    if (path !== undefined) {
      names = path === "/dev/null" ? undefined : (changed.get(path) ?? new Set());
      if (names) changed.set(path, names);
      continue;
    }
    const [, , , within] = HUNK.exec(line) ?? [];
    const name = within === undefined ? changedBy(line) : definedBy(within);
    if (name !== undefined) names?.add(name);
  }
  return new Map([...changed].map(([path, found]) => [path, [...found]]));
}

function changedBy(line: string): string | undefined {
  return /^[+-]/.test(line) ? definedBy(line.slice(1)) : undefined;
}
