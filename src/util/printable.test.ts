import { describe, expect, it } from "vitest";
import { escapedJson, masked, oneLine, printable } from "./printable.ts";

describe("printable", () => {
  it("takes from foreign text what would move the cursor, ring, set a title or turn the writing", () => {
    const text = "a\u001b[31mb\u001b[2Jc\u0007d\u001b]0;title\u0007e\rf\u009b2Kg\u202eh";
    expect(printable(text)).toBe("abcdefgh");
    expect(printable("kept:\n\ttab and line")).toBe("kept:\n\ttab and line");
  });

  it.each([
    ["zero-width space", "a\u200bb"],
    ["a joiner between Latin letters", "a\u200db"],
    ["a byte order mark", "a\ufeffb"],
    ["tag characters", "a\u{e0041}\u{e0042}b"],
    ["selectors that select nothing", "a\ufe01\ufe0f\u{e0101}b"],
    ["half of a pair", "a\ud800b"],
    ["a soft hyphen", "a\u00adb"],
    ["a filler of Hangul", "a\u3164b"],
  ])("removes what cannot be seen: %s", (_what, text) => expect(printable(text)).toBe("ab"));

  it.each([
    ["a family", "👩‍👩‍👧‍👦"],
    ["professions and skin", "🧑🏽‍💻 🤷‍♀️ 👍🏽"],
    ["flags", "🏳️‍🌈 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿"],
    ["keys and hearts", "1️⃣ ❤️ ☎︎"],
    ["Hebrew", "שָׁלוֹם עולם"],
    ["Arabic and Persian", "مرحبا بالعالم می‌خواهم"],
    ["Devanagari", "नमस्ते क्‍ष"],
    ["Chinese, Japanese, Korean", "日本語 葛󠄀 한국어 中文"],
    ["combining marks", "e\u0301 n\u0303 o\u0302\u0323"],
    ["Latin and signs", "naïve — “quotes” … → ✓ █░ ½ €"],
  ])("leaves people's writing as it is: %s", (_what, text) => expect(printable(text)).toBe(text));

  it("is done after one time", () => {
    const hostile =
      "\u001b\u001b[31m[2J\u200d👩\u200d\u200d👧\ufe0f\ufe0f\u{1f3f4}\u{e0067}x\u0301\u202e\u001b]\u001b]0;x\u0007";
    expect(printable(printable(hostile))).toBe(printable(hostile));
  });

  it("keeps marks that are stacked on a letter within its line", () => {
    expect(printable(`a${"\u0300".repeat(500)}b`)).toBe(`a${"\u0300".repeat(8)}b`);
  });
});

it("puts text on one line", () => expect(oneLine(" a\r\n\tb\u2028c ")).toBe("a b c"));

it("shows that something stands there where a person judges by it", () => {
  expect(masked("ls\t\u001b]0;rm -rf ~\u0007#\u202e")).toBe("ls→\ufffd]0;rm -rf ~\ufffd#\ufffd");
});

it("escapes in JSON what it must not print, and loses nothing", () => {
  const value = { a: "\u001b[2J\u009b\u202e\u2028\u200b\u{e0041}\ud800\u007f👩‍👧" };
  expect(escapedJson(value)).toMatch(/^[\x20-\x7e👩👧]+$/u);
  expect(JSON.parse(escapedJson(value))).toEqual(value);
  expect(escapedJson({ a: "\n" }, 2)).toBe('{\n  "a": "\\n"\n}');
});
