import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { parseDocument } from "../src/handoff/document.ts";
import type { Scenario, Step } from "../src/simulator/scenario.ts";
import { baton, ofType, testProject } from "./harness.ts";
import { asksForHandoff, continuation, failedChecks, handsIn, writesNotes } from "./one-handoff.ts";

const LINES = Array.from(
  { length: 400 },
  (_, line) => `[${line}] worker ${line % 7}: nothing to do, # ${line}`,
);
const RULE = "Never touch baton.yaml.";
const PROMPT = ["Write notes.txt. This is what the server printed:", ...LINES, RULE, "That is all."].join(
  "\n",
);

/** What it is told is beside the document, it reads. */
const readsAppendix: Step = ({ last }) => {
  const [path = "none"] = /\/[\w./-]+\/appendix-[\w-]+\.txt/.exec(last) ?? [];
  return { call: { tool: "Read", input: { file_path: path, offset: 200, limit: 30 } } };
};

const scenario: Scenario = {
  name: "long prompt",
  summary: "",
  steps: [
    { call: writesNotes },
    { call: asksForHandoff },
    handsIn({ constraints: [] }),
    handsIn({ constraints: [RULE] }),
    readsAppendix,
    { say: "All is done." },
  ],
};

it("hands a pasted log over in a file beside the document, which the next session can read", {
  tags: ["claude"],
}, async () => {
  const project = await testProject({ scenario, agent: "permission_mode: acceptEdits" });
  const { code, events, stdout } = await baton(project, ["run", "coder", PROMPT, "--json"]);
  expect(code, stdout).toBe(0);
  const [stored] = ofType(events, "handoff:stored");
  const folder = dirname(stored?.documentPath ?? "");
  const text = await readFile(stored?.documentPath ?? "", "utf8");
  const [name = "", ...others] = (await readdir(folder)).filter((file) => file.startsWith("appendix-"));
  expect(others).toEqual([]);

  const again = ofType(events, "handoff:asked").flatMap((asked) => asked.again ?? []);
  expect(again).toEqual([expect.stringContaining(RULE)]);
  expect(await readFile(join(folder, name), "utf8")).toContain(PROMPT);
  const { head, account } = parseDocument(text);
  expect(head).toMatchObject({ appendix: name });
  expect(text).toContain(LINES[0]);
  expect(text).toContain("That is all.");
  expect(text).not.toContain(LINES[200]);
  expect(text).toContain(`${join(folder, name)}\`, lines `);
  expect(account?.constraints).toEqual([RULE]);
  expect(text.length).toBeLessThan(12_000);

  const told = continuation(project);
  expect(told).toContain(join(folder, name));
  expect(told).toContain(RULE);
  expect(told).not.toContain(LINES[200]);
  expect(ofType(events, "tool:denied")).toEqual([]);
  const results = project.simulator.requests.flatMap(({ request }) => request.results);
  expect(results.at(-1)).toMatchObject({ isError: false, text: expect.stringContaining(LINES[200] ?? "") });
  expect(failedChecks(stored ?? { checks: [] })).toEqual([]);
});
