import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { coloured, onScreen, type Paint, plain } from "../style.ts";
import { widthOf } from "../width.ts";
import { rendered } from "./render.ts";

const paint: Paint = (format, text) => onScreen(coloured(format, text));
const shown = (text: string, width = 60) => onScreen(rendered(text, coloured, width));
const seen = (text: string, width = 60) => stripVTControlCharacters(shown(text, width));

it("leaves the text as it is where no terminal shows it", () => {
  const text = "# Title\n\n**bold** `code`";
  expect(rendered(text, plain, undefined)).toBe(text);
});

it("turns marks into paint", () => {
  expect(shown("# The `parser`")).toBe(paint(["bold", "magenta"], "The parser"));
  expect(shown("**bold**, *stressed*, ~~gone~~ and `` a ` tick ``")).toBe(
    `${paint("bold", "bold")}, ${paint("italic", "stressed")}, ${paint("strikethrough", "gone")} and ${paint("cyan", "a ` tick")}`,
  );
  expect(shown("- one\n  1. two\n- [x] done")).toBe(
    `${paint("yellow", "•")} one\n  ${paint("yellow", "1.")} two\n${paint("yellow", "☑")} done`,
  );
});

it("keeps the marks of code and stress where there are no colours", () => {
  expect(rendered("## A\n- `b` and **c**", plain, 60)).toBe("A\n• `b` and **c**");
});

it.each(["2 * 3 * 4", "snake_case_name and __init__.py", "**unclosed", "a `tick", "5 < 6 [not a link]", "!"])(
  "takes nothing for a mark that is none: %s",
  (text) => {
    expect(shown(text)).toBe(text);
  },
);

it("shows where a link leads, beside its words", () => {
  expect(seen("See [your bank](https://evil.example/x_(y)) and <https://a.b>.")).toBe(
    "See your bank (https://evil.example/x_(y)) and https://a.b.",
  );
  expect(seen("[https://a.b](https://a.b)")).toBe("https://a.b");
});

it("wraps words under the text of their item, and no line is wider than the screen", () => {
  expect(seen("- one two three four five six\n> seven eight nine ten eleven", 26)).toBe(
    "• one two three four five\n  six\n│ seven eight nine ten\n│ eleven",
  );
  const text = seen("日本語の文章は空白がないので、どこでも改行できる。".repeat(3), 30);
  for (const line of text.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(30);
});

it("breaks neither code nor an address", () => {
  const code = `const a = "${"x".repeat(80)}";`;
  const address = `https://example.com/${"y".repeat(80)}`;
  expect(seen(`\`\`\`ts\n${code}\n# no heading\n\`\`\`\nat ${address} now`)).toBe(
    `  ${code}\n  # no heading\nat\n${address}\nnow`,
  );
});

const TABLE =
  "| File | Lines | What |\n| --- | ---: | :-: |\n| `a\\|b.ts` | 120 | reads it |\n| c | 3 | and more |";

it("sets tables in columns", () => {
  expect(seen(TABLE)).toBe(
    "File    Lines    What\n──────  ─────  ────────\na|b.ts    120  reads it\nc           3  and more",
  );
});

it("breaks the cells of a table that is too wide, and lists its rows where that is not enough", () => {
  const wide = "| A | B |\n|---|---|\n| one two three four | five six seven eight |";
  expect(seen(wide, 24)).toBe(
    "A            B\n───────────  ───────────\none two      five six\nthree four   seven eight",
  );
  const many = `| ${"Title | ".repeat(6)}\n|${"---|".repeat(6)}\n| ${"a long cell | ".repeat(6)}`;
  expect(seen(many, 30)).toBe(Array.from({ length: 6 }, () => "Title: a long cell").join("\n"));
});

it("lets nothing in a text act on the terminal, wherever it stands", () => {
  const evil = "\u001b]0;x\u0007\u001b[2J";
  const text = `# a${evil}\n\`b${evil}\`\n| c${evil} | d |\n|---|---|\n| e${evil} | f |\n[g](http://h${evil})`;
  expect(shown(text)).toBe(shown(text.replaceAll(evil, "")));
});

it.each([
  "`".repeat(5_000),
  "*a ".repeat(20_000),
  "[a](".repeat(20_000),
  ">".repeat(100_000),
  `# ${" ".repeat(100_000)}x`,
  "| ".repeat(20_000),
  "**a* ".repeat(4_000),
])("is through with a hostile text in no time (%#)", (text) => {
  const start = performance.now();
  shown(text);
  expect(performance.now() - start).toBeLessThan(1_000);
});
