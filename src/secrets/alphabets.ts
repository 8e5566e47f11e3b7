/** Which characters a run is made of. */
const alphabets = {
  digits: /[0-9]/,
  hex: /[0-9a-fA-F]/,
  /** Upper case and digits. */
  capitals: /[A-Z0-9]/,
  alnum: /[A-Za-z0-9]/,
  word: /\w/,
  slug: /[\w-]/,
  dotted: /[\w.~-]/,
  base64: /[\w+/=-]/,
  token: /[\w.~+/=-]/,
  /** What a value without quotes is made of. */
  bare: /[^\s"'`,;&|<>()[\]{}\\]/,
  /** What stands before the host in an address. */
  authority: /[^\s/?#"'`<>\\]/,
  query: /[^\s&"'`<>\\)]/,
  solid: /\S/,
  line: /[^\r\n]/,
  /** A line that is cut out of a quoted text ends with its quote. */
  quotedLine: /[^\r\n"'`]/,
  inDouble: /[^"]/,
  inSingle: /[^']/,
  inBackticks: /[^`]/,
} as const satisfies Record<string, RegExp>;

export type Alphabet = keyof typeof alphabets;

const NAMES = Object.keys(alphabets) as Alphabet[];
const INDEX = Object.fromEntries(NAMES.map((name, index) => [name, index])) as Record<Alphabet, number>;

/** Of each ASCII character and, last, of all others: the alphabets that it belongs to. */
const MEMBERSHIP = Int32Array.from({ length: 129 }, (_, code) => {
  const letter = code === 128 ? "\u4e00" : String.fromCharCode(code);
  return NAMES.reduce((bits, name) => (alphabets[name].test(letter) ? bits | (1 << INDEX[name]) : bits), 0);
});

export function isIn(alphabet: Alphabet, code: number): boolean {
  return ((MEMBERSHIP[Math.min(code, 128)] ?? 0) & (1 << INDEX[alphabet])) !== 0;
}

const KEPT = 4;
/** A run of no more than this is walked again as quickly as it is found. */
const SHORT = 16;

/**
 * Where runs of characters end. A run that was walked once is not walked again from its middle, so that each character
 * is visited at most once for each alphabet, however often somebody asks.
 */
export class Runs {
  readonly text: string;
  /** How many characters were looked at: what shows that the work is linear. */
  steps = 0;
  /** Up to where the values of headers were looked at: a name among them begins no other. */
  headersLookedAt = 0;
  /** The last few runs of each alphabet: a token of several parts asks for all of them at each place. */
  readonly #from = new Int32Array(NAMES.length * KEPT);
  readonly #end = new Int32Array(NAMES.length * KEPT);
  readonly #next = new Uint8Array(NAMES.length);

  constructor(text: string) {
    this.text = text;
  }

  end(alphabet: Alphabet, from: number): number {
    const which = INDEX[alphabet];
    const first = which * KEPT;
    for (let slot = first; slot < first + KEPT; slot++) {
      const known = this.#end[slot] ?? 0;
      if (from < known && from >= (this.#from[slot] ?? 0)) return known;
    }
    const bit = 1 << which;
    const { text } = this;
    let end = from;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (((MEMBERSHIP[Math.min(code, 128)] ?? 0) & bit) === 0) break;
    }
    this.steps += end - from + 1;
    if (end - from < SHORT) return end;
    const slot = first + (this.#next[which] ?? 0);
    this.#next[which] = ((this.#next[which] ?? 0) + 1) % KEPT;
    this.#from[slot] = from;
    this.#end[slot] = end;
    return end;
  }

  /** Where a run that ends before `to` begins, looking back no further than `most`. */
  start(alphabet: Alphabet, to: number, most: number): number {
    let from = to;
    const least = Math.max(0, to - most);
    while (from > least && isIn(alphabet, this.text.charCodeAt(from - 1))) from--;
    this.steps += to - from + 1;
    return from;
  }
}

/** Where a word that was found backwards begins: the letter of an escape before it is none of its own. */
export function afterEscape(text: string, from: number): number {
  return text[from - 1] === "\\" && /[nrt]/.test(text[from] ?? "") ? from + 1 : from;
}
