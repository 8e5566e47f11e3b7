/**
 * What is printed and was not written by the user or by Baton passes through here: names, titles, documents, errors, what
 * a model said. Nothing in it may move the cursor, ring, set a title, reach the clipboard, turn the direction of writing, or
 * stand there without being seen. Lines and tabs stay.
 */
export function printable(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  return text.replace(SEQUENCES, "").replace(flagOrUnseen(), "$1").replace(TOO_MANY_MARKS, "$1");
}

/** Printable text on a single line. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, " ")).trim();
}

/** The same, one character for one and none left out, for whoever judges by what stands there. A tab is an arrow. */
export function masked(text: string): string {
  const line = text.replaceAll("\t", "→");
  if (!UNUSUAL.test(line)) return line;
  return line.replace(flagOrUnseen(), (found, flag?: string) => flag ?? "\ufffd".repeat(found.length));
}

/** JSON that is safe to look at: what `printable` would remove is written as an escape, so that nothing is lost. */
export function escapedJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(NOT_IN_JSON, (found) =>
    Array.from({ length: found.length }, (_, at) => unitOf(found, at)).join(""),
  );
}

function unitOf(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`;
}

/** Latin, punctuation, arrows, signs and boxes are most of what is printed: the tables for the rest take longer to load than most commands run. */
const UNUSUAL = /[^\n\t\x20-\x7e\xa0-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u2bff]/;

/**
 * Whole sequences, so that their parameters do not stay behind as noise: CSI, then OSC, DCS, APC, PM, SOS and titles with
 * their texts, then the short ones. Each part is bounded. What does not end properly loses its control characters below.
 */
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  /(?:\u001b\[|\u009b)[0-?]{0,64}[ -/]{0,8}[@-~]|(?:\u001b[\]PX^_k]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f\n]{0,4096}(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]{0,4}[0-~]/g;

/** Of scripts in which joiners change how letters look. */
const JOINED = [
  ..."Arabic Syriac Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada".split(" "),
  ..."Malayalam Sinhala Khmer Myanmar Tibetan".split(" "),
]
  .map((script) => `\\p{Script=${script}}`)
  .join("");
const PICTURE = "\\p{Extended_Pictographic}\\p{Emoji_Modifier}";

/**
 * What cannot be seen, in the order of the alternatives: controls, what turns the writing, what has no width, fillers that look like
 * space, marks between lines, code points that are no characters, halves of pairs, tags; then joiners and selectors that
 * stand where they change nothing. The flags of England, Scotland and Wales are written with tags, and stay.
 */
function flagOrUnseen(): RegExp {
  unseen ??= new RegExp(UNSEEN.join("|"), "gu");
  return unseen;
}

let unseen: RegExp | undefined;

const UNSEEN = [
  "(\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f})",
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]",
  "[\\u00ad\\u034f\\u180b-\\u180f\\u200b\\u2060-\\u2065\\u206a-\\u206f\\ufeff\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}]",
  "[\\u115f\\u1160\\u17b4\\u17b5\\u3164\\uffa0\\ufff0-\\ufffb\\ufdd0-\\ufdef\\ufffe\\uffff]",
  "\\p{Surrogate}",
  "[\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}]",
  `(?<![${PICTURE}\\ufe0f${JOINED}])[\\u200c\\u200d]|[\\u200c\\u200d](?![${PICTURE}${JOINED}])`,
  "(?<![\\p{Emoji}\\p{Symbol}\\p{Script=Han}])[\\ufe00-\\ufe0f]",
  "(?<!\\p{Script=Han})[\\u{e0100}-\\u{e01ef}]",
];

/** More than any script stacks on a letter. They would run over the lines around it. */
const TOO_MANY_MARKS = /(\p{Mark}{8})\p{Mark}+/gu;

/** A line break in JSON is only between its values. */
const NOT_IN_JSON =
  /(?!\n)[\p{Control}\p{Format}\u2028\u2029\u115f\u1160\u3164\uffa0\ufdd0-\ufdef]|\p{Variation_Selector}|\u034f/gu;
