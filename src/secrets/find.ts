import { credentialsAt } from "./addresses.ts";
import { isIn, Runs } from "./alphabets.ts";
import { KeyBlocks } from "./key-blocks.ts";
import { hasDigit } from "./looks-random.ts";
import { flagAt, namedValueAt } from "./named-values.ts";
import { type Shape, shapes } from "./shapes.ts";
import type { Span } from "./span.ts";
import { azureSecretAt, botTokenAt, specials } from "./special-shapes.ts";

type Find = (runs: Runs, index: number) => Span | undefined;

interface Sign {
  text: string;
  find: Find;
  /** It may stand in the middle of a word. */
  glued: boolean;
}

const SIGNS: readonly Sign[] = [
  ...shapes.flatMap((shape) =>
    shape.prefixes.map((prefix) => ({
      text: prefix,
      find: bodyAfter(prefix, shape),
      glued: !shape.digit && prefix.length >= 4 && /[_-]/.test(prefix),
    })),
  ),
  ...specials.map(([text, find]) => ({ text, find, glued: false })),
];

/** By two characters of theirs, so that at most places of a text nothing has to be compared. */
class SignTable {
  readonly #byPair: (Sign[] | undefined)[] = new Array(128 * 128).fill(undefined);

  constructor(signs: readonly Sign[], at: (text: string) => number) {
    for (const sign of [...signs].sort((a, b) => b.text.length - a.text.length)) {
      const place = at(sign.text);
      const pair = (sign.text.charCodeAt(place) << 7) | sign.text.charCodeAt(place + 1);
      this.#byPair[pair] = [...(this.#byPair[pair] ?? []), sign];
    }
  }

  of(first: number, second: number): readonly Sign[] | undefined {
    return first < 128 && second < 128 ? this.#byPair[(first << 7) | second] : undefined;
  }
}

const firstMark = (text: string) => text.search(/[_-]/);
const AT_START = new SignTable(SIGNS, () => 0);
/** Those that need no word of their own are found by what stands before their first mark. */
const AT_MARK = new SignTable(
  SIGNS.filter(({ glued }) => glued),
  (text) => firstMark(text) - 1,
);

const PERCENT = 37;
const DASH = 45;
const DOT = 46;
const SLASH = 47;
const COLON = 58;
const EQUALS = 61;
const LETTER_B = 66;
const LETTER_E = 69;
const LETTER_P = 80;
const BACKSLASH = 92;
const UNDERSCORE = 95;
const TILDE = 126;

/** Of each character: whether it is of a word, and whether something can be found where it stands. */
const WORD = 1;
const LOOK = 2;
const HINGES = [PERCENT, DASH, DOT, COLON, EQUALS, LETTER_P, BACKSLASH, UNDERSCORE, TILDE];
const FLAGS = Uint8Array.from({ length: 128 }, (_, code) => {
  const begins = SIGNS.some(({ text }) => text.charCodeAt(0) === code);
  return (isIn("alnum", code) ? WORD : 0) | (begins || HINGES.includes(code) ? LOOK : 0);
});

export interface Found {
  spans: Span[];
  steps: number;
}

/** Everything in a text that is a secret by its shape or by what stands beside it, in the order of the text. */
export function findSecrets(text: string, { strict = false } = {}): Found {
  const runs = new Runs(text);
  const blocks = new KeyBlocks(runs);
  const spans: Span[] = [];
  let after = 0;
  let inWord = false;
  let fresh = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const flags = code < 128 ? (FLAGS[code] ?? 0) : 0;
    const wasWord = inWord;
    inWord = (flags & WORD) !== 0;
    // Nothing begins in the middle of a word, and most characters are there.
    if ((flags & LOOK) === 0 || (inWord && wasWord && index !== fresh)) continue;
    if (code === BACKSLASH || code === PERCENT) {
      fresh = index + escapeAt(text, index);
      continue;
    }
    const found = hingeAt(runs, blocks, index, { code, after, strict }) ?? signAt(runs, index, code);
    if (!found || found.to <= after) continue;
    spans.push({ from: Math.max(found.from, after), to: found.to });
    after = found.to;
    if (found.to > index + 1) {
      index = found.to - 1;
      inWord = isIn("alnum", text.charCodeAt(index));
    }
  }
  return { spans, steps: runs.steps + text.length };
}

/** How long the escape is that begins here: `\\n`, `\\u000a`, `%20`. The word after it is one of its own. */
function escapeAt(text: string, index: number): number {
  if (text.charCodeAt(index) === PERCENT) return 3;
  const next = text[index + 1];
  return next === "u" ? 6 : next === "x" ? 4 : 2;
}

interface Hinge {
  code: number;
  after: number;
  strict: boolean;
}

function hingeAt(runs: Runs, blocks: KeyBlocks, index: number, hinge: Hinge): Span | undefined {
  const { text } = runs;
  const { code, after, strict } = hinge;
  switch (code) {
    case DOT:
      return text.charCodeAt(index + 7) === DOT ? botTokenAt(runs, index) : undefined;
    case TILDE:
      return azureSecretAt(runs, index);
    case LETTER_P:
      return blocks.at(index, after);
    case UNDERSCORE:
      return markAt(runs, index);
    case DASH:
      return text.charCodeAt(index + 1) === DASH ? dashesAt(runs, blocks, index, after) : markAt(runs, index);
    case COLON:
    case EQUALS: {
      const isAddress = text.charCodeAt(index + 1) === SLASH && text.charCodeAt(index + 2) === SLASH;
      return isAddress ? credentialsAt(runs, index, strict) : namedValueAt(runs, index, strict);
    }
    default:
      return undefined;
  }
}

function dashesAt(runs: Runs, blocks: KeyBlocks, index: number, after: number): Span | undefined {
  const fifth = runs.text.charCodeAt(index + 5);
  const block = fifth === LETTER_B || fifth === LETTER_E ? blocks.at(index, after) : undefined;
  if (block) return block;
  return isIn("alnum", runs.text.charCodeAt(index + 2)) ? flagAt(runs, index) : undefined;
}

function signAt(runs: Runs, index: number, code: number): Span | undefined {
  const signs = AT_START.of(code, runs.text.charCodeAt(index + 1));
  return signs && firstOf(signs, runs, () => index);
}

function markAt(runs: Runs, index: number): Span | undefined {
  const signs = AT_MARK.of(runs.text.charCodeAt(index - 1), runs.text.charCodeAt(index));
  return signs && firstOf(signs, runs, (sign) => index - firstMark(sign));
}

function firstOf(signs: readonly Sign[], runs: Runs, place: (sign: string) => number): Span | undefined {
  for (const sign of signs) {
    const at = place(sign.text);
    runs.steps += sign.text.length;
    const found = at >= 0 && runs.text.startsWith(sign.text, at) ? sign.find(runs, at) : undefined;
    if (found) return found;
  }
  return undefined;
}

function bodyAfter(prefix: string, { alphabet, least, most, digit }: Shape): Find {
  return (runs, index) => {
    const from = index + prefix.length;
    const to = runs.end(alphabet, from);
    const length = to - from;
    if (length < least || length > most || (digit && !hasDigit(runs.text, from, to))) return undefined;
    return { from: index, to };
  };
}
