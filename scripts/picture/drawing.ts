import { CHAPTERS, type Frame } from "./moments.ts";
import type { Size } from "./recording.ts";
import type { Colour, Run, Screen, Style } from "./terminal.ts";

const FONT = 13;
const CELL = { width: 7.8, height: 18 };
const MARGIN = 18;
const BAR = 38;

/** A dark window of its own reads the same on a light page and on a dark one. */
const COLOURS: Record<Colour | "text" | "faint" | "page" | "bar" | "edge", string> = {
  page: "#0f1419",
  bar: "#1a2129",
  edge: "#3d4752",
  text: "#d7dde4",
  faint: "#8492a1",
  black: "#5c6773",
  red: "#ff7b72",
  green: "#56d364",
  yellow: "#e9b949",
  blue: "#79b8ff",
  magenta: "#d2a8ff",
  cyan: "#56d4dd",
  white: "#f0f3f6",
};

/** All frames side by side behind one opening, which moves from each to the next. */
export function drawPicture(frames: Frame[], size: Size): string {
  const width = round(size.columns * CELL.width + 2 * MARGIN);
  const height = BAR + size.rows * CELL.height + 2 * MARGIN - 8;
  const still = frames.findIndex((frame) => frame.still);
  const shift = (index: number) => `translateX(${-index * width}px)`;
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  let passed = 0;
  const steps = frames.map(({ seconds }, index) => {
    const at = (passed / total) * 100;
    passed += seconds;
    return `${round(at)}%{transform:${shift(index)}}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">Baton's demo in a terminal: a context window fills up to its mark, the session writes a handoff, a fresh session continues from it, and after three sessions the work is done.</title>
<style>
text{font:${FONT}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${COLOURS.text};white-space:pre}
.b{font-weight:700}.d{fill:${COLOURS.faint}}
${Object.entries(COLOURS)
  .map(([name, value]) => `.${name}{fill:${value}}`)
  .join("")}
#film{animation:play ${total}s step-end infinite}
@keyframes play{${steps.join("")}}
@media(prefers-reduced-motion:reduce){#film{animation:none}}
</style>
<clipPath id="opening"><rect width="${width}" height="${height}"/></clipPath>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" class="page" stroke="${COLOURS.edge}"/>
<path d="M1 ${BAR}V9.5A8.5 8.5 0 0 1 9.5 1H${width - 9.5}A8.5 8.5 0 0 1 ${width - 1} 9.5V${BAR}Z" class="bar"/>
${["red", "yellow", "green"].map((colour, index) => `<circle cx="${20 + index * 18}" cy="${BAR / 2}" r="5.5" class="${colour}"/>`).join("")}
<g clip-path="url(#opening)"><g id="film" transform="translate(${-still * width})">
${frames.map((frame, index) => `<g transform="translate(${index * width})">${drawFrame(frame, width)}</g>`).join("\n")}
</g></g>
</svg>
`;
}

function drawFrame({ screen, chapter }: Frame, width: number): string {
  return drawChapters(chapter, width) + drawScreen(screen);
}

function drawChapters(current: number, width: number): string {
  let right = width - MARGIN;
  const parts = CHAPTERS.map((title, index) => `${index + 1} ${title}`);
  return parts
    .map((text, index) => ({ text, index }))
    .toReversed()
    .map(({ text, index }) => {
      const length = text.length * CELL.width;
      right -= length;
      const drawn = drawText(text, { x: right, y: BAR / 2 + 4.5 }, index === current ? "white b" : "black");
      right -= 3 * CELL.width;
      return drawn;
    })
    .join("");
}

function drawScreen({ lines }: Screen): string {
  return lines
    .flatMap((runs, row) => runs.flatMap((run) => pieces(run).map((piece) => drawPiece(piece, row))))
    .join("");
}

/**
 * Words, blocks and symbols apart: fonts differ in the width of a letter and still more in that of a symbol, and each
 * piece is put in its own place.
 */
function pieces({ column, text, style }: Run): Run[] {
  return [...text.matchAll(/█+|░+|[^\u0020-\u024f…█░]|[\u0021-\u024f…]+(?: [\u0021-\u024f…]+)*/gu)].map(
    (match) => ({ column: column + match.index, text: match[0], style }),
  );
}

function drawPiece({ column, text, style }: Run, row: number): string {
  const x = MARGIN + column * CELL.width;
  const top = BAR + MARGIN - 6 + row * CELL.height;
  switch (text[0]) {
    case "┃":
      return drawBlock({ x: x + CELL.width / 2 - 1.25, y: top, width: 2.5, height: CELL.height }, "white");
    case "█":
    case "░": {
      const colour = text[0] === "░" ? "edge" : (style.colour ?? "text");
      const width = text.length * CELL.width;
      return drawBlock({ x, y: top + 3, width, height: CELL.height - 6 }, colour);
    }
    default:
      return drawText(text, { x, y: top + 13.5 }, classOf(style));
  }
}

function drawText(text: string, { x, y }: { x: number; y: number }, classes: string): string {
  const fit =
    text.length > 1 ? ` textLength="${round(text.length * CELL.width)}" lengthAdjust="spacingAndGlyphs"` : "";
  const named = classes ? ` class="${classes}"` : "";
  return `<text x="${round(x)}" y="${y}"${fit}${named}>${escaped(text)}</text>`;
}

function drawBlock(
  box: Record<"x" | "y" | "width" | "height", number>,
  colour: keyof typeof COLOURS,
): string {
  const { x, y, width, height } = box;
  return `<rect x="${round(x)}" y="${y}" width="${round(width)}" height="${height}" class="${colour}"/>`;
}

function classOf({ colour, bold, dim }: Style): string {
  return [colour, bold && "b", dim && "d"].filter(Boolean).join(" ");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
