import type { Size } from "./recording.ts";

export type Colour = "black" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "white";

export interface Style {
  colour?: Colour;
  bold: boolean;
  dim: boolean;
}

/** A stretch of one line in one style. */
export interface Run {
  column: number;
  text: string;
  style: Style;
}

export interface Screen {
  lines: Run[][];
  /** The same without styles. */
  text: string;
}

const COLOURS: Colour[] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const PLAIN: Style = { bold: false, dim: false };

/** The line at the cursor is cleared before it is drawn again, so what stood on the screen until then was complete. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys begins with one
const COMPLETE = /(?<=\n)|(?=\r\u001b\[J)/;
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  /\u001b\[(?<codes>[\d;]*)m|(?<clear>\u001b\[J)|(?<mode>\u001b\[\?\d+[hl])|(?<control>[\r\n])|(?<unknown>[\u0000-\u001f])|(?<glyph>.)/gu;

class UnknownSequenceError extends Error {
  override readonly name = "UnknownSequenceError";

  constructor(output: string) {
    super(`The picture's terminal does not know this yet: ${JSON.stringify(output.slice(0, 20))}`);
  }
}

/** Every screen that a program's output made, in order. */
export function screensOf(output: string, size: Size): Screen[] {
  const terminal = new Terminal(size);
  return output.split(COMPLETE).map((part) => {
    terminal.write(part);
    return terminal.screen();
  });
}

interface Cell {
  glyph: string;
  style: Style;
}

/** As much of a terminal as Baton's display makes use of. */
class Terminal {
  readonly #size: Size;
  #lines: Cell[][] = [[]];
  #column = 0;
  #style = PLAIN;

  constructor(size: Size) {
    this.#size = size;
  }

  write(output: string): void {
    for (const { groups, index } of output.matchAll(TOKEN)) {
      if (groups?.codes !== undefined)
        this.#style = groups.codes.split(";").map(Number).reduce(changed, this.#style);
      else if (groups?.clear) this.#lines.at(-1)?.splice(this.#column);
      // How it takes what is typed, which shows nowhere.
      else if (groups?.mode) continue;
      else if (groups?.control === "\r") this.#column = 0;
      else if (groups?.control === "\n") this.#newLine();
      else if (groups?.glyph) this.#put(groups.glyph);
      else throw new UnknownSequenceError(output.slice(index));
    }
  }

  screen(): Screen {
    const lines = this.#lines.map(runsOf);
    return { lines, text: lines.map((runs) => runs.map(({ text }) => text).join("")).join("\n") };
  }

  #put(glyph: string): void {
    if (this.#column === this.#size.columns) {
      this.#newLine();
      this.#column = 0;
    }
    this.#lines.at(-1)?.splice(this.#column, 1, { glyph, style: this.#style });
    this.#column++;
  }

  #newLine(): void {
    this.#lines.push([]);
    if (this.#lines.length > this.#size.rows) this.#lines.shift();
  }
}

function runsOf(cells: Cell[]): Run[] {
  const runs: Run[] = [];
  for (const [column, { glyph, style }] of cells.entries()) {
    const last = runs.at(-1);
    if (last && isSame(last.style, style)) last.text += glyph;
    else runs.push({ column, text: glyph, style });
  }
  return runs;
}

function isSame(a: Style, b: Style): boolean {
  return a.colour === b.colour && a.bold === b.bold && a.dim === b.dim;
}

function changed(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  const { colour: _, ...colourless } = style;
  if (code === 39) return colourless;
  const colour = COLOURS[code - 30];
  return colour === undefined ? style : { ...style, colour };
}
