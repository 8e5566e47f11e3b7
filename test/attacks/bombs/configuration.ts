import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "../../../src/config/layers/parse.ts";
import { loadConfigOf } from "../../../src/config/load.ts";
import { nearest } from "../../../src/util/nearest.ts";
import { atMost, type Bomb, filled, folder, is, KB, MB, pipe } from "./bomb.ts";

/** A variable, as a configuration writes it. */
const variable = (name: string) => `$\{${name}}`;

const AGENTS = "agents: [{ name: coder }]\n";
const parsed = (text: string, env = {}) => parseConfig(text, "/project/baton.yaml", "/home/user", env);
const numbered = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

/** What is said of a file, in characters. */
function said(text: string): number {
  try {
    parsed(text);
    return Number.POSITIVE_INFINITY;
  } catch (error) {
    return String(error).length;
  }
}

function loaded(prepare: (path: string) => unknown) {
  const root = folder();
  const configPath = join(root, "baton.yaml");
  prepare(configPath);
  return loadConfigOf({ root, configPath });
}

export const CONFIGURATION_BOMBS: Bomb[] = [
  {
    aims: "size",
    name: "a baton.yaml of more than 1 MB",
    go: () => loaded((path) => writeFileSync(path, AGENTS + filled(MB, "# filler\n"))),
    ends: /baton\.yaml {2}the file is larger than 1 MB[\s\S]*remove what does not belong/,
  },
  {
    aims: "size",
    name: "a file of an agent of more than 1 MB",
    go: () =>
      loaded((path) => {
        writeFileSync(path, "agents: [{ path: ./coder.yaml }]\n");
        writeFileSync(join(path, "../coder.yaml"), `name: coder\n${filled(MB, "# filler\n")}`);
      }),
    ends: /larger than 1 MB/,
  },
  {
    aims: "counts",
    name: "20,000 unknown keys",
    go: () => parsed(AGENTS + numbered(20_000, (index) => `k${index}:`)),
    ends: /unknown key "k0"[\s\S]*unknown key "k49"[\s\S]*\n\nand 19950 more\. Correct these first\.$/,
  },
  {
    aims: "counts",
    name: "450,000 empty lines of comment",
    go: () => parsed(filled(900 * KB, "#\n")),
    ends: /more than 200000 line breaks and signs/,
  },
  {
    aims: "quadratic",
    name: "one key written 20,000 times",
    go: () => parsed(AGENTS + filled(60_000, "a:\n")),
    ends: /the key "a" is written twice in the same map[\s\S]*and \d+ more/,
  },
  {
    aims: "quadratic",
    name: "5,000 hooks, each with a place to show",
    go: () =>
      parsed(
        `agents:\n  - name: coder\n    hooks:\n      after_run:\n${"        - { type: shell, command: x }\n".repeat(5_000)}`,
      ).agents[0]?.hooks.afterRun.length,
    ends: is(5_000),
  },
  {
    aims: "quadratic",
    name: "a suggestion for a word of 1 MB",
    go: () => nearest(filled(MB, "k"), [filled(MB, "l")]),
    ends: is(undefined),
  },
  {
    aims: "aliases",
    name: "aliases of aliases, ten times nine deep",
    go: () => {
      const nine = (item: string) => `[${Array(9).fill(item).join(", ")}]`;
      const lines = Array.from("bcdefghij", (key, at) => `${key}: &${key} ${nine(`*${"abcdefghi"[at]}`)}`);
      return parsed([`a: &a ${nine("x")}`, ...lines].join("\n"));
    },
    ends: /more than 50000 values, its aliases written out/,
  },
  {
    aims: "aliases",
    name: "20,000 aliases of the first anchor",
    go: () => parsed(`${AGENTS}x: &a 1\ny: [${filled(60_000, "*a,")}]`),
    ends: /unknown key "x"/,
  },
  {
    aims: "aliases",
    name: "a text of 200 kB in an environment, under 10,000 names",
    go: () =>
      parsed(
        `agents:\n  - name: coder\n    env:\n      A: &a "${filled(200 * KB, "y")}"\n${Array.from({ length: 10_000 }, (_, index) => `      A${index}: *a\n`).join("")}`,
      ),
    ends: /texts of more than 4 MB, its aliases written out/,
  },
  {
    aims: "aliases",
    name: "a text of 200 kB with variables, under 20,000 aliases",
    go: () => parsed(`${AGENTS}x: &a "${filled(200 * KB, variable("X:-y"))}"\ny: [${filled(60_000, "*a,")}]`),
    ends: /texts of more than 4 MB, its aliases written out/,
  },
  {
    aims: "aliases",
    name: "an alias that contains itself",
    go: () => parsed("x: &a [*a]\n"),
    ends: /the alias "a" contains itself/,
  },
  ...["[", "{a: ", "- ", "? ", "a: ["].map(
    (part): Bomb => ({
      aims: "nesting",
      name: `${JSON.stringify(part)} 50,000 times`,
      go: () => parsed(part.repeat(50_000)),
      ends: /nested too deeply|never closed|more than 200000|does not belong|second key/,
    }),
  ),
  {
    aims: "nesting",
    name: "150 levels of lists, each closed",
    go: () => parsed(`${AGENTS}x: ${"[".repeat(150)}1${"]".repeat(150)}`),
    ends: /nested more than 100 levels deep/,
  },
  {
    aims: "size",
    name: "an unknown key of 900 kB",
    go: () => said(`${AGENTS}? ${filled(900 * KB, "k")}\n: 1`),
    ends: atMost(2_000),
  },
  {
    aims: "size",
    name: "a mistake at the end of a line of 900 kB",
    go: () => said(`agents: [{ name: "${filled(900 * KB, "x")}", modle: 1 }]`),
    ends: atMost(3_000),
  },
  {
    aims: "size",
    name: "a variable of 100 kB, 1,000 times in one text",
    go: () =>
      parsed(`agents: [{ name: coder, model: "${variable("X").repeat(1_000)}" }]`, {
        X: filled(100 * KB, "x"),
      }),
    ends: /model grows beyond 1 MB with its variables/,
  },
  {
    aims: "no file",
    name: "a pipe in place of baton.yaml",
    go: () => loaded(pipe),
    ends: /this is a pipe, a socket or a device, not a file/,
  },
  {
    aims: "no file",
    name: "/dev/zero behind baton.yaml",
    go: () => loaded((path) => symlinkSync("/dev/zero", path)),
    ends: /this is a pipe, a socket or a device, not a file/,
  },
  {
    aims: "no file",
    name: "a folder in place of baton.yaml",
    go: () => loaded((path) => mkdirSync(path)),
    ends: /this is a folder, not a file/,
  },
];
