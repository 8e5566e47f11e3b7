import { changedFiles } from "../git/changed-files.ts";
import { counted } from "../util/figures.ts";
import { type Account, emptyAccount } from "./account.ts";
import { briefly, isLong } from "./appendix/words.ts";
import { uncarriedConstraints } from "./checks.ts";
import { type Facts, subagentLine, type WorkspaceFacts } from "./facts.ts";
import { brief, joined, quote } from "./text/quotes.ts";
import { withPlainLines } from "./text/sections.ts";

/** Behind what the agent did not say itself. */
export const MARK = "(from facts)";
const AS_BEFORE = " (as the handoff before said)";

/** Earlier versions put the last error here, which stands among the facts. */
const LAST_ERROR = "The last error:\n";

/**
 * An account by machine. What the one before it said is carried on, marked as old where it may have changed since; what that
 * one had from the facts is told afresh, so that a chain of such accounts does not grow.
 */
export function accountFromFacts(facts: Facts, workspace: WorkspaceFacts, earlier = emptyAccount()): Account {
  const progress = knownProgress(facts, workspace);
  const said = earlier.progress;
  const done = [...new Set([...facts.done, ...said.done, ...progress.done])];
  const toldAfresh = new Set([...done, ...progress.inProgress, ...progress.pending].map(bare));
  const stillOpen = (items: string[]) => old(items).filter((item) => !toldAfresh.has(bare(item)));
  const inProgress = [...stillOpen(said.inProgress), ...progress.inProgress];
  const pending = [...stillOpen(said.pending), ...progress.pending];
  const isSilent = done.length + inProgress.length + pending.length === 0;
  const files = [
    ...filesFromFacts(facts, workspace),
    ...earlier.filesChanged.filter(({ change }) => !isFromFacts(change)),
  ];
  return {
    ...earlier,
    goal: goalOf(earlier.goal, facts.request),
    constraints: [
      ...earlier.constraints,
      ...uncarriedConstraints(only(earlier.constraints), facts).slice(0, MOST_CONSTRAINTS),
    ],
    progress: { done, inProgress: isSilent ? [ONLY_IN_FILES] : inProgress, pending },
    currentState: stateFromFacts(facts, workspace),
    criticalContext: earlier.criticalContext.filter((entry) => !entry.startsWith(LAST_ERROR)),
    openIssues: [...earlier.openIssues.filter((issue) => !isFromFacts(issue)), ...issuesFromFacts(facts)],
    nextSteps: [...nextFromFacts(facts), ...old(earlier.nextSteps)],
    filesChanged: [...new Map(files.map((file) => [file.path, file])).values()],
    activeSubagents: subagentsFromFacts(facts),
  };
}

/** What was only the request before is the request now, as it is told today. */
function goalOf(earlier: string, request: string): string {
  return earlier === "" || withPlainLines(earlier) === withPlainLines(request).trim()
    ? goalFromRequest(request)
    : earlier;
}

/**
 * The request as a goal: quoted where it has lines of its own, which could be headings, and of a long one its beginning and
 * its end. The facts know where all of it is.
 */
export function goalFromRequest(request: string): string {
  const told = (isLong(request) ? joined(briefly(request)) : request).trim();
  return told.includes("\n") ? quote(told) : told;
}

function issuesFromFacts({ lastTest }: Facts): string[] {
  return lastTest && !lastTest.ok ? [`The last test run failed: ${lastTest.command} ${MARK}`] : [];
}

const only = (constraints: string[]): Account => ({ ...emptyAccount(), constraints });

/** It may be done by now, so the reader must know how old it is. */
function old(items: readonly string[]): string[] {
  const own = items.filter((item) => !isFromFacts(item));
  return [...new Set(own.map((item) => (item.endsWith(AS_BEFORE) ? item : `${item}${AS_BEFORE}`)))];
}

function isFromFacts(item: string): boolean {
  return item.endsWith(MARK) || item.endsWith(`${MARK}${AS_BEFORE}`);
}

/** Without what was added to say where it comes from. */
function bare(item: string): string {
  return item.replace(AS_BEFORE, "").replace(` ${MARK}`, "");
}

const ONLY_IN_FILES = `How far the work has come is only in the files ${MARK}`;

export function progressFromFacts(facts: Facts, workspace: WorkspaceFacts): Account["progress"] {
  const progress = knownProgress(facts, workspace);
  if (Object.values(progress).some((items) => items.length > 0)) return progress;
  return { ...progress, inProgress: [ONLY_IN_FILES] };
}

function knownProgress({ todos }: Facts, { git }: WorkspaceFacts): Account["progress"] {
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
    lastText ? lastWordsOf(lastText) : "",
    git
      ? `On branch ${git.branch ?? "(detached)"} at HEAD ${git.head ?? "(no commit)"}, ${counted(git.changes.length, "file")} uncommitted.`
      : "",
    lastTest ? `The last test run (${lastTest.command}) ${lastTest.ok ? "passed" : "failed"}.` : "",
  ];
  return parts.filter(Boolean).join("\n") || "Not known.";
}

/** The end of a text says where its writer stood. */
const LAST_WORDS = { head: 800, tail: 1_200 };
const MOST_LAST_WORDS = 2_200;

function lastWordsOf(text: string): string {
  const said = text.length > MOST_LAST_WORDS ? joined(brief(text, LAST_WORDS)) : text.trim();
  return said.includes("\n")
    ? `The session's last words:\n\n${quote(said)}\n`
    : `The session's last words: ${said}`;
}

export function nextFromFacts({ todos, lastTest }: Facts): string[] {
  const open = todos.filter(({ status }) => status === "in_progress" || status === "pending");
  const steps = open.map(({ text }) => `${text} ${MARK}`);
  if (lastTest && !lastTest.ok)
    steps.unshift(`Fix what the last test run shows: ${lastTest.command} ${MARK}`);
  return steps.length > 0
    ? steps
    : [`Compare the files with the goal, then do what is still missing ${MARK}`];
}

/** More than these are in the facts: a build folder that nobody ignores can hold thousands. */
const MOST_FROM_GIT = 80;
const MOST_CHANGED = 80;
const MOST_CONSTRAINTS = 40;

/** The files that the tools of the sessions changed, and those that only git knows of: what commands made. */
function filesFromFacts({ files }: Facts, { git }: WorkspaceFacts): Account["filesChanged"] {
  const touched = files.flatMap(({ path, change }) => (change ? [{ path, change: String(change) }] : []));
  const named = new Set(touched.map(({ path }) => path));
  const others = (git ? changedFiles(git) : []).filter(({ path }) => !named.has(path));
  const byGit = others
    .slice(0, MOST_FROM_GIT)
    .map(({ path, change }) => ({ path, change: `${change} ${MARK}` }));
  return [...touched.slice(-MOST_CHANGED), ...byGit];
}

function subagentsFromFacts({ subagents }: Facts): string[] {
  return subagents.filter(({ state }) => state === "running").map(subagentLine);
}

/** What an account leaves empty though the facts know better. The agent need not be asked for it. */
export function withKnown(account: Account, facts: Facts, workspace: WorkspaceFacts): Account {
  const { filesChanged, activeSubagents } = account;
  const said = activeSubagents.join("\n");
  const unsaid = facts.subagents.filter(({ id, state }) => state === "running" && !said.includes(id));
  return {
    ...account,
    filesChanged: filesChanged.length > 0 ? filesChanged : filesFromFacts(facts, workspace),
    activeSubagents: [...activeSubagents, ...unsaid.map((subagent) => `${subagentLine(subagent)} ${MARK}`)],
  };
}
