import { expect, it } from "vitest";
import { completionOf } from "./completion.ts";

const commands = ["/handoff", "/help", "/status", "/sessions"];
const files = ["README.md", "src/chat/chat.ts", "src/chat/keys.ts", "src/cli/main.ts", "test/chat.test.ts"];

/** `|` is where the cursor is. */
function complete(written: string) {
  const cursor = written.indexOf("|");
  const text = written.replace("|", "");
  const found = completionOf({ text, cursor }, { commands, files });
  if (!found) return undefined;
  const { from, text: put, candidates } = found;
  return [`${text.slice(0, from)}${put}|${text.slice(cursor)}`, ...candidates];
}

it.each([
  ["/ha|", ["/handoff |"]],
  ["/HE|", ["/help |"]],
  ["/h|", ["/h|", "/handoff", "/help"]],
  ["/s|", ["/s|", "/status", "/sessions"]],
  ["@RE|", ["@README.md |"]],
  ["see @s| now", ["see @src/| now"]],
  ["see @src/|", ["see @src/c|", "src/chat/", "src/cli/"]],
  ["@src/ch|", ["@src/chat/|"]],
  ["two\n@src/chat/k|", ["two\n@src/chat/keys.ts |"]],
  ["@keys|", ["@src/chat/keys.ts |"]],
  ["@chat|", ["@chat|", "src/chat/chat.ts", "test/chat.test.ts"]],
  ["@|", ["@|", "README.md", "src/", "test/"]],
])("completes %j", (written, expected) => {
  expect(complete(written)).toEqual(expected);
});

it.each(["|", "hello|", "/nothing|", "me@src|", "@nothing|", "say /ha|", "@src/zz|", "/ha ndoff|"])(
  "leaves %j alone",
  (written) => {
    expect(complete(written)).toBeUndefined();
  },
);
