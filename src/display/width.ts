const graphemes = new Intl.Segmenter();

const WIDE =
  /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]|\u20e3/u;

/** How many columns a text takes on screen. In doubt the larger figure, because a line that is too long wraps. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += columnsOf(segment);
  return width;
}

/** Cuts to a width on screen. */
export function fitted(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return "";
  let used = 1;
  let end = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += columnsOf(segment);
    if (used > width) break;
    end += segment.length;
  }
  return `${text.slice(0, end)}…`;
}

function columnsOf(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}
