import { realpath } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { readRegular } from "../files/inside.ts";
import { checkoutOf } from "../git/checkout.ts";
import type { Instruction } from "./instructions.ts";

/** Where people write down what any agent must know of their project. Each program reads some of them by itself. */
const NAMES = ["CLAUDE.md", "AGENTS.md", "GEMINI.md"];

const MOST_FILES = 40;
const MOST_BYTES = 40_000;

/** A file that was found, and the one that its name leads to. */
interface Found extends Instruction {
  real: string;
}

/**
 * The files of these names, from the top of the repository down to the folder, each once. What is no regular file in the
 * repository, or too long, is left out, and so is what they import. `namesIn`: relative to a folder.
 */
export async function instructionsIn(
  cwd: string,
  namesIn: (folder: string) => Promise<readonly string[]>,
): Promise<Instruction[]> {
  const found: Instruction[] = [];
  const seen = new Set<string>();
  const { folder, top, folders } = await foldersOf(cwd);
  for (const at of folders) {
    for (const name of await namesIn(at)) {
      const file = await fileAt({ path: join(at, name), folder, top });
      // CLAUDE.md is often a link to AGENTS.md.
      if (file === undefined || seen.has(file.real)) continue;
      seen.add(file.real);
      if (found.length === MOST_FILES) return found;
      found.push({ path: file.path, text: file.text });
    }
  }
  return found;
}

/**
 * The same for files that a program does not read by itself, although people may have meant them for any. `reads`: those of
 * which it reads the first that is there, in each folder. What that one says or imports anyway is not said twice.
 */
export async function instructionsBeside(cwd: string, reads: readonly string[]): Promise<Instruction[]> {
  const { folder, top } = await foldersOf(cwd);
  const said = new Set<string>();
  const others = await instructionsIn(cwd, async (at) => {
    const files = await Promise.all(
      NAMES.map(async (name) => ({ name, file: await fileAt({ path: join(at, name), folder, top }) })),
    );
    const there = files.flatMap(({ name, file }) => (file ? [{ name, ...file }] : []));
    const own = reads.flatMap((name) => there.filter((each) => each.name === name)).at(0);
    if (own) said.add(own.text.trim());
    return there
      .filter(({ real, name }) => real !== own?.real && !(own && imports(own.text, name)))
      .map(({ name }) => name);
  });
  return others.filter(({ text }) => !said.has(text.trim()) && said.add(text.trim()));
}

/** As Claude Code and others write it: `@AGENTS.md`. */
function imports(text: string, name: string): boolean {
  return text.split(/\s+/).some((word) => word === `@${name}` || word === `@./${name}`);
}

/** The folder itself first. */
export function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}

/** Those in which instructions are looked for, the top of the repository first. */
async function foldersOf(cwd: string): Promise<{ folder: string; top: string; folders: string[] }> {
  const folder = await realpath(cwd).catch(() => cwd);
  const top = (await checkoutOf(folder).catch(() => undefined))?.top ?? folder;
  const folders = foldersAbove(folder).filter((at) => at === top || at.startsWith(top + sep));
  return { folder, top, folders: folders.reverse() };
}

async function fileAt(at: { path: string; folder: string; top: string }): Promise<Found | undefined> {
  const real = await realpath(at.path).catch(() => undefined);
  if (!real?.startsWith(at.top + sep)) return undefined;
  const text = await textOf(real);
  return text === undefined ? undefined : { path: relative(at.folder, at.path), text, real };
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    const text = await readRegular(path, { mostBytes: MOST_BYTES, sharedNames: true });
    return text?.trim() === "" ? undefined : text;
  } catch {
    return undefined;
  }
}
