import type { BackgroundTask } from "../agents/events.ts";
import { type Account, textOf } from "./account.ts";
import { renderAppendix } from "./appendix/appendix.ts";
import { uncarriedConstraints } from "./checks.ts";
import {
  type CommandFact,
  type Facts,
  type FileFact,
  type RefusedFact,
  type SubagentFact,
  subagentLine,
  type WorkspaceFacts,
} from "./facts.ts";
import { renderAccount } from "./markdown.ts";
import { Aside, partWithRest, type Where } from "./section/aside.ts";
import { gitLines } from "./section/git-lines.ts";
import { code, fence, isInline, list, part } from "./section/marks.ts";
import { printedParts, verdict } from "./section/printed.ts";
import { saidParts } from "./section/said.ts";
import { SIZES, type Sizes } from "./section/sizes.ts";
import { shownWorkingSet } from "./working/render.ts";
import { noWorkingSet } from "./working/working-set.ts";

export interface ShownFacts {
  facts: Facts;
  /** What it says is not said twice. */
  account: Account;
  workspace: WorkspaceFacts;
  transcript: string | null;
  /** What still ran when the session ended. `atRest`: it had done nothing for a while, as a server that nobody asks. */
  background: { tasks: readonly BackgroundTask[]; atRest: boolean };
  /** Subagents that still run end with the session. */
  subagentsEnd: boolean;
  /** Where an appendix of this text will be. */
  appendixPath: (text: string) => string;
}

/** The facts as the next session reads them, and the text of what they have no room for. */
export interface FactsSection {
  text: string;
  appendix: string | null;
}

/** Characters of a document that is made from facts, without its head and its instructions. */
const MOST_CHARACTERS = 18_500;
/** Beside a long account there are still facts. */
const LEAST_CHARACTERS = 8_000;

/** No heading above the third level: the facts are one section of the document. */
export function renderFacts(shown: ShownFacts): FactsSection {
  const room = Math.max(LEAST_CHARACTERS, MOST_CHARACTERS - renderAccount(shown.account).length);
  const [roomy, ...tighter] = SIZES;
  let section = laidOut(shown, roomy);
  for (const sizes of tighter) {
    if (section.text.length <= room) break;
    section = laidOut(shown, sizes);
  }
  return section;
}

function laidOut(shown: ShownFacts, sizes: Sizes): FactsSection {
  const { facts, account, workspace, transcript, background } = shown;
  const aside = new Aside();
  const before = [
    ...saidParts(facts, account, sizes.words, aside),
    partWithRest("Constraints of the user", uncarriedConstraints(account, facts), sizes.constraints, aside),
    partWithRest("Files changed", changedFiles(facts, account, workspace), sizes.changed, aside),
  ];
  const after = [
    workspace.git ? part("Git", gitLines(workspace.git, account, sizes)) : "",
    part("Todo list", list(todosLeftOut(facts, account))),
    part("Commands", list(commandsToShow(facts.commands, sizes).map(commandLine))),
    part("Refused, and not done", list((facts.refused ?? []).toReversed().map(refusedLine))),
    ...printedParts(facts, sizes),
    part("Subagents", list(facts.subagents.map((subagent) => subagentState(subagent, shown)))),
    stillRunning(background),
    transcript ? `The whole conversation of the session is in ${code(transcript)}.` : "",
  ];
  const working = shownWorkingSet(facts.working ?? noWorkingSet(), {
    rest: [renderAccount(account), ...before.map((render) => render(() => "")), ...after].join("\n"),
    known: new Set(facts.files.map(({ path }) => path)),
    missing: new Set(workspace.missing),
    most: sizes,
  });
  const read = facts.files.filter((file) => file.read && !file.change && !working.files.has(file.path));
  const filesRead = partWithRest("Files read", read.map(({ path }) => path).toReversed(), sizes.read, aside);
  const appendix = aside.parts.length === 0 ? undefined : renderAppendix(aside.parts);
  const path = appendix && shown.appendixPath(appendix.text);
  const where: Where = (place) => {
    const { from = 1, to } = appendix?.places[place] ?? {};
    return `${code(path ?? "")}, lines ${from}–${to}`;
  };
  const parts = [
    "Collected by machine, over all sessions of this work.",
    ...before.map((render) => render(where)),
    filesRead(where),
    part("Working set", working.lines.length === 0 ? "" : `${WORKING_SET}\n\n${list(working.lines)}`),
    ...after,
  ];
  return { text: parts.filter(Boolean).join("\n\n"), appendix: appendix?.text ?? null };
}

const WORKING_SET =
  "What was in hand last, by file, newest first: what was changed there, and names that came up with it.";

/** Newest first: the last ones, and of those before them what was run again. Long ones only where they are new. */
function commandsToShow(commands: readonly CommandFact[], most: Sizes): CommandFact[] {
  const newest = commands.toReversed();
  const whole = new Set(
    newest.filter((run) => !isInline(run.command) && recurs(run)).slice(0, LONG_COMMANDS),
  );
  return newest
    .filter((run, index) => isInline(run.command) || index < LONG_COMMANDS || whole.has(run))
    .filter(({ runs }, index) => index < most.commands || runs > 1)
    .slice(0, most.commands + most.repeated);
}

const LONG_COMMANDS = 3;

/** What will be run again must be there to be copied, but no script. */
const LONGEST_WHOLE = 1_000;

function recurs({ command, runs }: CommandFact): boolean {
  return runs > 1 && command.length <= LONGEST_WHOLE;
}

function commandLine(run: CommandFact): string {
  const { command, ok, runs } = run;
  const how = verdict(ok, runs);
  if (isInline(command) || !recurs(run)) return `${code(command)} ${how}`;
  return `${how.slice(1, -1)}:\n\n${fence(command)}`;
}

function refusedLine({ call, by }: RefusedFact): string {
  return `${code(call)} (${by === "user" ? "by the user" : "not allowed here"})`;
}

function todosLeftOut({ todos }: Facts, account: Account): string[] {
  const said = textOf(account);
  return todos
    .filter(({ text }) => !said.includes(text))
    .map(({ text, status }) => `[${status === "completed" ? "x" : " "}] ${text} (${status})`);
}

function subagentState(subagent: SubagentFact, { subagentsEnd }: ShownFacts): string {
  const { state } = subagent;
  const how = state === "running" && subagentsEnd ? "ran until the session ended" : state;
  return `${subagentLine(subagent)} (${how})`;
}

function stillRunning({ tasks, atRest }: ShownFacts["background"]): string {
  const started = list(tasks.map(howToStart));
  if (!atRest) return part("Still running when the session ended, and ended with it", started);
  const again = "It had done nothing for a while. Start again what the work still needs.";
  return part("Started to keep running, and ended with the session", started && `${again}\n\n${started}`);
}

/** A command that is to be started again stands there whole. */
function howToStart({ kind, description, command, cwd }: BackgroundTask): string {
  const what = `${kind}: ${description}`;
  if (command === undefined) return what;
  const where = cwd === undefined ? "" : ` in ${code(cwd)}`;
  return isInline(command) ? `${what}: ${code(command)}${where}` : `${what}${where}:\n\n${fence(command)}`;
}

/** Newest first, without those that the account names. */
function changedFiles({ files }: Facts, account: Account, { missing }: WorkspaceFacts): string[] {
  const [named, gone] = [new Set(account.filesChanged.map(({ path }) => path)), new Set(missing)];
  const lineOf = ({ path, change }: FileFact) =>
    change === null || named.has(path) ? [] : [`${code(path)} ${gone.has(path) ? "deleted" : change}`];
  return files.flatMap(lineOf).toReversed();
}
