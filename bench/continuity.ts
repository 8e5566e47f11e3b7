import { basename } from "node:path";
import { emptyAccount } from "../src/handoff/account.ts";
import { unnamedFiles, untoldConstraints } from "../src/handoff/checks.ts";
import type { Facts } from "../src/handoff/facts.ts";
import {
  type Block,
  type Call,
  type CompactedSession,
  callsIn,
  compactedSession,
  messageOf,
} from "./entries.ts";
import { documentFromFacts, factsIn } from "./from-facts.ts";
import type { Measure } from "./measure.ts";
import { transcriptsIn } from "./transcripts.ts";

/** What a text about a session can carry of it, read from the raw entries and not through Baton's own reader. */
interface Truth {
  cwd: string;
  edited: string[];
  read: string[];
  messages: string[];
  /** Of a call that was made. One that a person refused has failed at nothing. */
  lastError: string | undefined;
  /** Every call that a person refused in words, and was not made later: what it was, and what they said. */
  refused: Map<string, string>;
  lastTest: { command: string; ok: boolean } | undefined;
  todos: string[];
}

/** On transcripts that compacted on their own: what our facts alone carry, beside Claude Code's own summary. */
export async function measureContinuity(folder?: string): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const file of (await transcriptsIn(folder)).files) {
    const session = await compactedSession(file);
    if (!session) continue;
    const { cwd, linesBefore, summary } = session;
    const truth = truthIn(session);
    const facts = factsIn(linesBefore, cwd);
    const { document, appendix } = await documentFromFacts(facts);
    const detail = {
      ...scores("ours", `${document}\n${appendix}`, truth),
      ours_characters: document.length,
      ours_characters_beside: appendix.length,
      ...scores("summary", summary, truth),
      ...askedAgain(summary, facts),
    };
    measures.push({
      name: `continuity-${basename(file, ".jsonl")}`,
      value: document.length / summary.length,
      unit: "ratio",
      limit: 1,
      detail,
    });
  }
  return measures;
}

/** What a session would be asked for again that hands in Claude Code's own summary as its account. */
function askedAgain(summary: string, facts: Facts): Measure["detail"] {
  const account = { ...emptyAccount(), constraints: summary.split("\n") };
  return {
    constraints: facts.constraints.length,
    asked_again_for_constraints: untoldConstraints(account, facts).length,
    changed_files: facts.files.filter(({ change }) => change !== null).length,
    asked_again_for_files: unnamedFiles(account, facts).length,
  };
}

function truthIn({ cwd, before }: CompactedSession): Truth {
  const truth: Truth = {
    cwd,
    edited: [],
    read: [],
    messages: [],
    lastError: undefined,
    refused: new Map(),
    lastTest: undefined,
    todos: [],
  };
  for (const entry of before) {
    const { content } = messageOf(entry);
    const said = entry.type === "user" && typeof content === "string" ? content : "";
    if (said && entry.isMeta !== true && !said.startsWith("<")) truth.messages.push(said);
    const { type, operation, content: sent } = entry;
    // None of these sessions took one back.
    if (
      type === "queue-operation" &&
      operation === "enqueue" &&
      typeof sent === "string" &&
      !/^[</]/.test(sent)
    )
      truth.messages.push(sent);
  }
  for (const call of callsIn(before)) ended(truth, call);
  truth.edited = [...new Set(truth.edited)];
  truth.read = [...new Set(truth.read)].filter((path) => !truth.edited.includes(path));
  return truth;
}

function ended(truth: Truth, { name, input, output, failed }: Call): void {
  const path = typeof input.file_path === "string" ? input.file_path : undefined;
  if (path && !failed && (name === "Edit" || name === "Write")) truth.edited.push(path);
  if (path && !failed && name === "Read") truth.read.push(path);
  const command = typeof input.command === "string" ? input.command : "";
  const isStopped = failed && STOPPED.test(output);
  const [, said] = (isStopped && /the user said:\n([\s\S]*)/.exec(output)) || [];
  if (said !== undefined) truth.refused.set(command || path || name, said);
  if (!failed) truth.refused.delete(command);
  if (isStopped) return;
  if (failed) truth.lastError = output;
  if (/\b(?:mix|npm|cargo|go|mise run) test\b|pytest/.test(command.split("\n", 1)[0] ?? ""))
    truth.lastTest = { command, ok: !failed };
  if (name === "TodoWrite" && Array.isArray(input.todos))
    truth.todos = input.todos.map((todo: Block) => String(todo.content));
}

/** What the program writes in place of a result where a person said no, or ended the turn. */
const STOPPED = /^(?:The user doesn't want to |\[Request interrupted)/;

function scores(name: string, text: string, truth: Truth): Measure["detail"] {
  const share = (wanted: string[], has: (item: string) => boolean) =>
    wanted.length === 0 ? "none to carry" : wanted.filter(has).length / wanted.length;
  const byPath = (path: string) => text.includes(path) || text.includes(path.replace(`${truth.cwd}/`, ""));
  const flat = (words: string) =>
    words
      .replace(/^[\s>]+/gm, "")
      // A line break, where a command stands in one line.
      .replaceAll(" ⏎ ", " ")
      .replace(/\s+/g, " ")
      .trim();
  const verbatim = flat(text);
  return {
    [`${name}_edited_by_path`]: share(truth.edited, byPath),
    [`${name}_read_by_path`]: share(truth.read, byPath),
    [`${name}_user_messages_verbatim`]: share(truth.messages, (message) => verbatim.includes(flat(message))),
    [`${name}_last_error`]: share(truth.lastError ? [truth.lastError] : [], (error) =>
      verbatim.includes(flat(error.slice(-300))),
    ),
    [`${name}_refused_calls`]: share([...truth.refused.keys()], (call) =>
      verbatim.includes(flat(call.replace(`${truth.cwd}/`, "")).slice(0, 100)),
    ),
    [`${name}_refusals_verbatim`]: share([...truth.refused.values()], (said) =>
      verbatim.includes(flat(said)),
    ),
    [`${name}_last_test`]: share(truth.lastTest ? [truth.lastTest.command] : [], (command) =>
      verbatim.includes(flat(command).slice(0, 120)),
    ),
    [`${name}_todos`]: share(truth.todos, (todo) => text.includes(todo)),
    [`${name}_characters`]: text.length,
  };
}
