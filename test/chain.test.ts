import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { type Account, emptyAccount } from "../src/handoff/account.ts";
import { parseDocument } from "../src/handoff/document.ts";
import type { SimulatedRequest } from "../src/simulator/request.ts";
import type { Reply, Scenario } from "../src/simulator/scenario.ts";
import { handOver, isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import { baton, ofType, shown, testProject, upTo } from "./harness.ts";
import { asksForHandoff } from "./one-handoff.ts";
import { untagged } from "./untagged.ts";

const HANDOFFS = 10;
const REQUEST = [
  "Write the parts, one a session.  Never touch `baton.yaml`.",
  "",
  "- Keep “every” line   under *80* characters.",
  "- Only ASCII in file names: no ß, no 🎽.",
  "",
  "```",
  "## Goal",
  "<original-request> must not confuse anybody </original-request>",
  "```",
  'Do not add dependencies, "not even small ones".',
].join("\n");

const CONSTRAINTS = [
  "Never touch `baton.yaml`.",
  "Keep “every” line   under *80* characters.",
  "Only ASCII in file names: no ß, no 🎽.",
  'Do not add dependencies, "not even small ones".',
];

/** A session writes its part and reads the one before it, then hands off; the one after the last handoff is done. */
function chain(): Scenario {
  const sessions: string[] = [];
  return {
    name: "chain",
    summary: "",
    otherwise(request) {
      const { sessionId = "", turns } = request;
      if (!sessions.includes(sessionId)) sessions.push(sessionId);
      const session = sessions.indexOf(sessionId) + 1;
      if (isHandoffRequest(request)) return answer(session, request);
      if (session > HANDOFFS) return { say: "All parts are written." };
      if (turns === 0)
        return { call: { tool: "Write", input: { file_path: partOf(session), content: "x\n" } } };
      if (turns === 1) return { call: { tool: "Read", input: { file_path: partOf(session) } } };
      return { call: asksForHandoff };
    },
  };
}

const partOf = (session: number) => `parts/part-${session}.txt`;

function account(session: number, files: string[], constraints: string[]): Account {
  return {
    ...emptyAccount(),
    goal: "Write the parts.",
    constraints,
    progress: { done: [`Part ${session}`], inProgress: [], pending: ["The parts after it"] },
    currentState: `Part ${session} is written.`,
    nextSteps: [`Write part ${session + 1}.`],
    filesChanged: files.map((path) => ({ path, change: "" })),
  };
}

/** One session in three is thorough, one knows its own work only, one says nothing. */
function answer(session: number, request: SimulatedRequest): Reply {
  switch (session % 3) {
    case 1:
      return handOver(request, account(session, upTo(session).map(partOf), CONSTRAINTS));
    case 2:
      return handOver(request, account(session, [partOf(session)], []));
    default:
      return { say: "I am tired." };
  }
}

const OUTCOMES = ["written", "mended", "from-facts"];

it("after ten handoffs, thorough, forgetful and silent, nothing that the first session knew is lost", async () => {
  const project = await testProject({
    scenario: chain(),
    agent: "session: { max_handoffs_per_job: 20 }",
  });
  const { code, events, stdout } = await baton(project, ["run", "coder", REQUEST, "--json"]);
  expect(code, stdout).toBe(0);
  const { sessions } = await shown(project);
  expect(sessions).toHaveLength(HANDOFFS + 1);

  const stored = ofType(events, "handoff:stored");
  const expected = upTo(HANDOFFS).map((number) => OUTCOMES[(number - 1) % OUTCOMES.length]);
  expect(stored.map(({ outcome }) => outcome)).toEqual(expected);
  const collected = ofType(events, "facts:collected").map(({ facts }) => facts);
  for (const [index, { documentPath }] of stored.entries()) {
    const number = index + 1;
    const text = await readFile(documentPath, "utf8");
    const { head, account, facts } = parseDocument(text);
    expect(head).toMatchObject({ number, previous: stored[index - 1]?.documentPath ?? null });
    expect(requestIn(facts)).toBe(REQUEST);
    expect(carried(account)).toEqual(expect.arrayContaining(CONSTRAINTS));
    for (const path of upTo(number).map(partOf)) expect(text).toContain(path);
    expect(collected[index]?.request).toBe(REQUEST);
    expect(collected[index]?.constraints).toEqual(CONSTRAINTS);
    expect(collected[index]?.files).toEqual(
      upTo(number).map((part) => ({ path: partOf(part), change: "created", read: true })),
    );
  }

  const last = project.simulator.requests.find(({ request }) => request.sessionId === sessions[HANDOFFS].id);
  const prompt = untagged(last?.request.last);
  const document = await readFile(stored.at(-1)?.documentPath ?? "", "utf8");
  expect(prompt).toContain(`<handoff-context>\n${document.trim()}\n</handoff-context>`);
  expect(prompt).toContain(`<original-request>\n${REQUEST}\n</original-request>`);
  expect(prompt).toContain(`This is handoff ${HANDOFFS} of this job, in ${stored.at(-1)?.documentPath}`);
  expect(prompt).toContain(`The one before it: ${stored.at(-2)?.documentPath}.`);
});

/** Byte for byte, out of the quotation in the facts. */
function requestIn(facts: string): string {
  const [, quotation = ""] = /^### Request, word for word\n\n((?:>.*\n)+)/m.exec(facts) ?? [];
  return quotation.trimEnd().replace(/^> ?/gm, "");
}

function carried({ constraints }: Account): string[] {
  return constraints.map((constraint) => constraint.replace(/ \(from facts\)$/, ""));
}
