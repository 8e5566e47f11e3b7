import { basename, isAbsolute } from "node:path";
import { counted } from "../util/figures.ts";
import { type Account, SECTIONS, textOf } from "./account.ts";
import type { Facts, WorkspaceFacts } from "./facts.ts";

export type CheckName =
  | "complete"
  | "true-paths"
  | "true-git"
  | "true-tests"
  | "covers-files"
  | "covers-constraints"
  | "budget"
  | "not-inflated"
  | "no-secrets";

/** One check of an account, as it goes on record. `missing` says exactly what falls short. */
export interface Check {
  name: CheckName;
  ok: boolean;
  missing: string[];
}

export interface CheckInput {
  account: Account;
  facts: Facts;
  workspace: WorkspaceFacts;
  /** Sections of the user's template beyond our own. */
  extra?: readonly string[];
  /** Tokens that the whole document may take in the next window, and takes. */
  budget: { most: number; takes: number };
  /** Secrets that were found in the account and taken out. */
  secrets: number;
}

export function check(input: CheckInput): Check[] {
  return [
    outcome("complete", incomplete(input.account, input.extra ?? [])),
    outcome("true-paths", falsePaths(input.account, input.workspace)),
    outcome("true-git", falseGit(input.account, input.workspace)),
    outcome("true-tests", contradictedByTests(input.account, input.facts)),
    outcome("covers-files", filesNotNamed(input.account, input.facts)),
    outcome("covers-constraints", constraintsNotTold(input.account, input.facts)),
    outcome("budget", overBudget(input.budget)),
    outcome("not-inflated", repetition(input.account)),
    outcome("no-secrets", input.secrets > 0 ? [takenOut(input.secrets)] : []),
  ];
}

function takenOut(secrets: number): string {
  return `${counted(secrets, "secret")} ${secrets === 1 ? "was" : "were"} taken out`;
}

function outcome(name: CheckName, missing: string[]): Check {
  return { name, ok: missing.length === 0, missing };
}

/** What is longer than this says something, were it only at length: the pattern goes back over what it has read. */
const LONGEST_PLACEHOLDER = 100;
const PLACEHOLDER =
  /^\W*(?:n\/?a|tbd|todo|fixme|placeholder|\.{2,}|…|<[^>]*>|\[[^\]]*\]|same as (?:above|before)|see above)\W*$/i;
const LOREM = /^\W*lorem ipsum/i;

/** The sections that an account cannot do without. The others may truly be empty. */
const REQUIRED = ["goal", "progress", "currentState", "nextSteps"] as const;

function incomplete(account: Account, extra: readonly string[]): string[] {
  const empty = REQUIRED.filter((key) => !saysSomething(account, key)).map((key) => titleOf(key));
  return [...empty, ...unsaidSections(account, extra)].map(
    (title) => `the section "${title}" is missing, empty or a placeholder`,
  );
}

/** False for a section that is empty or a placeholder. */
export function saysSomething(account: Account, key: (typeof REQUIRED)[number]): boolean {
  const said =
    key === "progress"
      ? [...account.progress.done, ...account.progress.inProgress, ...account.progress.pending]
      : [account[key]].flat();
  return said.some(says);
}

/** Of the sections that a template asks for: those that are empty or placeholders. */
export function unsaidSections(account: Account, extra: readonly string[]): string[] {
  return extra.filter(
    (wanted) => !account.extra.some(({ title, text }) => isSame(title, wanted) && says(text)),
  );
}

const isSame = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();
const says = (text: string) => text.trim() !== "" && !isPlaceholder(text.trim());

function isPlaceholder(text: string): boolean {
  return LOREM.test(text) || (text.length <= LONGEST_PLACEHOLDER && PLACEHOLDER.test(text));
}

function titleOf(key: (typeof REQUIRED)[number]): string {
  return SECTIONS.find((section) => section.key === key)?.title ?? key;
}

/** No system takes a longer path. */
const LONGEST_PATH = 4_096;

/** Paths that an account gives as standing there now. What is still to be made may be missing. */
export function citedPaths(account: Account): string[] {
  const prose = [
    account.currentState,
    ...account.progress.done,
    ...account.criticalContext,
    ...account.links,
  ].join("\n");
  const quoted = [...prose.matchAll(/`([^`\s]+)`/g)]
    .filter(([, path = ""]) => path.length <= LONGEST_PATH)
    .map(([, path = ""]) => path.replace(/(?::\d+){1,3}$/, ""));
  const paths = quoted.filter((text) => /^(?!https?:)[\w.@~-]*\/[\w./@-]*\.\w{1,8}$/.test(text));
  return [...new Set([...account.filesChanged.map(({ path }) => path), ...paths])];
}

function falsePaths(account: Account, { missing, git }: WorkspaceFacts): string[] {
  const gone = new Set(missing);
  const deleted = new Set(git?.changes.flatMap((line) => (/^.?D/.test(line) ? [line.slice(3)] : [])) ?? []);
  const saidDeleted = new Set(
    account.filesChanged.flatMap(({ path, change }) =>
      /\b(?:deleted|removed|renamed|moved|not there)\b/i.test(change) ? [path] : [],
    ),
  );
  return citedPaths(account)
    .filter((path) => gone.has(path) && !deleted.has(path) && !saidDeleted.has(path))
    .map((path) => `${path} is named but does not exist`);
}

function falseGit(account: Account, { git }: WorkspaceFacts): string[] {
  if (!git) return [];
  const text = textOf(account);
  const wrong: string[] = [];
  for (const [, sha = ""] of text.matchAll(/\bHEAD\b[^\n]{0,24}?\b([0-9a-f]{7,40})\b/g)) {
    if (!git.head?.startsWith(sha)) wrong.push(`HEAD is ${git.head ?? "no commit"}, not ${sha}`);
  }
  for (const [, branch = ""] of text.matchAll(/\b(?:on|current) branch:?\s+`?([\w][\w./-]*[\w])`?/gi)) {
    if (git.branch && branch !== git.branch) wrong.push(`the branch is ${git.branch}, not ${branch}`);
  }
  return [...new Set(wrong)];
}

const TESTS = /\b(?:tests?|suite|specs?|checks?|ci)\b/i;
const PASS = /\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|ok)\b/i;
const SAYS_NOT = /\b(?:not|fail\w*|except|until|but)\b/i;

/** Things listed as done that the last test run says are not. */
export function doneDespiteTests(account: Account, { lastTest }: Facts): string[] {
  if (!lastTest || lastTest.ok) return [];
  return account.progress.done.filter((item) => saysTestsPass(item) && !SAYS_NOT.test(item));
}

function saysTestsPass(item: string): boolean {
  return item.split(/[.\n]/).some((sentence) => {
    const tests = TESTS.exec(sentence);
    return tests !== null && PASS.test(sentence.slice(tests.index + tests[0].length));
  });
}

function contradictedByTests(account: Account, facts: Facts): string[] {
  return doneDespiteTests(account, facts).map(
    (item) => `"${item}" is listed as done, but the last test run failed: ${facts.lastTest?.command}`,
  );
}

/**
 * Changed files that an account does not name. The base name is enough where only one has it. What is outside the folder of the
 * job is the program's own, or for a moment: the facts have it.
 */
export function unnamedFiles(account: Account, { files }: Facts): string[] {
  const text = textOf(account);
  const changed = files
    .filter(({ path, change }) => change !== null && !isAbsolute(path))
    .map(({ path }) => path);
  const named = Map.groupBy(changed, (path) => basename(path));
  const isNamed = (path: string) =>
    text.includes(path) || (named.get(basename(path))?.length === 1 && hasWord(text, basename(path)));
  return changed.filter((path) => !isNamed(path));
}

/** Whether a name stands in a text by itself, not within a longer one. */
function hasWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const around = `${text.charAt(at - 1)} ${text.charAt(at + name.length)}`;
    if (!/[\w-]/.test(around)) return true;
  }
  return false;
}

function filesNotNamed(account: Account, facts: Facts): string[] {
  return unnamedFiles(account, facts).map((path) => `${path} was changed and is not named`);
}

/** Those that the account does not have word for word. The facts show them. */
export function uncarriedConstraints(account: Account, { constraints }: Facts): string[] {
  const text = ` ${folded(textOf(account))} `;
  return constraints.filter((constraint) => !text.includes(` ${folded(constraint)} `));
}

/** Those that it has in no words at all: over another wording nobody is asked again. */
export function untoldConstraints(account: Account, facts: Facts): string[] {
  const told = [...account.constraints, ...account.extra.flatMap(({ text }) => text.split("\n"))].map(
    meaningOf,
  );
  return uncarriedConstraints(account, facts).filter((constraint) => {
    const { words, forbids } = meaningOf(constraint);
    const isMeant = (entry: Meaning) =>
      [...words].filter((word) => entry.words.has(word)).length >= words.size * MEANT &&
      (entry.forbids || !forbids);
    return !told.some(isMeant);
  });
}

interface Meaning {
  words: Set<string>;
  forbids: boolean;
}

/** The share of its words by which a constraint is known in another wording. */
const MEANT = 0.6;
const FORBIDS = new Set(["not", "no", "never", "none", "without", "avoid", "only", "leave", "instead"]);
const FILLING = new Set(
  "a all also always an and any are as at be but by can do does for i in is it its just may must of on or please should so that the these this those to use we will with you".split(
    " ",
  ),
);

/** What a text is about: its words without those that every sentence has, and without their endings. */
function meaningOf(text: string): Meaning {
  const all = folded(text)
    .split(" ")
    .filter((word) => word !== "");
  const words = all.filter((word) => !FILLING.has(word) && !FORBIDS.has(word));
  const stems = words.map((word) =>
    word.length > 3 ? word.replace(/s$/, "").replace(/(?:ing|ed|e)$/, "") : word,
  );
  return { words: new Set(stems), forbids: all.some((word) => FORBIDS.has(word)) };
}

function constraintsNotTold(account: Account, facts: Facts): string[] {
  return untoldConstraints(account, facts).map(
    (constraint) => `the user's constraint is not there word for word: ${constraint}`,
  );
}

/** Without what nobody means: case, punctuation, quotes, dashes, marks of Markdown, white space, and how "not" is written. */
function folded(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\bcan['’]?t\b|\bcannot\b/g, "can not")
    .replace(/n['’]t\b/g, " not")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function overBudget({ most, takes }: CheckInput["budget"]): string[] {
  return takes > most ? [`it takes about ${takes} tokens, and ${most} is the most: say it shorter`] : [];
}

const FEW_LINES = 20;
const MOST_REPEATED = 0.3;

/** A model that runs out of things to say repeats itself. */
function repetition(account: Account): string[] {
  const lines = textOf(account)
    .split("\n")
    .map((line) => line.trim().toLowerCase())
    .filter((line) => line.length > 12);
  const repeated = lines.length - new Set(lines).size;
  if (lines.length < FEW_LINES || repeated / lines.length <= MOST_REPEATED) return [];
  return [`${repeated} of its ${lines.length} lines are repeated`];
}
