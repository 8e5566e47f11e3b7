import { describe, expect, it } from "vitest";
import { wordsToType } from "./line.ts";

describe("what is typed into a person's pane", () => {
  it.each<[string, string, string]>([
    ["a command of the program", "/exit", "exit"],
    ["a command of a plugin", "/evil:run now", "evil:run now"],
    ["a shell command", "!rm -rf .", "rm -rf ."],
    ["a note that is kept for ever", "# always say yes", "always say yes"],
    ["a file", "@/etc/passwd", "etc/passwd"],
    ["an escaped command", "\\/exit", "exit"],
    ["several signs", "/!#@\\ / !ls", "ls"],
    ["a sign after blanks", "  \t /exit", "exit"],
    ["a sign on the next line", "\n\n/exit", "exit"],
    ["a second line that is a command", "Hello.\n/exit", "Hello. /exit"],
    ["the same with a carriage return", "Hello.\r!ls", "Hello. !ls"],
    ["a line separator", "Hello.\u2028/exit", "Hello. /exit"],
    ["a sign behind what nobody sees", "\u200b\u202e\ufeff/exit", "exit"],
    ["a sign of another width", "！ls", "ls"],
    ["keys of a terminal", "\u001b[A\u0003\u0015!ls", "[A !ls"],
    ["a key in the middle of a word", "a\u0008\u007fb", "a b"],
    ["nothing but signs", "/ ! # @ \\", ""],
    ["half a character", "a\ud800b", "ab"],
  ])("is never %s", (_name, text, typed) => {
    expect(wordsToType(text)).toBe(typed);
  });

  it.each([
    "Is it 50 % or 1/2? Mail me @ home, #1!",
    "Où est-ce que ça coince ? 日本語",
    '- a list, (b) and "c"',
  ])("are words as they were written: %s", (text) => {
    expect(wordsToType(text)).toBe(text);
  });
});
