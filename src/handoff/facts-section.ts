import type { BackgroundTask } from "../agents/agent.ts";
import { joinedLines, longestRun } from "../util/text.ts";
import { type Account, textOf } from "./account.ts";
import { uncarriedConstraints } from "./checks.ts";
import {
  type CommandFact,
  type Facts,
  type FileFact,
  type SubagentFact,
  subagentLine,
  type WorkspaceFacts,
} from "./facts.ts";
import { renderAccount } from "./markdown.ts";
import { bullet } from "./text/lists.ts";
import { shownWorkingSet } from "./working/render.ts";
import { noWorkingSet } from "./working/working-set.ts";

/** How much of each list the document shows. The whole is in the journal. */
const MOST = {
  commands: 16,
  repeated: 8,
  longCommands: 3,
  read: 60,
  changes: 80,
  commits: 30,
  output: 600,
  inline: 200,
} as const;

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
}

/** The facts as the next session reads them. No heading above the third level: they are one section of the document. */
export function renderFacts(shown: ShownFacts): string {
  const { facts, account, workspace, transcript, background, subagentsEnd } = shown;
  const { git } = workspace;
  const named = new Set(account.filesChanged.map(({ path }) => path));
  const unnamed = facts.files.filter(({ path }) => !named.has(path));
  const before = [
    "Collected by machine, over all sessions of this work.",
    facts.request === "" ? "" : part("Request, word for word", quote(facts.request)),
    part("What the user said later, word for word", facts.messages.map(quote).join("\n\n")),
    part("Constraints of the user", list(uncarriedConstraints(account, facts))),
    part("Files changed", list(changedFiles(unnamed, workspace))),
  ];
  const after = [
    git ? part("Git", gitLines(git, account)) : "",
    part(
      "Todo list",
      list(
        facts.todos.map(({ text, status }) => `[${status === "completed" ? "x" : " "}] ${text} (${status})`),
      ),
    ),
    part(
      "Commands",
      list(
        commandsToShow(facts.commands).map(
          ({ command, ok, runs }) => `${code(command)} ${verdict(ok, runs)}`,
        ),
      ),
    ),
    facts.lastTest
      ? part(
          "Last test run",
          `${code(facts.lastTest.command)} ${verdict(facts.lastTest.ok)}\n\n${fence(tail(facts.lastTest.output))}`,
        )
      : "",
    facts.lastError ? part("Last error", fence(facts.lastError)) : "",
    part(
      "Subagents",
      list(facts.subagents.map((subagent) => `${subagentLine(subagent)} ${stateOf(subagent)}`)),
    ),
    stillRunning(background),
    transcript ? `The whole conversation of the session is in ${code(transcript)}.` : "",
  ];
  const working = shownWorkingSet(facts.working ?? noWorkingSet(), {
    rest: [renderAccount(account), ...before, ...after].join("\n"),
    known: new Set(facts.files.map(({ path }) => path)),
    missing: new Set(workspace.missing),
  });
  const read = facts.files.filter((file) => file.read && !file.change && !working.files.has(file.path));
  const parts = [
    ...before,
    part(
      "Files read",
      shortList(
        read.map(({ path }) => path),
        MOST.read,
      ),
    ),
    part("Working set", working.lines.length === 0 ? "" : `${WORKING_SET}\n\n${list(working.lines)}`),
    ...after,
  ];
  return parts.filter(Boolean).join("\n\n");

  function stateOf({ state }: SubagentFact): string {
    return state === "running" && subagentsEnd ? "(ran until the session ended)" : `(${state})`;
  }
}

const WORKING_SET =
  "What was in hand last, by file, newest first: what was changed there, and names that came up with it.";

/** Newest first: the last ones, and of those before them what was run again. Long ones only where they are new. */
function commandsToShow(commands: readonly CommandFact[]): CommandFact[] {
  const isShort = ({ command }: CommandFact) => command.length <= MOST.inline && !command.includes("\n");
  return commands
    .toReversed()
    .filter((run, index) => isShort(run) || index < MOST.longCommands)
    .filter((run, index) => index < MOST.commands || run.runs > 1)
    .slice(0, MOST.commands + MOST.repeated);
}

function part(title: string, body: string): string {
  return body === "" ? "" : `### ${title}\n\n${body}`;
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
  const isShort = command.length <= MOST.inline && !command.includes("\n");
  return isShort ? `${what}: ${code(command)}${where}` : `${what}${where}:\n\n${fence(command)}`;
}

function changedFiles(files: FileFact[], { missing }: WorkspaceFacts): string[] {
  const gone = new Set(missing);
  return files.flatMap(({ path, change }) =>
    change === null ? [] : [`${code(path)} ${gone.has(path) ? "deleted" : change}`],
  );
}

function gitLines(git: NonNullable<WorkspaceFacts["git"]>, account: Account): string {
  const { branch, head, commits, changes, diffstat, changedSinceBase = [] } = git;
  const said = textOf(account);
  const unsaid = changedSinceBase.filter((line) => !said.includes(line.split("\t").at(-1) ?? line));
  const parts = [
    `Branch ${branch ? code(branch) : "(detached)"} at ${head ? code(head) : "no commit"}.`,
    commits.length > 0 ? `Commits since it began:\n\n${shortList(commits, MOST.commits)}` : "",
    diffstat ? `Against the commit that it began from: ${diffstat}.` : "",
    unsaid.length > 0
      ? `Changed since then and not named above:\n\n${fence(shortLines(unsaid, MOST.changes))}`
      : "",
    changes.length > 0
      ? `Uncommitted:\n\n${fence(shortLines(changes, MOST.changes))}`
      : "Nothing is uncommitted.",
  ];
  return parts.filter(Boolean).join("\n\n");
}

function verdict(ok: boolean | null, runs = 1): string {
  const how = ok === null ? "outcome unknown" : ok ? "ok" : "failed";
  return runs > 1 ? `(${how}, run ${runs} times)` : `(${how})`;
}

const list = (items: string[]) => items.map(bullet).join("\n");
const quote = (text: string) => `> ${text.replaceAll("\n", "\n> ")}`;
const tail = (text: string) => (text.length > MOST.output ? `…${text.slice(-MOST.output)}` : text);

function shortList(items: string[], most: number): string {
  const rest = items.length - most;
  return list(rest > 0 ? [...items.slice(0, most), `… ${rest} more`] : items);
}

function shortLines(lines: string[], most: number): string {
  const rest = lines.length - most;
  return (rest > 0 ? [...lines.slice(0, most), `… ${rest} more`] : lines).join("\n");
}

/** One line of code, whatever it holds. */
function code(text: string): string {
  const line = joinedLines(text, " ⏎ ");
  const shown = line.length > MOST.inline ? `${line.slice(0, MOST.inline - 1)}…` : line;
  return shown.includes("`") ? `\`\` ${shown} \`\`` : `\`${shown}\``;
}

function fence(text: string): string {
  const ticks = "`".repeat(Math.max(2, longestRun(text, "`")) + 1);
  return `${ticks}\n${text}\n${ticks}`;
}
