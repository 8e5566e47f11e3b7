import { lineEvents } from "../src/agents/claude/transcript/line.ts";
import { type Account, emptyAccount } from "../src/handoff/account.ts";
import { FactCollector } from "../src/handoff/collect.ts";
import { renderDocument } from "../src/handoff/document.ts";
import { type Facts, noFacts } from "../src/handoff/facts.ts";
import { renderFacts } from "../src/handoff/facts-section.ts";
import { writeAccount } from "../src/handoff/write.ts";

export function factsIn(lines: readonly string[], cwd: string): Facts {
  const events = lines.flatMap(lineEvents);
  const request = events.find((event) => event.type === "user");
  const collector = new FactCollector(cwd, noFacts(request?.type === "user" ? request.text : ""));
  for (const event of events) if (event !== request) collector.add(event);
  return collector.facts();
}

/** The document that the facts alone make, with no model and no folder to look into. */
export async function documentFromFacts(facts: Facts): Promise<string> {
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
  return renderDocument({ head: HEAD, account: { ...emptyAccount(), ...account }, facts: shown });
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
