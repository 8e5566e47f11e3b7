import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseDocument } from "../src/handoff/document.ts";
import type { Scenario, Step } from "../src/simulator/scenario.ts";
import { handOver, isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import { Baton, baton, shown, type TestProject, testProject } from "./harness.ts";
import { asksForHandoff, good, handsIn, RUN_REQUEST, writesNotes } from "./one-handoff.ts";
import { agentsGone } from "./processes.ts";

/** Chosen by what is asked and not by turns, so that it goes on after a crash. */
function work(...firstAnswers: Step[]): Scenario {
  return {
    name: "killed",
    summary: "",
    rules: firstAnswers.map((reply) => ({ when: isHandoffRequest, reply, times: 1 })),
    otherwise(request) {
      if (isHandoffRequest(request)) return handOver(request, good);
      if (request.text.includes("<handoff-context-")) return { say: "All is done." };
      return { call: request.results.length === 0 ? writesNotes : asksForHandoff };
    },
  };
}

interface Moment {
  at: string;
  answers?: Step[];
  comes: (running: Baton, project: TestProject) => Promise<unknown>;
}

const moments: Moment[] = [
  {
    at: "when the account is asked for",
    comes: (running) => running.event(({ type }) => type === "handoff:asked"),
  },
  {
    at: "while the account comes in",
    answers: [(request) => ({ ...handOver(request, good), fault: { kind: "stall", at: "middle" } })],
    comes: (_, { simulator }) => simulator.waitFor(({ reply }) => reply?.fault?.kind === "stall"),
  },
  {
    at: "when the account has come in",
    comes: (_, { simulator }) =>
      simulator.waitFor(({ request, endedAt }) => isHandoffRequest(request) && endedAt !== undefined),
  },
  {
    at: "when the account is asked for once more",
    answers: [handsIn({ nextSteps: [] })],
    comes: (running) => running.event((event) => event.type === "handoff:asked" && event.again !== undefined),
  },
  {
    at: "when the document is on disk and not yet on record",
    comes: (running) => running.event(({ type }) => type === "facts:collected"),
  },
];

it.each(moments)(
  "killed $at, Baton leaves no half document, and the job goes on to its end",
  async (moment) => {
    const project = await testProject({ scenario: work(...(moment.answers ?? [])) });
    const first = new Baton(project, RUN_REQUEST);
    await moment.comes(first, project);
    await first.kill();
    await agentsGone(first);
    await expectWholeDocuments(project);

    const { id } = await shown(project);
    const resumed = await baton(project, ["resume", id, "--json"]);
    expect(resumed.code, resumed.stdout).toBe(0);
    const job = await shown(project);
    expect(job).toMatchObject({ status: "completed", result: "All is done.", handoffs: [{ number: 1 }] });
    expect(await expectWholeDocuments(project)).toContain(job.handoffs[0].documentPath);
  },
);

/** Every file that is named like a document is a whole one. */
async function expectWholeDocuments({ folder }: TestProject): Promise<string[]> {
  const dir = join(folder, ".baton", "handoffs");
  const names = (await readdir(dir).catch(() => [])).filter((name) => !name.startsWith("."));
  const paths = names.map((name) => join(dir, name));
  for (const path of paths) {
    const text = await readFile(path, "utf8");
    const { head, account, facts } = parseDocument(text);
    expect(head).toMatchObject({ number: 1, outcome: "written" });
    expect(account).toEqual(good);
    expect(facts).toMatch(/The whole conversation of the session is in `.*`\.$/);
    expect(text.endsWith("\n")).toBe(true);
  }
  return paths;
}
