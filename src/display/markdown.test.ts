import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { markdown } from "./markdown.ts";
import { onScreen, type Paint, coloured as painted, plain } from "./style.ts";

const coloured: Paint = (format, text) => onScreen(painted(format, text));

const DOCUMENT = `---
job: job-1
---

# Handoff 1

## Next steps

1. Run \`npm test\` and **wait**
- then \`\` a \` tick \`\`

\`\`\`\`
## not a heading
\`\`\`
- not a list
\`\`\`\`

> quoted`;

const line = (text: string) => {
  const found = onScreen(markdown(DOCUMENT, painted))
    .split("\n")
    .find((candidate) => stripVTControlCharacters(candidate) === text);
  expect(found).toBeDefined();
  return found;
};

it("leaves every character as it is, with colours and without", () => {
  expect(markdown(DOCUMENT, plain)).toBe(DOCUMENT);
  expect(stripVTControlCharacters(onScreen(markdown(DOCUMENT, painted)))).toBe(DOCUMENT);
});

it("colours headings, bullets, code and words that stand out", () => {
  expect(line("## Next steps")).toContain(coloured(["bold", "magenta"], "## Next steps"));
  expect(line("1. Run `npm test` and **wait**")).toBe(
    `${coloured("yellow", "1. ")}Run ${coloured("cyan", "`npm test`")} and ${coloured("bold", "**wait**")}`,
  );
  expect(line("- then `` a ` tick ``")).toBe(
    `${coloured("yellow", "- ")}then ${coloured("cyan", "`` a ` tick ``")}`,
  );
});

it("takes nothing in a block of code for a heading, a list or its end", () => {
  for (const inside of ["## not a heading", "```", "- not a list"]) {
    expect(line(inside)).toBe(coloured("cyan", inside));
  }
});

it("lets nothing in a document move the cursor", () => {
  expect(markdown("a\u001b[2Jb\u0007", plain)).toBe("ab");
});
