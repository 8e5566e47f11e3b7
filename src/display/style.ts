import { stripVTControlCharacters, styleText } from "node:util";

export type Format = Parameters<typeof styleText>[0];

/** Paints text, or leaves it as it is. */
export type Paint = (format: Format, text: string) => string;

export const plain: Paint = (_format, text) => text;
export const coloured: Paint = (format, text) => styleText(format, text, { validateStream: false });

/** NO_COLOR and FORCE_COLOR win; else a terminal gets colours. */
export function paintFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): Paint {
  if (env.NO_COLOR) return plain;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== "0") return coloured;
  return stream.isTTY && env.TERM !== "dumb" ? coloured : plain;
}

/** Text from outside must not move the cursor, ring the bell, change a title or turn the direction of writing. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    "",
  );
}

/** Printable text on a single line. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, " ")).trim();
}
