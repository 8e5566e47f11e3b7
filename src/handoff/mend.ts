import type { Account } from "./account.ts";
import { type Check, doneDespiteTests, uncarriedConstraints, unnamedFiles } from "./checks.ts";
import type { Facts, WorkspaceFacts } from "./facts.ts";

const MARK = "(from facts)";

/** Fills what an account still lacks after it was asked for twice, and marks each such place. */
export function mended(
  account: Account,
  facts: Facts,
  workspace: WorkspaceFacts,
  checks: readonly Check[],
): Account {
  let better = account;
  for (const { name, ok, missing } of checks) {
    if (ok) continue;
    switch (name) {
      case "complete":
        better = withRequired(better, facts, workspace);
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
        const added = uncarriedConstraints(better, facts).map((constraint) => `${constraint} ${MARK}`);
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
  const { progress } = account;
  const nothing = progress.done.length + progress.inProgress.length + progress.pending.length === 0;
  return {
    ...account,
    goal: account.goal || `${facts.request} ${MARK}`,
    progress: nothing ? progressFromFacts(facts, workspace) : progress,
    currentState: account.currentState || `${stateFromFacts(facts, workspace)} ${MARK}`,
    nextSteps: account.nextSteps.length > 0 ? account.nextSteps : nextFromFacts(facts),
  };
}

export function progressFromFacts({ todos }: Facts, { git }: WorkspaceFacts): Account["progress"] {
  const inState = (...states: string[]) =>
    todos.filter(({ status }) => states.includes(status)).map(({ text }) => `${text} ${MARK}`);
  const commits = (git?.commits ?? []).map((line) => `Commit ${line} ${MARK}`);
  return {
    done: [...inState("completed", "done"), ...commits],
    inProgress: inState("in_progress"),
    pending: inState("pending"),
  };
}

export function stateFromFacts({ lastText, lastTest }: Facts, { git }: WorkspaceFacts): string {
  const parts = [
    lastText ? `The session's last words: ${lastText}` : "",
    git
      ? `On branch ${git.branch ?? "(detached)"} at HEAD ${git.head ?? "(no commit)"}, ${git.changes.length} files uncommitted.`
      : "",
    lastTest ? `The last test run (${lastTest.command}) ${lastTest.ok ? "passed" : "failed"}.` : "",
  ];
  return parts.filter(Boolean).join("\n") || "Not known.";
}

export function nextFromFacts({ todos, lastTest }: Facts): string[] {
  const open = todos.filter(({ status }) => status === "in_progress" || status === "pending");
  const steps = open.map(({ text }) => `${text} ${MARK}`);
  if (lastTest && !lastTest.ok)
    steps.unshift(`Mend what the last test run shows: ${lastTest.command} ${MARK}`);
  return steps.length > 0
    ? steps
    : [`Compare the files with the goal, then do what is still missing ${MARK}`];
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

const LONGEST_TEXT = 2_000;
const MOST_ITEMS = 40;

/** Repeated lines go, and what is left is cut at a length that a person would still read. */
function shortened(account: Account): Account {
  const text = (value: string) => {
    const once = onceEach(value);
    return once.length > LONGEST_TEXT ? `${once.slice(0, LONGEST_TEXT)} …` : once;
  };
  const items = (values: string[]) => [...new Set(values)].slice(0, MOST_ITEMS).map(text);
  return {
    ...account,
    goal: text(account.goal),
    currentState: text(account.currentState),
    progress: {
      done: items(account.progress.done),
      inProgress: items(account.progress.inProgress),
      pending: items(account.progress.pending),
    },
    decisions: account.decisions
      .slice(0, MOST_ITEMS)
      .map(({ decision, reason }) => ({ decision: text(decision), reason: text(reason) })),
    failedAttempts: items(account.failedAttempts),
    criticalContext: items(account.criticalContext),
    openIssues: items(account.openIssues),
    nextSteps: items(account.nextSteps),
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
