/** What a status line says of the window, as far as it says it. */
export interface StatusFigure {
  tokens: number;
  window: number;
}

const USUAL_WINDOW = 200_000;
const WINDOWS = [200_000, 1_000_000];
const SMALLEST_WINDOW = 100_000;
/** Rounding in a status line moves a window by so much at most. */
const SLACK = 0.07;
/** Where Claude Code's own compaction sets in: what it says is left is left until there. */
const COMPACTS_AT = 0.835;

const COUNT = String.raw`(\d[\d.,]*)\s?([km])?`;
const PERCENT = String.raw`(\d{1,3}(?:\.\d+)?)\s?%`;
const LABEL = "(?:context|ctx|🧠)";

const OF_WINDOW = new RegExp(String.raw`${COUNT}\s*(?:/|of|out of)\s*${COUNT}\b`, "giu");
const UNTIL_COMPACTION = new RegExp(String.raw`context left until auto-?compact\w*:?\s*${PERCENT}`, "iu");
const TOKENS = new RegExp(
  String.raw`${LABEL}[^\d%|]{0,12}${COUNT}(?:\s*tokens?)?(?![\d.,]*\s?%)(?:\s*[([]?\s*${PERCENT})?`,
  "iu",
);
const LEFT = [
  new RegExp(String.raw`${LABEL}[^\d%|]{0,20}(?:left|remaining|free)[^\d%|]{0,20}${PERCENT}`, "iu"),
  new RegExp(String.raw`${PERCENT}\s*(?:of\s+)?${LABEL}\s*(?:window\s*)?(?:left|remaining|free)`, "iu"),
  new RegExp(String.raw`${LABEL}[^\d%|]{0,12}${PERCENT}\s*(?:left|remaining|free)`, "iu"),
];
const USED = [
  new RegExp(String.raw`${LABEL}[^\d%|]{0,24}${PERCENT}`, "iu"),
  new RegExp(String.raw`${PERCENT}\s*(?:of\s+)?(?:the\s+)?${LABEL}`, "iu"),
];
const BAR = new RegExp(String.raw`[█▓▒░■□▰▱▮▯]{4,}[\])]?\s*${PERCENT}`, "u");
/** A bar of these is of a plan's allowance, not of the window. */
const ALLOWANCE = /\b(?:5h|7d|weekly|week|session|block|limit)\b/i;

/** No terminal is wider, and the patterns go back over what they have read. */
const WIDEST = 500;

/** The figure on the lines around a prompt; undefined where they show none that can be trusted. */
export function statusFigure(lines: readonly string[]): StatusFigure | undefined {
  const shown = lines.map((line) => line.slice(0, WIDEST));
  for (const read of [ofWindow, untilCompaction, tokens, left, used, bar]) {
    for (const line of shown) {
      const found = read(line);
      if (found) return found;
    }
  }
  return undefined;
}

/** `45.2k/200k`, `84,000 of 200,000`. Sums of what was sent and received look alike, but have no window behind them. */
function ofWindow(line: string): StatusFigure | undefined {
  for (const [, used, usedUnit, all, allUnit] of line.matchAll(OF_WINDOW)) {
    const [tokens, window] = [count(used, usedUnit), count(all, allUnit)];
    if (window >= SMALLEST_WINDOW && tokens <= window * (1 + SLACK)) return { tokens, window };
  }
  return undefined;
}

function untilCompaction(line: string): StatusFigure | undefined {
  const [, percent] = UNTIL_COMPACTION.exec(line) ?? [];
  return percent === undefined ? undefined : part((COMPACTS_AT * (100 - Number(percent))) / 100);
}

/** `context: 45.2k tokens (23%)`, `🧠 25,000 (12%)`. The per cent tells the window. */
function tokens(line: string): StatusFigure | undefined {
  const [, number, unit, percent] = TOKENS.exec(line) ?? [];
  const tokens = count(number, unit);
  if (number === undefined || tokens < 1_000) return undefined;
  const told = percent === undefined ? 0 : (tokens / Number(percent)) * 100;
  const window = WINDOWS.find((size) => Math.abs(told / size - 1) <= SLACK);
  return { tokens, window: window ?? (tokens > USUAL_WINDOW ? 1_000_000 : USUAL_WINDOW) };
}

function left(line: string): StatusFigure | undefined {
  const percent = firstOf(LEFT, line);
  return percent === undefined ? undefined : part((100 - percent) / 100);
}

function used(line: string): StatusFigure | undefined {
  const percent = firstOf(USED, line);
  return percent === undefined ? undefined : part(percent / 100);
}

function bar(line: string): StatusFigure | undefined {
  const [, percent] = ALLOWANCE.test(line) ? [] : (BAR.exec(line) ?? []);
  return percent === undefined ? undefined : part(Number(percent) / 100);
}

function firstOf(forms: readonly RegExp[], line: string): number | undefined {
  const found = forms.map((form) => form.exec(line)?.[1]).find((percent) => percent !== undefined);
  return found === undefined || Number(found) > 100 ? undefined : Number(found);
}

/** A per cent alone does not say of how much. */
function part(used: number): StatusFigure {
  return { tokens: Math.round(USUAL_WINDOW * used), window: USUAL_WINDOW };
}

function count(number = "", unit = ""): number {
  // 45,231 and 1,234,567 are whole numbers; 45,2 is 45.2 where people write it so.
  const plain = /^\d{1,3}(?:,\d{3})+$/.test(number) ? number.replaceAll(",", "") : number.replace(",", ".");
  const factor = { k: 1_000, m: 1_000_000 }[unit.toLowerCase()] ?? 1;
  return Math.round(Number.parseFloat(plain) * factor) || 0;
}
