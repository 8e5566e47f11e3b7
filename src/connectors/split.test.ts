import { describe, expect, it } from "vitest";
import { asMessages, split } from "./split.ts";

const CODE = ["```ts", "const a = 1;", "const b = 2;", "```"].join("\n");

describe("a text in pieces", () => {
  it("is one piece where it fits, as it was written", () => {
    expect(split(`Hello.\n\n${CODE}\n\nBye.`, 100)).toEqual([`Hello.\n\n${CODE}\n\nBye.`]);
    expect(split("", 100)).toEqual([]);
  });

  it("keeps a code block whole where one message holds it", () => {
    expect(split(`${"Some words before it. ".repeat(3).trim()}\n\n${CODE}`, 80)).toEqual([
      "Some words before it. Some words before it. Some words before it.",
      CODE,
    ]);
  });

  it("ends a longer one in each piece, and begins it again with its language", () => {
    const long = ["~~~python", ...Array.from({ length: 12 }, (_, index) => `print(${index})`), "~~~"].join(
      "\n",
    );
    const pieces = split(long, 60);
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces) expect(piece).toMatch(/^~~~python\n(?:print\(\d+\)\n)+~~~$/);
  });

  it("closes a code block that nobody closed, as of a text that is still coming", () => {
    expect(split("```\nhalf", 100)).toEqual(["```\nhalf\n```"]);
  });
});

/** A small generator with a seed: what fails once fails again. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

function anyText(seed: number): string {
  const next = random(seed);
  const words = ["a", "word", "🙂🙂🙂", "x".repeat(next(200)), "é", "- item", "`code`", "#", "> quote"];
  const line = () => Array.from({ length: next(30) }, () => words[next(words.length)]).join(" ");
  const block = () => {
    const lines = Array.from({ length: next(12) }, line);
    const marker = ["```", "````", "~~~"][next(3)] ?? "```";
    switch (next(4)) {
      case 0:
        return [
          `${marker}${["", "ts", "a long info string"][next(3)]}`,
          ...lines,
          ...(next(9) ? [marker] : []),
        ];
      default:
        return [...lines, ""];
    }
  };
  return Array.from({ length: next(15) }, block)
    .flat()
    .join("\n");
}

const withoutFences = (text: string) =>
  text
    .split("\n")
    .filter((line) => !/^ {0,3}(?:`{3,}|~{3,})[^`]*$/.test(line))
    .join("")
    .replace(/\s/g, "");

/** What is open at the end, read line by line as a service does. */
function openAtEnd(text: string): string | undefined {
  let open: string | undefined;
  for (const line of text.split("\n")) {
    const [, marker] = /^ {0,3}(`{3,}|~{3,})[^`]*$/.exec(line) ?? [];
    if (open === undefined) open = marker;
    else if (
      line.trim().length >= open.length &&
      new Set(line.trim()).size === 1 &&
      line.trim()[0] === open[0]
    )
      open = undefined;
  }
  return open;
}

describe("any text", () => {
  it("fits, loses nothing, and leaves no code block open", () => {
    for (let seed = 1; seed <= 400; seed++) {
      const text = anyText(seed);
      const limit = 60 + (seed % 7) * 90;
      const pieces = split(text, limit);
      for (const piece of pieces) {
        expect(piece.length, `seed ${seed}`).toBeLessThanOrEqual(limit);
        expect(piece.isWellFormed(), `seed ${seed}`).toBe(true);
        expect(openAtEnd(piece), `seed ${seed}`).toBeUndefined();
        expect(piece.trim(), `seed ${seed}`).not.toBe("");
      }
      expect(withoutFences(pieces.join("\n")), `seed ${seed}`).toBe(withoutFences(text));
    }
  });
});

describe("an answer", () => {
  it("is attached whole where it would be a flood of messages", () => {
    const text = "Line of an answer.\n".repeat(3_200).slice(0, 60_000);
    const [only, ...others] = asMessages(text, 2_000);
    expect(others).toEqual([]);
    expect(only?.file).toEqual({ name: "answer.md", content: text });
    expect(only?.text.length).toBeLessThanOrEqual(2_000);
    expect(only?.text).toContain("60000 characters: all of it is attached");
    expect(asMessages("Short.", 2_000)).toEqual([{ text: "Short." }]);
    expect(asMessages("Line of an answer.\n".repeat(300), 2_000).every(({ file }) => !file)).toBe(true);
  });
});
