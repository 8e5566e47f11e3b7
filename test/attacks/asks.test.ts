import { expect, it } from "vitest";
import type { Reply, Scenario, ToolCall } from "../../src/simulator/scenario.ts";
import { ASKS, asked, bash, isThere, making, RUN, resume, type } from "../asking.ts";
import { Baton, baton, ofType, testProject } from "../harness.ts";
import { expectNoEscape } from "./count.ts";

/** What an agent makes of a yes to `touch made`: calls that look like it, and are another. */
const FORGED: [name: string, call: ToolCall][] = [
  ["another command", bash("touch forged")],
  ["the same and one more", bash("touch made; touch forged")],
  ["a blank more", bash("touch  made; touch forged")],
  ["behind a line break", bash("touch made\ntouch forged")],
  ["behind a comment", bash("touch made # \ntouch forged")],
  ["an option of the tool", { tool: "Bash", input: { command: "touch made", run_in_background: true } }],
  ["look-alike letters", bash("tоuch made || touch forged")],
  ["another tool with the same input", { tool: "Write", input: { command: "touch made" } }],
];

it("a yes holds for the call that was shown and no other, however alike", { timeout: 120_000 }, async () => {
  // The model has a list of what to make of the yes, and goes on to the next after each no.
  const steps: Reply[] = [bash("touch made"), ...FORGED.map(([, call]) => call)].map((call) => ({ call }));
  const scenario: Scenario = { ...making(), steps };
  const project = await testProject({ scenario, agent: `${ASKS}\napproval_grace: 0` });
  const run = await baton(project, RUN);
  await type(project, "approve", ofType(run.events, "ask:made")[0]?.ask ?? "");
  const attempts = await Promise.resolve(
    FORGED.map(([name]): [string, () => Promise<unknown>] => [
      name,
      async () => {
        const { events } = await resume(project);
        const [made] = ofType(events, "ask:made");
        if (ofType(events, "ask:used").length > 0 || isThere(project, "forged")) return "it was made";
        if (!made) return "nobody was asked";
        await type(project, "deny", made.ask);
        return undefined;
      },
    ]),
  );
  await expectNoEscape(attempts, FORGED.length);
  expect(isThere(project, "made")).toBe(false);
});

it("an ask of another project, or one that an agent makes up, is not answered", async () => {
  const ours = await testProject({ scenario: making(bash("touch made")), agent: ASKS });
  const running = new Baton(ours, RUN);
  const { ask } = await asked(running);
  const theirs = await testProject({
    scenario: making(bash("touch made")),
    agent: `${ASKS}\napproval_grace: 0`,
  });
  await baton(theirs, RUN);
  const ids = [
    ask,
    `${ask}0`,
    ask.replace(/-1$/, "-01"),
    ask.replace(/-1$/, ""),
    "%",
    "_",
    "' or 1=1 --",
    "../x",
  ];
  await expectNoEscape(
    ids.map((id) => [
      `${id} elsewhere`,
      async () => {
        const { code, stdout } = await type(theirs, "approve", "--", id);
        return code === 2 ? undefined : stdout;
      },
    ]),
    ids.length,
  );
  expect(ofType(running.events, "ask:answered")).toEqual([]);
  await type(ours, "deny", ask);
  await running.exit;
});

it("an agent that answers its own question is refused, however it calls Baton", async () => {
  const project = await testProject({ scenario: making(bash("touch made")), agent: ASKS });
  const running = new Baton(project, RUN);
  const { ask } = await asked(running);
  const marks = [{ BATON_JOB_ID: "job" }, { BATON_JOB_ID: "job", BATON_OWNER: "x", BATON_SESSION_ID: "y" }];
  const ways = marks.flatMap((mark) =>
    [
      ["approve", ask],
      ["approve", ask, "--always"],
      ["deny", ask],
      ["answer", ask, "yes"],
      ["inbox", "done", ask],
    ].map((words) => ({ mark, words })),
  );
  await expectNoEscape(
    ways.map(({ mark, words }, index) => [
      `${index} ${words.join(" ")}`,
      async () => {
        const { code, stderr } = await type({ ...project, env: { ...project.env, ...mark } }, ...words);
        return code === 2 && stderr.includes("Only a person") ? undefined : stderr;
      },
    ]),
    ways.length,
  );
  expect(ofType(running.events, "ask:answered")).toEqual([]);
  await type(project, "deny", ask);
  await running.exit;
});

it("what is asked acts on no terminal, and shows what would be hidden", async () => {
  const hidden = "touch made\u001b[2K\u001b[1A\rls \u202e\u200b; touch forged";
  const project = await testProject({ scenario: making(bash(hidden)), agent: ASKS });
  const running = new Baton(project, RUN);
  const { ask } = await asked(running);
  const { stdout } = await type(project, "inbox");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u200b]/);
  expect(stdout).toContain("touch made");
  expect(stdout).toContain("; touch forged");
  await type(project, "deny", ask);
  await running.exit;
});

it("the honest twin: the same call in another order of its keys is the same", async () => {
  const call = (input: Record<string, unknown>): ToolCall => ({ tool: "Bash", input });
  const scenario = making(
    call({ command: "touch made", description: "Make it" }),
    call({ description: "Make it", command: "touch made" }),
  );
  const project = await testProject({ scenario, agent: `${ASKS}\napproval_grace: 0` });
  const run = await baton(project, RUN);
  await type(project, "approve", ofType(run.events, "ask:made")[0]?.ask ?? "");
  const again = await resume(project);
  expect(ofType(again.events, "ask:used")).toHaveLength(1);
  expect(isThere(project, "made")).toBe(true);
});
