import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** Phrases that cost a reader time, with what Baton says instead. */
const ODD = [
  [/\b(?:go|goes|going|went|gone) on with\b/i, "continue"],
  [/\b(?:looked|looks?) after (?!them in a)/i, "watched"],
  [/the defaults hold/i, "the defaults apply"],
  [/what is to be done/i, "what to do"],
  [/clear(?:ed|s)? away/i, "removed"],
  [/(?:taken|takes?|took) (?:(?:it|them|one|the \w+) )?up\b(?! to)/i, "picked up, resumed, continued"],
  [/puts? (?:it )?on record/i, "recorded"],
  [/\bdwells?\b/i, "focus on"],
] as const;

/** Only of what users read: the code may keep a name, what is stored has one, and comments are for those who know. */
const ODD_TO_USERS = [
  [/\b(?:mend|mends|mending)\b(?!\.ts|\()/i, "fix, correct, complete from facts"],
  [/\bpropos(?:als?|e|ed|es)\b|merge requests?/i, "pull request"],
  [/\b(?:go|goes|going|went) on\b/i, "continue"],
  [/\b(?:anew|afresh)\b/i, "again, start over"],
  [/\bshall\b|\bdwells?\b/i, "should, focus on"],
  [/unless you say otherwise/i, "by default"],
] as const;

/** On screens, and said to agents. */
const ODD_TO_SAY = [
  [/["`].*\b(?:shall|dwell)\b.*["`]/, "should, focus on"],
  [/is to be done\b.*["`]/i, "there is nothing to do"],
  [/["`].*\bgoes on\b.*["`]/, "continues"],
  [/Taken out of|Take it out/, "removed from, remove it"],
  [/how (?:it|the \w+|a \w+) stands\b.*["`]/i, "its state"],
] as const;

/** This file, and what knows a line that earlier versions typed. */
const HOLD_ODD_WORDS = [
  "test/words.test.ts",
  "src/sessions/record/own-words.ts",
  "src/sessions/record/own-words.test.ts",
];

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name) && !/\.types\.ts$|^fixtures\/|(?:^|\/)node_modules\//.test(name))
    .map((name) => join(folder, name))
    .filter((path) => !HOLD_ODD_WORDS.includes(path));
}

const isTest = (path: string) => /\.test\.tsx?$/.test(path);
const source = filesIn("src", /\.tsx?$/);

const texts = [
  ...filesIn("docs", /\.md$/),
  ...filesIn("plugin", /\.(?:md|json)$/),
  "README.md",
  "CHANGELOG.md",
];

it.each([
  ["what users read", texts, [...ODD, ...ODD_TO_USERS]],
  [
    "the source, its words on screens and its comments",
    source.filter((path) => !isTest(path)),
    [...ODD, ...ODD_TO_SAY],
  ],
  [
    "what tests, benchmarks and campaigns say",
    [
      ...source.filter(isTest),
      ...["test", "bench", "campaign"].flatMap((folder) => filesIn(folder, /\.ts$/)),
    ],
    ODD,
  ],
])("%s is in plain English", (_what, paths, phrases) => {
  const found = paths.flatMap((path) =>
    readFileSync(join(ROOT, path), "utf8")
      .split("\n")
      .flatMap((line, index) =>
        phrases
          .filter(([phrase]) => phrase.test(line))
          .map(([, instead]) => `${path}:${index + 1}  ${line.trim()}  → ${instead}`),
      ),
  );
  expect(found).toEqual([]);
});

/** The words of Baton's design. */
const WORDS =
  `agent job session leg handoff facts account document ramp-up checkpoint journal workspace attempt lease worker
  fleet slot source item prompt ask inbox conversation verdict`.split(/\s+/);

it.each([...WORDS, "own session", "worker session"])(
  "the glossary says in a sentence what it means: %s",
  (word) => {
    const rows = readFileSync(join(ROOT, "docs", "glossary.md"), "utf8").matchAll(
      /^\| ([\w -]+?) +\| (.+?) +\|$/gm,
    );
    const said = [...rows].filter(([, named]) => named === word).map(([, , meaning]) => meaning);
    expect(said).toEqual([expect.stringMatching(/^\w+ .{15,}/)]);
  },
);
