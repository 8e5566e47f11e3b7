/** What Claude Code shows, as far as it matters to whoever wants to type into it. */
export type Prompt =
  /** It waits for a person, and nothing is written yet. */
  | { state: "empty" }
  /** Somebody has begun to write. */
  | { state: "written"; text: string }
  /** It works, and would only queue what is typed. `text` is what somebody has begun to write meanwhile. */
  | { state: "working"; text: string }
  /** What is written would be run by a shell. */
  | { state: "shell"; text: string }
  /** A dialog is open, or this is another program. */
  | { state: "none" };

interface Cell {
  character: string;
  dim: boolean;
  inverse: boolean;
}

type Line = Cell[];

/** How many written lines above the prompt the sign that it works can be. */
const LINES_ABOVE = 8;
const WORKING = /^[·✢✳✶✻✽∗*] \S.*…/;
const RULE = /^─{2}.*─$/;
const SIGN = /^[❯>!][\u00a0 ]?/;

/** Reads the prompt off what `tmux capture-pane -p -e` gave: colours and all, because a hint is told by its dimness. */
export function promptOn(captured: string): Prompt {
  const lines = cellsOf(captured);
  const plain = lines.map(textOf);
  const end = plain.findLastIndex(isRule);
  const start = plain.slice(0, Math.max(0, end)).findLastIndex(isRule);
  const first = lines[start + 1];
  if (start < 0 || end - start < 2 || first === undefined || !SIGN.test(textOf(first)))
    return { state: "none" };

  const [sign = ""] = SIGN.exec(textOf(first)) ?? [];
  const written = [first.slice(sign.length), ...lines.slice(start + 2, end)];
  const text = byHand(written);
  const above = plain
    .slice(0, start)
    .filter((line) => line.trim() !== "")
    .slice(-LINES_ABOVE);
  const below = plain.slice(end + 1).join("\n");
  if (above.some((line) => WORKING.test(line)) || /\besc to interrupt\b/.test(below)) {
    return { state: "working", text };
  }
  if (sign.startsWith("!")) return { state: "shell", text };
  return text === "" ? { state: "empty" } : { state: "written", text };
}

/** The lines on which a status line or a notice of the program can be: around the prompt, and nowhere in the conversation. */
export function aroundPrompt(captured: string): string[] {
  const lines = plainScreen(captured).split("\n");
  const end = lines.findLastIndex(isRule);
  const start = lines.slice(0, Math.max(0, end)).findLastIndex(isRule);
  if (start < 0 || !SIGN.test(lines[start + 1] ?? "")) return [];
  return [...lines.slice(end + 1), ...lines.slice(Math.max(0, start - 1), start)].filter(
    (line) => line.trim() !== "",
  );
}

const SHORTEST_PASTE = 500;

/** Whether this stands at the prompt for a long text that came at once. */
export function isPaste(shown: string, text: string): boolean {
  return text.length >= SHORTEST_PASTE && /^\[Pasted text #\d+[^\]]*\]$/.test(shown);
}

/** What stands on it, without colours. */
export function plainScreen(captured: string): string {
  return cellsOf(captured).map(textOf).join("\n");
}

function isRule(line: string): boolean {
  const text = line.trim();
  return RULE.test(text) && text.replaceAll("─", "").length < text.length / 2;
}

function textOf(line: Line): string {
  return line
    .map(({ character }) => character)
    .join("")
    .trimEnd();
}

/** A hint is dim. Its first letter can be under the cursor, which is drawn inverse and not dim. */
function byHand(lines: Line[]): string {
  const cells = lines.flatMap((line) => [...line, { character: " ", dim: false, inverse: false }]);
  const bright = cells.filter(({ dim, character }) => !dim && character.trim() !== "");
  const onlyCursor = bright.length === 1 && bright[0]?.inverse === true && cells.some(({ dim }) => dim);
  if (onlyCursor) return "";
  const text = cells.map(({ character, dim }) => (dim ? " " : character)).join("");
  return text.replace(/[\s\u00a0]+/g, " ").trim();
}

/** Colours and other codes, links, and every single character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a screen is made of them
const PIECES = /\u001b\[([\d;:]*)m|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[^\u001b]|\u001b/gu;

/** tmux says only what changes, also across the end of a line. */
function cellsOf(captured: string): Line[] {
  let dim = false;
  let inverse = false;
  return captured.split("\n").map((line) => {
    const cells: Line = [];
    for (const [piece, codes] of line.matchAll(PIECES)) {
      if (codes === undefined) {
        if (!piece.startsWith("\u001b")) cells.push({ character: piece, dim, inverse });
        continue;
      }
      for (const code of withoutColours(codes)) {
        if (code === 0) [dim, inverse] = [false, false];
        if (code === 2) dim = true;
        if (code === 22) dim = false;
        if (code === 7) inverse = true;
        if (code === 27) inverse = false;
      }
    }
    return cells;
  });
}

/** The numbers of a colour must not be taken for codes: 38;5;2 is green, not dim. */
function withoutColours(codes: string): number[] {
  return codes
    .replace(/\b[345]8[;:](?:5[;:]\d+|2(?:[;:]\d*){3,4})/g, "")
    .split(";")
    .filter((code) => code !== "" || codes === "")
    .map(Number);
}
