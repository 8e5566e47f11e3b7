import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { program } from "../src/cli/program.ts";
import { initialConfig } from "../src/config/initial.ts";
import { readSources } from "../src/config/layers/read-sources.ts";
import { loadScenario } from "../src/simulator/load.ts";
import { objections } from "./command-lines.ts";

const root = join(import.meta.dirname, "..");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
].map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

interface Block {
  language: string;
  text: string;
}

function blocksIn(text: string): Block[] {
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, language = "", block = ""]) => ({
    language,
    text: block,
  }));
}

const proseOf = (text: string) => text.replace(/^```.*\n[\s\S]*?^```$/gm, "");

/** Blocks that are marked with the path of a file are files that other blocks of the page name. */
async function folderWithFilesOf(page: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "baton-docs-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const { language, text } of blocksIn(page)) {
    const [, name] = /^yaml file=(.+)$/.exec(language) ?? [];
    if (name === undefined) continue;
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

describe.each(pages)("$path", ({ path, text }) => {
  it.each(blocksIn(text).filter(({ language }) => /^yaml(?! file=)/.test(language)))(
    "shows a configuration that is accepted: $text",
    async ({ language, text: block }) => {
      const folder = await folderWithFilesOf(text);
      const variables = [...block.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => [name, "value"]);
      const sources = {
        root: folder,
        home: "/home/you",
        env: Object.fromEntries(variables),
        trusted: {},
        withhold: false,
      };
      const path = join(folder, "baton.yaml");
      const inAgent = `agents:\n  - name: coder\n${block.replace(/^/gm, "    ")}`;
      const file = { path, text: language === "yaml agent" ? inAgent : block };
      const read =
        language === "yaml user"
          ? { ...sources, user: file }
          : language === "yaml supervisor"
            ? { ...sources, supervisor: { project: file } }
            : { ...sources, project: file };
      expect(() => readSources(read)).not.toThrow();
    },
  );

  it("names only commands and options that exist", () => {
    const used = commandsIn(text);
    expect(used.flatMap(objections)).toEqual([]);
  });

  it("links only to what is there", () => {
    const broken = linksIn(text).filter((link) => !isThere(path, link));
    expect(broken).toEqual([]);
  });
});

it("describes every command", () => {
  const page = pages.find(({ path }) => path === "docs/command-line.md");
  const described = [...(page?.text.matchAll(/^## baton (\w+)$/gm) ?? [])].map(([, name]) => name);
  expect(described.sort()).toEqual(
    program()
      .commands.map((command) => command.name())
      .sort(),
  );
});

it("describes every key that a new baton.yaml explains", () => {
  const page = pages.find(({ path }) => path === "docs/configuration.md");
  const written = initialConfig({ name: "coder" }).matchAll(
    /^ *(?:- )?(?:# +)?([a-z]+(?:_[a-z]+)*):(?= |$)/gm,
  );
  const keys = new Set([...written].map(([, key = ""]) => key));
  keys.delete("docs"); // The name of a server.
  expect(keys.size).toBeGreaterThan(20);
  expect([...keys].filter((key) => !page?.text.includes(`\`${key}\``))).toEqual([]);
});

it("shows a scenario that can be loaded", async () => {
  const page = pages.find(({ path }) => path === "docs/simulator.md");
  const example = blocksIn(page?.text ?? "").find(({ language }) => language === "ts");
  const folder = await mkdtemp(join(tmpdir(), "baton-docs-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "nightly.mts"), example?.text ?? "");
  expect(await loadScenario("./nightly.mts", folder)).toMatchObject({ name: "nightly", factor: 30 });
});

it("has a picture that any page can show", () => {
  const picture = readFileSync(join(root, "docs/demo.svg"), "utf8");
  expect(picture.length).toBeLessThan(150_000);
  expect(picture).not.toMatch(/<script|<foreignObject|@import|url\(http|href=/);
  expect(picture).toContain("writing handoff 1");
});

/** Commands in blocks, at the start of a line or after a pipe or `--`, and in inline code. */
function commandsIn(text: string): string[] {
  const inBlocks = blocksIn(text)
    .filter(({ language }) => language === "sh" || language === "console")
    .flatMap(({ text: block }) => block.split("\n"))
    .flatMap((line) => line.replace(/^\$ /, "").split(/ (?:\||--) (?=baton )/))
    .filter((line) => line.startsWith("baton "));
  const inline = [...proseOf(text).matchAll(/`(baton [^`]+)`/g)].map(([, code = ""]) => code);
  return [...inBlocks, ...inline];
}

function linksIn(text: string): string[] {
  return [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^https?:/.test(link));
}

function isThere(page: string, link: string): boolean {
  const [target = "", heading] = link.split("#");
  const file = target === "" ? join(root, page) : join(root, dirname(page), target);
  if (!existsSync(file)) return false;
  return heading === undefined || headingsOf(file).includes(heading);
}

function headingsOf(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}
