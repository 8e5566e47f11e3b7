import type { Editor } from "./editor.ts";

/** What Tab has to choose from. */
export interface Choices {
  commands: readonly string[];
  /** Paths below the folder that the agent works in. */
  files: readonly string[];
}

export interface Completion {
  /** Where the word begins that is being completed. It ends at the cursor. */
  from: number;
  /** What stands there in its place. */
  text: string;
  /** What else it could become, where there is more than one. */
  candidates: readonly string[];
}

const PATH = /(?<=(?:^|\s)@)\S*$/;

/** Whether the word before the cursor names a file: only then are there files to be looked for. */
export function isAboutFile({ text, cursor }: Pick<Editor, "text" | "cursor">): boolean {
  return PATH.test(text.slice(0, cursor));
}

/** Completes the word before the cursor: a command at the start of a message, or a file after `@`. */
export function completionOf({ text, cursor }: Pick<Editor, "text" | "cursor">, choices: Choices) {
  const before = text.slice(0, cursor);
  if (/^\/\S*$/.test(before)) return completed(0, before, startingWith(before, choices.commands));
  const path = PATH.exec(before)?.[0];
  return path === undefined
    ? undefined
    : completed(cursor - path.length, path, matching(path, choices.files));
}

function completed(from: number, typed: string, candidates: string[]): Completion | undefined {
  const [only, ...others] = candidates;
  if (only === undefined) return undefined;
  if (others.length === 0) return { from, text: only.endsWith("/") ? only : `${only} `, candidates: [] };
  const common = commonStart(candidates);
  // The names of files may be what was typed in the middle of: their common start says less than that.
  return { from, text: common.startsWith(typed) ? common : typed, candidates };
}

function startingWith(typed: string, all: readonly string[]): string[] {
  return all.filter((one) => one.startsWith(typed.toLowerCase()));
}

/** By the path, one folder at a time as a shell does it; where none begins like that, by the name of the file. */
function matching(typed: string, files: readonly string[]): string[] {
  const below = new Set<string>();
  for (const file of files) {
    if (!file.startsWith(typed)) continue;
    const slash = file.indexOf("/", typed.length);
    below.add(slash === -1 ? file : file.slice(0, slash + 1));
  }
  if (below.size > 0) return [...below].sort();
  if (typed.includes("/")) return [];
  return files.filter((file) => file.slice(file.lastIndexOf("/") + 1).startsWith(typed)).sort();
}

function commonStart([first = "", ...others]: readonly string[]): string {
  let length = first.length;
  for (const other of others) {
    while (!other.startsWith(first.slice(0, length))) length -= 1;
  }
  return first.slice(0, length);
}
