import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const SRC = join(import.meta.dirname, "..", "src");

/** What writes to a terminal, a pipe or a screen, with the files that may: they clean what they are given. */
const WAYS_OUT: readonly [RegExp, string[]][] = [
  [/\bconsole\.\w+/, ["display/print.ts"]],
  [
    /\b(?:stdout|stderr|out|output|terminal|screen)\s*(?:\?\.|\.)\s*write\(/,
    // The first of them hands lines of JSON from one program to another.
    [
      "agents/acp/own-tools.ts",
      "app/reach.ts",
      "cli/fleet/top/top.ts",
      "cli/jobs/terminal-keys.ts",
      "display/print.ts",
      "display/screen.ts",
      "display/terminal-title.ts",
    ],
  ],
  [/\bwriteSync\(\s*(?:OUTPUT|1|2)\b/, ["cli/hook.ts"]],
  [/\bstyleText\b|\binspect\.colors\b/, ["display/style.ts"]],
  [/from "ink"/, ["chat/room-view.ts", "chat/view.ts", "cli/fleet/top/top.ts"]],
  [/\bcreateInterface\(\{[^}]*\boutput\b/, ["cli/config/agree.ts", "cli/config/init-questions.ts"]],
];

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
  (name) => /\.tsx?$/.test(name) && !/\.(?:test|types)\.tsx?$/.test(name),
);

function textOf(file: string): string {
  return readFileSync(join(SRC, file), "utf8");
}

it.each(WAYS_OUT)("%s is only in files that clean what they print", (way, allowed) => {
  const found = files.filter((file) => way.test(textOf(file)));
  expect(found.sort()).toEqual(allowed);
});

it("cleans whatever is asked, drawn or kept on the screen where it leaves", () => {
  const chat = textOf("chat/view.ts");
  const drawn = chat.match(/h\(\s*Text,[\s\S]*?\n/g) ?? [];
  const texts = [...chat.matchAll(/h\(\s*Text,\s*(?:null|\{[^}]*\}),\s*(?<what>\w+|" ")/g)].map(
    ({ groups }) => groups?.what,
  );
  expect(texts.length).toBe(drawn.length);
  expect(texts.filter((what) => what !== "onScreen" && what !== '" "')).toEqual([]);

  const top = textOf("cli/fleet/top/top.ts");
  expect(top.match(/h\(\s*Text,.*/g)).toEqual([expect.stringContaining("onScreen(")]);
  expect(top.match(/stdout\.write\(.*/g)).toEqual([expect.stringContaining('write("\\u001b[2J')]);

  const screen = [...textOf("display/screen.ts").matchAll(/out\.write\((?<what>.*)\)/g)].map(
    ({ groups }) => groups?.what ?? "",
  );
  expect(screen.length).toBeGreaterThan(3);
  expect(screen.filter((what) => !/onScreen\(|escapedJson\(|^CLEAR$/.test(what))).toEqual([]);

  const marks = [...textOf("cli/jobs/terminal-keys.ts").matchAll(/output\.write\((?<what>.*?)\)/g)];
  expect(marks.map(({ groups }) => groups?.what).sort()).toEqual(["MARK_NO_PASTES", "MARK_PASTES"]);

  for (const file of ["cli/config/agree.ts", "cli/config/init-questions.ts"]) {
    expect(textOf(file)).toMatch(/\.(?:question|setPrompt)\(onScreen\(/);
  }
});
