import { KEYWORDS } from "./keywords.ts";

/** What is read of a text: of a longer one its beginning and its end, so that a turn costs the same in every session. */
const READ = 40_000;
/** A line that is longer was made by a program for a program: minified code, base64, a page of HTML. */
const LONGEST_LINE = 1_000;
const SHORTEST = 8;
const LONGEST = 80;

const WORD = new RegExp(String.raw`[\p{L}_$][\p{L}\p{N}_$]{${SHORTEST - 1},}`, "gu");

/**
 * The names in a text that a reader could look for, each once: what is spelled as nobody writes prose, and plain words
 * that stand there as code at least once. False for plain words of prose: they count where they are names elsewhere.
 */
export function namesIn(text: string): Map<string, boolean> {
  const found = new Map<string, boolean>();
  for (const line of linesIn(text)) {
    for (const { 0: name, index } of line.matchAll(WORD)) {
      if (found.get(name) || !isName(name)) continue;
      found.set(name, isSpelledAsCode(name) || standsAsCode(line, index, index + name.length));
    }
  }
  return found;
}

/** The lines of a text that a person may have written. */
export function linesIn(text: string): string[] {
  const read =
    text.length > READ ? `${text.slice(0, READ / 2)}\n${text.slice(text.length - READ / 2)}` : text;
  return read.split("\n").filter((line) => line.length <= LONGEST_LINE);
}

/** Long enough to mean one thing, no word of a language, and nothing that a machine made up. */
export function isName(name: string, shortest = SHORTEST): boolean {
  return (
    name.length >= shortest &&
    name.length <= LONGEST &&
    !KEYWORDS.has(name) &&
    !isMadeUp(name) &&
    hasWord(name)
  );
}

/** `parseLine`, `parse_line`, `PARSE2`, `$line`. */
function isSpelledAsCode(name: string): boolean {
  return /\p{Ll}\p{Lu}|._.|\p{N}|\$/u.test(name);
}

/**
 * A plain word that is called, qualified, assigned to, a key, or quoted by itself. What may also be the end of a sentence says
 * nothing.
 */
function standsAsCode(line: string, from: number, to: number): boolean {
  const [before, after] = [line.charAt(from - 1), line.charAt(to)];
  if (/[.@:#&*>\\/]/.test(before) && /\S/.test(line.charAt(from - 2) || "x")) return true;
  if (/[([{<=!]/.test(after)) return true;
  if (/[.:]/.test(after) && /[\w$:]/.test(line.charAt(to + 1))) return true;
  if (/["'`,]/.test(before) && /["'`,]/.test(after)) return true;
  const rest = line.slice(to, to + 4);
  if (/^\s*(?::=|=>?|->|<-|\+=)(?:\s|$)/.test(rest)) return true;
  return (
    /^["'`]?:/.test(rest) &&
    /^\p{Ll}/u.test(line.slice(from)) &&
    /^[\s+\-\d→|"'`{[(,]*$/.test(line.slice(0, from))
  );
}

const HEX = /^(?=.*\d)[\da-f]{7,}$/i;

/** Hashes and identifiers by chance: their parts mix digits and letters as no person does. */
function isMadeUp(name: string): boolean {
  if (HEX.test(name)) return true;
  return name.split("_").some((part) => {
    if (part.length < 6) return false;
    const changes = part.match(/\d(?=\D)|\D(?=\d)/g)?.length ?? 0;
    return changes >= 3 || (/^\d/.test(part) && /[a-z]/.test(part) && /[A-Z]/.test(part)) || part.length > 40;
  });
}

/** Three letters of one case in a row: what has none is a number, or noise. */
function hasWord(name: string): boolean {
  return /\p{L}{3}/u.test(name);
}
