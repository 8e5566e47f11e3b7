import { lineEvents } from "../src/agents/claude/transcript/line.ts";
import type { AgentEvent } from "../src/agents/events.ts";
import { type Account, emptyAccount } from "../src/handoff/account.ts";
import { FactCollector } from "../src/handoff/collect.ts";
import { parseDocument, renderDocument } from "../src/handoff/document.ts";
import { type Facts, noFacts } from "../src/handoff/facts.ts";
import { renderFacts } from "../src/handoff/facts-section.ts";
import { writeAccount } from "../src/handoff/write.ts";

export function factsIn(lines: readonly string[], cwd: string): Facts {
  return factsAfter([lines.flatMap(lineEvents)], cwd).at(-1) ?? noFacts("");
}

/** The facts after each of several sessions that did the same work one after the other, each from what the one before it wrote down. */
function factsAfter(sessions: readonly AgentEvent[][], cwd: string): Facts[] {
  const request = sessions.flat().find((event) => event.type === "user");
  let facts = noFacts(request?.type === "user" ? request.text : "");
  return sessions.map((events) => {
    const collector = new FactCollector(cwd, JSON.parse(JSON.stringify(facts)));
    for (const event of events) if (event !== request) collector.add(event);
    facts = collector.facts();
    return facts;
  });
}

const HANDOFFS = 10;

/** The last document of a chain: the same work in sessions that hand off ten times, without a word of their own. */
export async function documentAfterChain(lines: readonly string[], cwd: string): Promise<FromFacts> {
  const sessions = inSessions(lines.flatMap(lineEvents));
  let made: FromFacts = { document: "", appendix: "" };
  for (const facts of factsAfter(sessions, cwd)) {
    made = await documentFromFacts(facts, parseDocument(made.document).account);
  }
  return made;
}

export interface FromFacts {
  document: string;
  /** The file beside it. Empty where all of it stands in the document. */
  appendix: string;
}

/** Cut where no call runs, as a handoff is made. */
function inSessions(events: readonly AgentEvent[]): AgentEvent[][] {
  const sessions: AgentEvent[][] = [[]];
  const running = new Set<string>();
  for (const event of events) {
    if (event.type === "tool:start") running.add(event.id);
    if (event.type === "tool:end") running.delete(event.id);
    sessions.at(-1)?.push(event);
    const isFull = (sessions.at(-1)?.length ?? 0) >= events.length / HANDOFFS;
    if (isFull && running.size === 0) sessions.push([]);
  }
  return sessions;
}

/** The document that the facts alone make, with no model and no folder to look into. */
export async function documentFromFacts(facts: Facts, earlier?: Account): Promise<FromFacts> {
  const workspace = { git: null, missing: [] };
  const judge = async (account: Account) => ({ account, workspace, checks: [] });
  const from = { why: "measured without a model" };
  const { account } = await writeAccount({ from, facts, judge, ...(earlier && { earlier }) });
  const shown = renderFacts({
    facts,
    account,
    workspace,
    transcript: null,
    background: { tasks: [], atRest: false },
    subagentsEnd: true,
    appendixPath: () => "/project/.baton/handoffs/appendix-2026-01-21-143045-0123456789ab.txt",
  });
  const document = renderDocument({
    head: HEAD,
    account: { ...emptyAccount(), ...account },
    facts: shown.text,
  });
  return { document, appendix: shown.appendix ?? "" };
}

const HEAD = {
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
