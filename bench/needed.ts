import { type Block, type Call, type CutSession, callsIn, wordsIn } from "./entries.ts";

/** How many calls of the session that followed count. */
const NEXT_CALLS = 40;

export const KINDS = ["paths", "commands", "identifiers"] as const;
export type Kind = (typeof KINDS)[number];

/** The least share of each that a document is to hold. */
export const LEAST: Record<Kind, number> = { paths: 0.95, commands: 0.7, identifiers: 0.55 };

export type Needed = Record<Kind, Set<string>>;

/** What the first calls after the boundary used, as far as it had occurred before. */
export function neededNext({ cwd, before, after }: CutSession): Needed {
  const earlier = callsIn(before);
  const known = [
    ...earlier.flatMap(({ input, output }) => [...texts(input), output]),
    ...wordsIn(before),
  ].join("\n");
  const knownIdentifiers = new Set(identifiersIn(known));
  const commands = new Set(earlier.flatMap(commandOf));
  const next = nextCalls({ after });
  return {
    paths: new Set(next.flatMap(pathOf).filter((path) => hasPath(known, path, cwd))),
    commands: new Set(next.flatMap(commandOf).filter((command) => commands.has(command))),
    identifiers: new Set(next.flatMap(identifiersOf).filter((name) => knownIdentifiers.has(name))),
  };
}

function nextCalls({ after }: Pick<CutSession, "after">): Call[] {
  return callsIn(after).slice(0, NEXT_CALLS);
}

/** How many of each kind a text holds. */
export function foundIn(text: string, needed: Needed, cwd: string): Record<Kind, number> {
  const flat = oneSpace(text);
  const known = new Set(identifiersIn(text));
  const count = (kind: Kind, has: (item: string) => boolean) => [...needed[kind]].filter(has).length;
  return {
    paths: count("paths", (path) => hasPath(text, path, cwd)),
    commands: count("commands", (command) => flat.includes(oneSpace(command))),
    identifiers: count("identifiers", (identifier) => known.has(identifier)),
  };
}

/** The names that our document lists as in hand, and how many of them the next calls used. */
export function namesUsed(document: string, { after }: Pick<CutSession, "after">) {
  const listed = namesListed(document);
  const next = nextCalls({ after })
    .flatMap(({ input }) => texts(input))
    .join("\n");
  return { listed: listed.length, used: listed.filter((name) => hasWord(next, name)).length };
}

/** Every name that our document lists as in hand: those of files, without the files themselves, and those of tests. */
function namesListed(document: string): string[] {
  const [, section = ""] = /^### Working set\n([\s\S]*?)(?=^#{2,3} |(?![\s\S]))/m.exec(document) ?? [];
  const spans = section.split("\n").flatMap((line) => {
    if (!line.startsWith("- ") || /^- (?:Searched for|Named in)/.test(line)) return [];
    const found = [...line.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span);
    return line.startsWith("- `") ? found.slice(1) : found;
  });
  return [...new Set(spans)];
}

function hasWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const around = `${text.charAt(at - 1)} ${text.charAt(at + name.length)}`;
    if (!/[\p{L}\p{N}_$]/u.test(around)) return true;
  }
  return false;
}

const IDENTIFIER = /[\p{L}_$][\p{L}\p{N}_$]{7,}/gu;

function identifiersIn(text: string): string[] {
  return text.match(IDENTIFIER) ?? [];
}

/** Of edits, searches and commands. */
function identifiersOf({ input }: Call): string[] {
  const { edits } = input;
  const single = [input.old_string, input.new_string, input.content, input.new_source];
  const searched = [input.pattern, input.glob];
  const several = Array.isArray(edits)
    ? edits.flatMap((edit: Block) => [edit.old_string, edit.new_string])
    : [];
  return [...single, ...several, ...searched, input.command].flatMap((text) =>
    typeof text === "string" ? identifiersIn(text) : [],
  );
}

function commandOf({ name, input }: Call): string[] {
  return name === "Bash" && typeof input.command === "string" ? [input.command] : [];
}

/** A search is mostly told a folder: that counts where it is a file. */
function pathOf({ input }: Call): string[] {
  const named = [input.file_path, input.notebook_path, input.path];
  return named.flatMap((path) => (typeof path === "string" && /\.\w{1,8}$/.test(path) ? [path] : []));
}

function texts(input: Block): string[] {
  return Object.values(input).map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
}

function hasPath(text: string, path: string, cwd: string): boolean {
  return text.includes(path) || text.includes(path.replace(`${cwd}/`, ""));
}

/** Without what a document puts at the beginning of a quoted line, and with one space between words. */
function oneSpace(text: string): string {
  return text
    .replace(/^[\s>]+/gm, "")
    .replace(/\s+/g, " ")
    .trim();
}

export function sum(values: number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
