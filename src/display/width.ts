/** Nothing in it joins what is beside it: Latin, punctuation, arrows, signs and boxes. */
const SINGLES = /^[\x20-\x7e\xa0-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u2bff]*$/;
const WIDE =
  /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]|\u20e3/u;

/** How many columns a text takes on screen. In doubt the larger figure, because a line that is too long wraps. */
export function widthOf(text: string): number {
  let width = 0;
  for (const segment of graphemesOf(text)) width += columnsOf(segment);
  return width;
}

/** Cuts to a width on screen. */
export function fitted(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return "";
  let used = 1;
  let end = 0;
  for (const segment of graphemesOf(text)) {
    used += columnsOf(segment);
    if (used > width) break;
    end += segment.length;
  }
  return `${text.slice(0, end)}…`;
}

let segmenter: Intl.Segmenter | undefined;

/** The segmenter is made where it is needed first: its tables take longer to load than most commands run. */
function graphemesOf(text: string): Iterable<string> {
  if (SINGLES.test(text)) return text;
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function columnsOf(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}
