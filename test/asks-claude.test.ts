import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ASKS, asked, bash, inboxRows, isThere, making, PAUSED, RUN, resume, type } from "./asking.ts";
import { comesTo } from "./fleet-jobs.ts";
import { Baton, bundle, ofType, program, type TestProject, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { eventually } from "./panes.ts";
import { agentProgram } from "./processes.ts";
import { onTerminal } from "./terminal.ts";

const CLAUDE = { tags: ["claude"] };
/** Outside of the project: both need a yes, and both are asked about at once. */
const reading = (file: string) => ({ tool: "Read", input: { file_path: file } });

const QUESTION = {
  tool: "AskUserQuestion",
  input: {
    questions: [
      {
        question: "Which port?",
        header: "Port",
        multiSelect: false,
        options: [
          { label: "80", description: "the usual one" },
          { label: "8080", description: "another" },
        ],
      },
    ],
  },
};

it(
  "Claude Code waits for a person: two asks at once, a question, a kill, a rule for good, and no answer of its own",
  CLAUDE,
  async () => {
    needs("script");
    const itself = bash(`${process.execPath} ${program} approve made-up-1 2>&1; true`);
    const project = await testProject({
      scenario: making(
        [reading("/etc/hostname"), reading("/etc/os-release")],
        QUESTION,
        bash("touch made"),
        bash("touch made"),
        itself,
      ),
      agent: `${ASKS}\nsession: { retry_backoff: 100ms }`,
    });
    const running = new Baton(project, RUN);
    const [first, second] = [await asked(running), await asked(running, 2)];
    expect(ofType(running.events, "ask:answered")).toEqual([]);
    const { stdout } = await type(project, "inbox");
    for (const { ask } of [first, second]) expect(stdout).toContain(`baton approve ${ask}`);
    expect((await type(project, "approve", second.ask)).stdout).toContain("Delivered");
    expect((await type(project, "deny", second.ask)).stderr).toContain("answered already");
    await type(project, "deny", first.ask, "Not this one");

    const question = await asked(running, 3);
    expect((await type(project, "answer", question.ask, "2")).stdout).toContain("Delivered");

    const killed = await asked(running, 4);
    process.kill((await agentProgram(running)).pid, "SIGKILL");
    const anew = await asked(running, 5);
    expect(ofType(running.events, "ask:withdrawn")).toMatchObject([{ ask: killed.ask }]);
    const person = { ...project, program: join(bundle, "scripted.js") };
    const typed: [string, string][] = [["[y/N]", "y\r"]];
    const { output } = await onTerminal(person, { columns: 100, typed }, ["approve", anew.ask, "--always"]);
    const line = `allowed_tools: [${JSON.stringify(anew.rule)}]`;
    expect(output).toContain(line);
    expect(readFileSync(join(project.folder, "baton.yaml"), "utf8")).toContain(`\n    ${line}\n`);

    const own = await asked(running, 6);
    await type(project, "approve", own.ask);
    expect(await running.exit).toMatchObject({ code: 0 });
    expect(isThere(project, "made")).toBe(true);
    const said = ofType(running.events, "tool:end").map(({ output }) => output);
    expect(said).toContainEqual("The user said no: Not this one");
    expect(said).toContainEqual(expect.stringContaining('"Which port?"="8080"'));
    expect(said.at(-1)).toContain("Only a person can answer what an agent asks");
  },
);

function configure({ folder }: TestProject, ...lines: string[]): void {
  const path = join(folder, "baton.yaml");
  writeFileSync(
    path,
    `${readFileSync(path, "utf8").trimEnd()}\n${lines.map((line) => `    ${line}\n`).join("")}`,
  );
}

it(
  "Claude Code is closed while it waits, and continues with the answer, after a kill of Baton too, until nobody answers",
  CLAUDE,
  async () => {
    // Whoever was killed may have asked the model once more.
    const scenario = {
      ...making(),
      otherwise: () => ({ call: bash(isThere(project, "made") ? "touch other" : "touch made") }),
    };
    const project: TestProject = await testProject({ scenario, agent: ASKS });
    const running = new Baton(project, RUN);
    await asked(running);
    await running.kill();

    configure(project, "approval_grace: 0");
    const closed = await resume(project);
    expect(closed.code).toBe(PAUSED);
    expect(ofType(closed.events, "ask:withdrawn")).toHaveLength(1);
    const [made] = ofType(closed.events, "ask:made");
    expect((await type(project, "approve", made?.ask ?? "")).stdout).toContain("baton resume");

    configure(project, "approval_timeout: 1");
    const continued = await resume(project);
    expect(ofType(continued.events, "ask:used")).toMatchObject([{ ask: made?.ask }]);
    expect(isThere(project, "made")).toBe(true);
    expect(ofType(continued.events, "ask:made")).toMatchObject([{ summary: "touch other" }]);
    expect(ofType(continued.events, "job:paused")).toMatchObject([{ code: "ask_timeout" }]);
    expect(isThere(project, "other")).toBe(false);
  },
);

it("Claude Code asks anew when the fleet that ran it was killed while it asked", CLAUDE, async () => {
  const scenario = {
    ...making(),
    otherwise: () => (isThere(project, "made") ? { say: "Done." } : { call: bash("touch made") }),
  };
  const project: TestProject = await testProject({ scenario, agent: ASKS });
  const askIn = (other: string) =>
    eventually("an ask in the inbox", async () => {
      const [row] = await inboxRows(project);
      return row?.kind === "approval" && row.id !== other && row.id;
    });
  const killed = new Baton(project, ["start", "--json"]);
  await type(project, "run", "coder", "Write the files.", "--queue");
  const first = await askIn("");
  await killed.kill();
  const fleet = new Baton(project, ["start", "--json"]);
  const anew = await askIn(first);
  expect(await type(project, "approve", first)).toMatchObject({ code: 2 });
  expect((await type(project, "approve", anew)).stdout).toContain("Delivered");
  await comesTo(project, { completed: 1 });
  expect(isThere(project, "made")).toBe(true);
  const { stdout } = await type(project, "logs", "--json");
  expect(stdout).toMatch(new RegExp(`"type":"ask:withdrawn".*"ask":"${first}"`));
  fleet.child.kill("SIGTERM");
  await fleet.exit;
});
