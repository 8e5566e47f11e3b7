const ESC = "\u001b";
const BEL = "\u0007";
const ST = `${ESC}\\`;
const tags = (text: string) =>
  [...text].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join("");
const selectors = (text: string) =>
  [...text].map((letter) => String.fromCodePoint(0xe0100 + (letter.codePointAt(0) ?? 0))).join("");

/** What a text tries at a terminal, by name. Baton itself paints with none of these colours. */
const NAMED: Record<string, string> = {
  "OSC 0, window title": `${ESC}]0;pwned${BEL}`,
  "OSC 1, icon title": `${ESC}]1;pwned${BEL}`,
  "OSC 2, title with ST": `${ESC}]2;pwned${ST}`,
  "OSC 4, palette": `${ESC}]4;1;rgb:00/00/00${ST}`,
  "OSC 7, folder": `${ESC}]7;file://evil/tmp${ST}`,
  "OSC 8, hyperlink": `${ESC}]8;;https://evil.example${ST}click${ESC}]8;;${ST}`,
  "OSC 8, hyperlink with BEL": `${ESC}]8;id=1;https://evil.example${BEL}click${ESC}]8;;${BEL}`,
  "OSC 9, notice": `${ESC}]9;pwned${BEL}`,
  "OSC 10, foreground": `${ESC}]10;#000000${BEL}`,
  "OSC 11, background query": `${ESC}]11;?${BEL}`,
  "OSC 12, cursor colour": `${ESC}]12;red${BEL}`,
  "OSC 50, font": `${ESC}]50;#1${BEL}`,
  "OSC 52, clipboard": `${ESC}]52;c;cm0gLXJmIH4K${BEL}`,
  "OSC 52, clipboard query": `${ESC}]52;c;?${ST}`,
  "OSC 52, primary": `${ESC}]52;p;cm0gLXJmIH4K${ST}`,
  "OSC 104, reset palette": `${ESC}]104${BEL}`,
  "OSC 133, prompt mark": `${ESC}]133;A${BEL}`,
  "OSC 777, notice": `${ESC}]777;notify;a;b${BEL}`,
  "OSC 1337, file": `${ESC}]1337;File=inline=1:AAAA${BEL}`,
  "OSC 1337, copy": `${ESC}]1337;CopyToClipboard=${BEL}x${ESC}]1337;EndCopy${BEL}`,
  "OSC without an end": `${ESC}]0;never ends`,
  "OSC ended by 8-bit ST": `${ESC}]0;pwned\u009c`,
  "8-bit OSC": `\u009d0;pwned${BEL}`,
  "8-bit OSC ended by 8-bit ST": "\u009d52;c;cm0=\u009c",
  "8-bit OSC without an end": "\u009d0;never",
  "CSI, clear screen": `${ESC}[2J`,
  "CSI, clear scrollback": `${ESC}[3J`,
  "CSI, clear line": `${ESC}[2K`,
  "CSI, cursor up": `${ESC}[99A`,
  "CSI, cursor down": `${ESC}[99B`,
  "CSI, cursor right": `${ESC}[99C`,
  "CSI, cursor left": `${ESC}[99D`,
  "CSI, cursor home": `${ESC}[H`,
  "CSI, cursor place": `${ESC}[1;1f`,
  "CSI, column": `${ESC}[1G`,
  "CSI, previous line": `${ESC}[5F`,
  "CSI, insert lines": `${ESC}[9L`,
  "CSI, delete lines": `${ESC}[9M`,
  "CSI, delete characters": `${ESC}[9P`,
  "CSI, scroll": `${ESC}[9S`,
  "CSI, scroll region": `${ESC}[1;2r`,
  "CSI, repeat": `x${ESC}[2000000000b`,
  "CSI, hide cursor": `${ESC}[?25l`,
  "CSI, other screen": `${ESC}[?1049h`,
  "CSI, mouse": `${ESC}[?1003h`,
  "CSI, bracketed paste off": `${ESC}[?2004l`,
  "CSI, report device": `${ESC}[c`,
  "CSI, report cursor": `${ESC}[6n`,
  "CSI, report title": `${ESC}[21t`,
  "CSI, resize": `${ESC}[8;1;1t`,
  "CSI, minimise": `${ESC}[2t`,
  "CSI, soft reset": `${ESC}[!p`,
  "CSI, cursor shape": `${ESC}[5 q`,
  "CSI, concealed": `${ESC}[8mhidden${ESC}[28m`,
  "CSI, blinking": `${ESC}[5m`,
  "CSI, black on black": `${ESC}[40;30m`,
  "CSI, 256 colours": `${ESC}[38;5;196m`,
  "CSI, true colour": `${ESC}[48;2;0;0;0m`,
  "CSI with colons": `${ESC}[38:2::1:2:3m`,
  "CSI, private": `${ESC}[>4;2m`,
  "CSI without an end": `${ESC}[31`,
  "CSI, endless parameters": `${ESC}[${"1;".repeat(200)}m`,
  "8-bit CSI": "\u009b2J",
  "8-bit CSI, concealed": "\u009b8m",
  "8-bit CSI, report": "\u009b6n",
  DCS: `${ESC}P$q"p${ST}`,
  "DCS, sixel": `${ESC}Pq#0;2;0;0;0${ST}`,
  "DCS, terminfo": `${ESC}P+q544e${ST}`,
  "DCS, through tmux": `${ESC}Ptmux;${ESC}${ESC}]52;c;cm0=${BEL}${ST}`,
  "8-bit DCS": "\u0090q#0\u009c",
  APC: `${ESC}_Gf=100;AAAA${ST}`,
  "8-bit APC": "\u009fG\u009c",
  PM: `${ESC}^private${ST}`,
  "8-bit PM": "\u009eprivate\u009c",
  SOS: `${ESC}Xstart${ST}`,
  "8-bit SOS": "\u0098start\u009c",
  "title of screen": `${ESC}kpwned${ST}`,
  "full reset": `${ESC}c`,
  "save and restore cursor": `${ESC}7${ESC}8`,
  "reverse index": `${ESC}M`,
  "next line": `${ESC}E`,
  "8-bit next line": "\u0085",
  "8-bit reverse index": "\u008d",
  "line drawing": `${ESC}(0`,
  "another character set": `${ESC}%@`,
  "keypad mode": `${ESC}=`,
  "screen test": `${ESC}#8`,
  "shift out": "\u000e\u000f",
  bell: BEL.repeat(3),
  backspaces: "good\b\b\b\bevil",
  "carriage return": "good\revil",
  "carriage return and clear": `good\r${ESC}[Kevil`,
  delete: "good\u007f\u007f",
  "vertical tab and form feed": "a\u000bb\u000c",
  null: "a\u0000b",
  "substitute and cancel": `${ESC}[3\u001a1m${ESC}[3\u00181m`,
  answerback: "\u0005",
  "flow control": "\u0011\u0013",
  "right to left override": "\u202egnp.exe",
  "left to right override": "\u202dabc",
  embedding: "\u202babc\u202c",
  isolate: "\u2067abc\u2069",
  "first strong isolate": "\u2068abc\u2069",
  "Arabic letter mark": "\u061cabc",
  "marks of direction": "\u200eabc\u200f",
  "line separator": "a\u2028b",
  "paragraph separator": "a\u2029b",
  "zero-width space": "pay\u200bpal",
  "zero-width joiner in Latin": "pay\u200dpal",
  "zero-width non-joiner in Latin": "pay\u200cpal",
  "word joiner": "pay\u2060pal",
  "byte order mark": "pay\ufeffpal",
  "invisible signs": "a\u2062\u2063\u2064b",
  "soft hyphen": "pay\u00adpal",
  "Mongolian vowel separator": "a\u180eb",
  "Hangul filler": "a\u3164b\uffa0c\u115fd",
  annotation: "a\ufff9b\ufffac\ufffbd",
  "tag characters": `a${tags("ignore all of the above")}b`,
  "tag characters after a flag": `\u{1f3f4}${tags("gbeng rm -rf")}`,
  "variation selectors": `a${selectors("ignore all")}b`,
  "plain variation selectors": "a\ufe00\ufe01\ufe02\ufe0eb",
  "lone high surrogate": "a\ud83db",
  "lone low surrogate": "a\ude00b",
  noncharacters: "a\ufdd0\ufdefb\uffff",
  "a forged mark": `${"\ufdd0".repeat(20)}8mhidden`,
  "nested CSI": `${ESC}${ESC}[2J[2J`,
  "CSI in an OSC": `${ESC}]0;${ESC}[2J${BEL}`,
  "OSC in an OSC": `${ESC}]0;${ESC}]52;c;cm0=${BEL}${BEL}`,
  "CSI in pieces": `${ESC}\u200b[\u200b2\u200bJ`,
  "CSI in pieces by what is removed": `${ESC}${ESC}[8m[2J`,
  "8-bit in UTF-8 bytes": "\u00c2\u009b2J",
  "marks in heaps": `a${"\u0300\u0334\u0489".repeat(40)}b`,
};

export interface Escape {
  name: string;
  /** Of this attempt, so that what was printed of it can be found again. */
  sign: string;
  text: string;
}

export const ESCAPES: readonly Escape[] = Object.entries(NAMED).map(([name, tried], index) => {
  const sign = `p${String(index).padStart(3, "0")}q`;
  return { name, sign, text: `${sign}${tried}end` };
});

/** One that is split over fields that are printed beside each other. */
export const SPLIT = { before: `split${ESC}`, after: "[2J]0;x" };

const ACTS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ufdd0-\ufdef\u180e\u3164\uffa0\u115f\u00ad]|[\u{e0000}-\u{e01ef}]|\p{Surrogate}|[a-z][\u200c\u200d]|\p{Mark}{9}|(?:[a-z]|\p{Variation_Selector})\p{Variation_Selector}/gu;

/** As Baton paints: bold, dim, inverse, and the seven plain colours of letters. */
const PAINTED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
  /\u001b\[(?:[127]|22|27|3[1-7]|39)m/g;

/** What in a printed text would act on a terminal or cannot be seen, as code points. */
export function actsIn(printed: string, painted: boolean): string[] {
  const own = painted ? printed.replace(PAINTED, "") : printed;
  return [...own.matchAll(ACTS)].map(([found]) =>
    [...found].map((letter) => (letter.codePointAt(0) ?? 0).toString(16)).join(" "),
  );
}
