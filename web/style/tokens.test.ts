import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const TOKENS = readFileSync(join(import.meta.dirname, "tokens.css"), "utf8");

/** The colours of a theme, by their names. */
function coloursOf(theme: string): Record<string, string> {
  const [, block = ""] = new RegExp(`\\n\\[data-theme="${theme}"\\] \\{([^}]*)\\}`).exec(TOKENS) ?? [];
  return Object.fromEntries(
    [...block.matchAll(/--(\w+): (#\w{6});/g)].map(([, name, value]) => [name, value]),
  );
}

/** How bright it is, as WCAG has it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const WORDS = ["text", "soft", "faint", "accent", "ok", "warn", "bad", "info"];
const BEHIND = ["bg", "panel", "raise"];
const PAIRS = [
  ...WORDS.flatMap((word) => BEHIND.map((behind) => [word, behind])),
  ["text", "added"],
  ["text", "removed"],
];

it.each(["dark", "light"])("can be read in the %s theme, whatever words stand on", (theme) => {
  const colours = coloursOf(theme);
  const hardToRead = PAIRS.flatMap(([word = "", behind = ""]) => {
    const ratio = contrast(colours[word] ?? "", colours[behind] ?? "");
    return ratio >= 4.5 ? [] : [`${word} on ${behind}: ${ratio.toFixed(2)}`];
  });
  expect(hardToRead).toEqual([]);
});
