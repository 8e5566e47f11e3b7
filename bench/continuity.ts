import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { lineEvents } from "../src/agents/claude/transcript/line.ts";
import { type Account, emptyAccount } from "../src/handoff/account.ts";
import { unnamedFiles, untoldConstraints } from "../src/handoff/checks.ts";
import { FactCollector } from "../src/handoff/collect.ts";
import { renderDocument } from "../src/handoff/document.ts";
import { type Facts, noFacts } from "../src/handoff/facts.ts";
import { renderFacts } from "../src/handoff/facts-section.ts";
import { writeAccount } from "../src/handoff/write.ts";
import type { Measure } from "./measure.ts";
import { transcriptsIn } from "./transcripts.ts";

/** What a text about a session can carry of it, read from the raw entries and not through Baton's own reader. */
interface Truth {
  cwd: string;
  edited: string[];
  read: string[];
  messages: string[];
  lastError: string | undefined;
  lastTest: { command: string; ok: boolean } | undefined;
  todos: string[];
  summary: string;
}

type Entry = Record<string, unknown>;
type Block = Record<string, unknown>;

/** On transcripts that compacted on their own: what our facts alone carry, beside Claude Code's own summary. */
export async function measureContinuity(folder?: string): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const file of (await transcriptsIn(folder)).files) {
    const lines = (await readFile(file, "utf8")).split("\n").filter(Boolean);
    const boundary = lines.findIndex((line) => line.includes('"compact_boundary"'));
    if (boundary === -1) continue;
    const truth = truthIn(lines, boundary);
    const facts = factsIn(lines.slice(0, boundary), truth.cwd);
    const ours = await documentFromFacts(facts);
    const detail = {
      ...scores("ours", ours, truth),
      ...scores("summary", truth.summary, truth),
      ...askedAgain(truth.summary, facts),
    };
    measures.push({
      name: `continuity-${basename(file, ".jsonl").slice(0, 8)}`,
      value: ours.length / truth.summary.length,
      unit: "ratio",
      limit: 1,
      detail,
    });
  }
  return measures;
}

function factsIn(lines: string[], cwd: string): Facts {
  const events = lines.flatMap(lineEvents);
  const request = events.find((event) => event.type === "user");
  const collector = new FactCollector(cwd, noFacts(request?.type === "user" ? request.text : ""));
  for (const event of events) if (event !== request) collector.add(event);
  return collector.facts();
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

async function documentFromFacts(facts: Facts): Promise<string> {
  const workspace = { git: null, missing: [] };
  const judge = async (account: Account) => ({ account, workspace, checks: [] });
  const { account } = await writeAccount({ from: { why: "measured without a model" }, facts, judge });
  const shown = renderFacts({
    facts,
    account,
    workspace,
    transcript: null,
    background: { tasks: [], atRest: false },
    subagentsEnd: true,
  });
  const head = {
    job: "bench",
    agent: "bench",
    number: 1,
    previous: null,
    created: "",
    reason: "overflow" as const,
    source: "facts" as const,
    outcome: "from-facts" as const,
    session: "",
    transcript: null,
    tokens: 0,
    window: 0,
    percent: 0,
    branch: null,
    head: null,
    checkpoint: null,
    checks: {},
  };
  return renderDocument({ head, account: { ...emptyAccount(), ...account }, facts: shown });
}

function truthIn(lines: string[], boundary: number): Truth {
  const entries: Entry[] = lines.map((line) => JSON.parse(line));
  const before = entries.slice(0, boundary).filter((entry) => entry.isSidechain !== true);
  const summary = entries.find((entry) => entry.isCompactSummary === true);
  const calls = new Map<string, Block>();
  const truth: Truth = {
    cwd: String(before.find((entry) => entry.cwd)?.cwd ?? ""),
    edited: [],
    read: [],
    messages: [],
    lastError: undefined,
    lastTest: undefined,
    todos: [],
    summary: textOf(messageOf(summary ?? {}).content),
  };
  for (const entry of before) {
    const { content } = messageOf(entry);
    if (entry.type === "assistant")
      for (const block of blocks(content)) if (block.type === "tool_use") calls.set(String(block.id), block);
    if (entry.type !== "user") continue;
    for (const block of blocks(content))
      if (block.type === "tool_result") ended(truth, calls.get(String(block.tool_use_id)), block);
    const said = typeof content === "string" ? content : "";
    if (said && entry.isMeta !== true && !said.startsWith("<")) truth.messages.push(said);
  }
  truth.edited = [...new Set(truth.edited)];
  truth.read = [...new Set(truth.read)].filter((path) => !truth.edited.includes(path));
  return truth;
}

function ended(truth: Truth, call: Block | undefined, result: Block): void {
  if (!call) return;
  const input = (call.input ?? {}) as Block;
  const failed = result.is_error === true;
  const path = typeof input.file_path === "string" ? input.file_path : undefined;
  if (path && !failed && (call.name === "Edit" || call.name === "Write")) truth.edited.push(path);
  if (path && !failed && call.name === "Read") truth.read.push(path);
  if (failed) truth.lastError = textOf(result.content);
  const command = typeof input.command === "string" ? input.command : "";
  if (/\b(?:mix|npm|cargo|go) test\b|pytest/.test(command)) truth.lastTest = { command, ok: !failed };
  if (call.name === "TodoWrite" && Array.isArray(input.todos))
    truth.todos = input.todos.map((todo: Block) => String(todo.content));
}

function scores(name: string, text: string, truth: Truth): Measure["detail"] {
  const share = (wanted: string[], has: (item: string) => boolean) =>
    wanted.length === 0 ? "none to carry" : wanted.filter(has).length / wanted.length;
  const byPath = (path: string) => text.includes(path) || text.includes(path.replace(`${truth.cwd}/`, ""));
  const flat = (words: string) =>
    words
      .replace(/^\s*>? ?/gm, "")
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
    [`${name}_last_test`]: share(truth.lastTest ? [truth.lastTest.command] : [], (command) =>
      verbatim.includes(flat(command).slice(0, 120)),
    ),
    [`${name}_todos`]: share(truth.todos, (todo) => text.includes(todo)),
    [`${name}_characters`]: text.length,
  };
}

function messageOf(entry: Entry): Block {
  return typeof entry.message === "object" && entry.message !== null ? (entry.message as Block) : {};
}

function blocks(content: unknown): Block[] {
  return Array.isArray(content) ? content : [];
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return blocks(content)
    .map((block) => (typeof block.text === "string" ? block.text : ""))
    .join("\n");
}
