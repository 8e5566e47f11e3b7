/** What Baton itself tells a program to do at its prompt. All else that it types is words. */
export type OwnCommand = "/clear";

/** At the beginning of a line they mean something else to a program: a command, a shell, a note, a file. */
const SIGNS = /^[\s/!#@\\\uff0f\uff01\uff03\uff20\uff3c]+/u;

/**
 * One line of plain words: a line break would send half of it, a control character would be a key, and what nobody sees could
 * hide a sign. Empty where nothing of it is words.
 */
export function wordsToType(text: string): string {
  return oneLineOf(text).replace(SIGNS, "");
}

export function oneLineOf(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, " ")
    .replace(/[\p{Cf}\p{Cs}]+/gu, "")
    .trim();
}
