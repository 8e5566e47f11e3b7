import { expect, it } from "vitest";
import { wordsTakenForCommand } from "./mistaken-command.ts";

function told(...contents: string[]): string[] {
  return contents.map((content) => JSON.stringify({ type: "system", subtype: "informational", content }));
}

it("finds what was typed behind a command and sent with it", () => {
  const lines = told("Unknown command: /clearwork", "Args from unknown skill: 78, and  more");
  expect(wordsTakenForCommand("/clear", lines)).toBe("work 78, and  more");
  expect(wordsTakenForCommand("/clear", told("Unknown command: /clearwork"))).toBe("work");
});

it("finds nothing in what the program says of other commands, or in what others say of this one", () => {
  expect(
    wordsTakenForCommand("/clear", told("Unknown command: /claer", "Args from unknown skill: 78")),
  ).toBeUndefined();
  const quoted = JSON.stringify({
    type: "user",
    message: { content: '"informational" Unknown command: /clearx' },
  });
  expect(wordsTakenForCommand("/clear", [quoted, "{half a li"])).toBeUndefined();
});
