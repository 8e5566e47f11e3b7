import type { Account } from "./account.ts";
import {
  type Check,
  doneDespiteTests,
  saysSomething,
  unnamedFiles,
  unsaidSections,
  untoldConstraints,
} from "./checks.ts";
import type { Facts, WorkspaceFacts } from "./facts.ts";
import { goalFromRequest, MARK, nextFromFacts, progressFromFacts, stateFromFacts } from "./from-facts.ts";

/** Fills what an account still lacks after it was asked for twice, and marks each such place. */
export function mended(
  account: Account,
  facts: Facts,
  workspace: WorkspaceFacts,
  checks: readonly Check[],
  extra: readonly string[] = [],
): Account {
  let better = account;
  for (const { name, ok, missing } of checks) {
    if (ok) continue;
    switch (name) {
      case "complete":
        better = withExtra(withRequired(better, facts, workspace), extra);
        break;
      case "true-paths":
        better = withoutPaths(better, workspace.missing);
        break;
      case "true-git":
        better = withState(better, `${missing.join("; ")} ${MARK}.`);
        break;
      case "true-tests":
        better = withDoubt(better, facts);
        break;
      case "covers-files": {
        const added = unnamedFiles(better, facts).map((path) => ({
          path,
          change: `${changeOf(path, facts)} ${MARK}`,
        }));
        better = { ...better, filesChanged: [...better.filesChanged, ...added] };
        break;
      }
      case "covers-constraints": {
        const added = untoldConstraints(better, facts).map((constraint) => `${constraint} ${MARK}`);
        better = { ...better, constraints: [...better.constraints, ...added] };
        break;
      }
      case "budget":
      case "not-inflated":
        better = shortened(better);
        break;
      case "no-secrets":
        break;
    }
  }
  return better;
}

function withRequired(account: Account, facts: Facts, workspace: WorkspaceFacts): Account {
  const { goal, progress, currentState, nextSteps } = account;
  return {
    ...account,
    goal: saysSomething(account, "goal") ? goal : `${goalFromRequest(facts.request)} ${MARK}`,
    progress: saysSomething(account, "progress") ? progress : progressFromFacts(facts, workspace),
    currentState: saysSomething(account, "currentState")
      ? currentState
      : `${stateFromFacts(facts, workspace)} ${MARK}`,
    nextSteps: saysSomething(account, "nextSteps") ? nextSteps : nextFromFacts(facts),
  };
}

function withExtra(account: Account, extra: readonly string[]): Account {
  const unsaid = unsaidSections(account, extra);
  const said = account.extra.filter(({ title }) => !unsaid.includes(title));
  return { ...account, extra: [...said, ...unsaid.map((title) => ({ title, text: `Not known ${MARK}` }))] };
}

function withoutPaths(account: Account, missing: string[]): Account {
  const gone = new Set(missing);
  const filesChanged = account.filesChanged.map((file) =>
    gone.has(file.path)
      ? { ...file, change: `${file.change} (not there: ${MARK.slice(1, -1)})`.trim() }
      : file,
  );
  return withState({ ...account, filesChanged }, `Named above but not there: ${missing.join(", ")} ${MARK}.`);
}

function withState(account: Account, correction: string): Account {
  return { ...account, currentState: `${account.currentState}\n\nCorrection: ${correction}`.trim() };
}

function withDoubt(account: Account, facts: Facts): Account {
  const doubted = doneDespiteTests(account, facts);
  const { done, inProgress, pending } = account.progress;
  const reopened = doubted.map(
    (item) => `${item} (the last test run failed: ${facts.lastTest?.command}) ${MARK}`,
  );
  return {
    ...account,
    progress: {
      done: done.filter((item) => !doubted.includes(item)),
      inProgress: [...inProgress, ...reopened],
      pending,
    },
  };
}

function changeOf(path: string, { files }: Facts): string {
  return files.find((file) => file.path === path)?.change ?? "changed";
}

/** How much of an account is left when it is shortened: characters of a text, entries of a list. */
interface Size {
  text: number;
  items: number;
}

const READABLE: Size = { text: 2_000, items: 40 };
/** For an account that is over its budget even so. */
export const SMALLER: readonly Size[] = [
  { text: 600, items: 20 },
  { text: 200, items: 10 },
  { text: 80, items: 5 },
];

/**
 * Repeated lines go, and what is left is cut at a length that a person would still read. Files and constraints that are
 * cut stand in the facts.
 */
export function shortened(account: Account, most = READABLE): Account {
  const text = (value: string) => {
    const once = onceEach(value);
    return once.length > most.text ? `${once.slice(0, most.text)} …` : once;
  };
  const items = (values: string[]) => [...new Set(values)].slice(0, most.items).map(text);
  const decisions = new Map(account.decisions.map((entry) => [entry.decision, entry]));
  return {
    goal: text(account.goal),
    constraints: items(account.constraints),
    currentState: text(account.currentState),
    progress: {
      done: items(account.progress.done),
      inProgress: items(account.progress.inProgress),
      pending: items(account.progress.pending),
    },
    decisions: [...decisions.values()]
      .slice(0, most.items)
      .map(({ decision, reason }) => ({ decision: text(decision), reason: text(reason) })),
    failedAttempts: items(account.failedAttempts),
    criticalContext: items(account.criticalContext),
    openIssues: items(account.openIssues),
    nextSteps: items(account.nextSteps),
    filesChanged: account.filesChanged.map(({ path, change }) => ({ path, change: text(change) })),
    activeSubagents: items(account.activeSubagents),
    links: items(account.links),
    extra: account.extra.map((section) => ({ ...section, text: text(section.text) })),
  };
}

function onceEach(text: string): string {
  const seen = new Set<string>();
  const kept = text.split("\n").filter((line) => {
    const repeated = line.trim() !== "" && seen.has(line);
    seen.add(line);
    return !repeated;
  });
  return kept.join("\n");
}
