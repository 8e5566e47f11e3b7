import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

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

/** Text from outside must not move the cursor, ring the bell or change a title. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}

/** Cuts to a width on screen. Wide characters count as two. */
export function fitted(text: string, width: number): string {
  let used = 0;
  let end = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += isWide(segment) ? 2 : 1;
    if (used > width) return `${text.slice(0, Math.max(0, end - 1))}…`;
    end += segment.length;
  }
  return text;
}

function isWide(segment: string): boolean {
  return /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u.test(
    segment,
  );
}
