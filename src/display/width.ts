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

/** Breaks between words, and inside of one only where it is wider than a line. */
export function wrapped(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    const pieces = piecesOf(word, width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? "";
  }
  return [...lines, line];
}

/** Each as wide as there is room, and at least one character. */
function piecesOf(word: string, width: number): string[] {
  if (widthOf(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const segment of graphemesOf(word)) {
    const columns = columnsOf(segment);
    if (used + columns > width && piece !== "") {
      pieces.push(piece);
      piece = "";
      used = 0;
    }
    piece += segment;
    used += columns;
  }
  return [...pieces, piece];
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
