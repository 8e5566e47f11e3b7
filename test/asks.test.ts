import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { expireAsks } from "../src/app/inbox/expire.ts";
import { openProjectStore } from "../src/app/project.ts";
import { ASKS, asked, bash, isThere, making, PAUSED, RUN, resume, type } from "./asking.ts";
import { comesTo } from "./fleet-jobs.ts";
import { Baton, baton, ofType, shown, type TestProject, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { agentProgram } from "./processes.ts";
import { onTerminal } from "./terminal.ts";

it("asks, waits, and makes the call once it is allowed from another terminal", async () => {
  const project = await testProject({ scenario: making(bash("touch made")), agent: ASKS });
  const running = new Baton(project, RUN);
  const { ask } = await asked(running);
  const inbox = await type(project, "inbox");
  expect(inbox.stdout).toContain("needs your yes  Bash touch made");
  expect(inbox.stdout).toContain(`baton approve ${ask}`);
  expect((await type(project, "status")).stdout).toContain("1 thing needs you: baton inbox");
  expect((await type(project, "top")).stdout).toContain("1 needs you");
  expect((await baton(project, ["statusline"], "{}")).stdout).toContain("1 needs you");
  expect(isThere(project, "made")).toBe(false);
  const said = await type(project, "approve", ask);
  expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining("Delivered") });
  expect(await running.exit).toMatchObject({ code: 0 });
  expect(isThere(project, "made")).toBe(true);
  expect(ofType(running.events, "ask:answered")).toMatchObject([{ ask, answer: { answer: "once" } }]);
  const again = await type(project, "deny", ask);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("answered already") });
  expect((await shown(project)).timeMs.person).toBeGreaterThan(0);
});

it("closes the program when nobody answers for a while, and makes the same call once it is resumed with the answer", async () => {
  const project = await testProject({
    scenario: making(bash("touch made"), bash("touch made"), bash("touch other")),
    agent: `${ASKS}\napproval_grace: 0`,
  });
  const run = await baton(project, RUN);
  expect(run.code).toBe(PAUSED);
  expect(ofType(run.events, "job:paused")).toMatchObject([{ code: "asking" }]);
  expect(ofType(run.events, "ask:withdrawn")).toEqual([]);
  const [{ ask } = { ask: "" }] = ofType(run.events, "ask:made");
  expect((await type(project, "inbox")).stdout).toContain("its work has stopped until then");
  expect((await type(project, "approve", ask)).stdout).toContain("baton resume");
  expect((await type(project, "inbox")).stdout).toBe("Nothing needs you.\n");
  expect(isThere(project, "made")).toBe(false);

  const again = await resume(project);
  // The same call is allowed, once; the next one is another.
  expect(again.code).toBe(PAUSED);
  expect(isThere(project, "made")).toBe(true);
  expect(isThere(project, "other")).toBe(false);
  expect(ofType(again.events, "ask:answered")).toMatchObject([{ ask, late: true }]);
  expect(ofType(again.events, "ask:used")).toMatchObject([{ ask }]);
  expect(ofType(again.events, "message:sent")).toMatchObject([
    { kind: "resume" },
    { kind: "said", text: expect.stringContaining("the answer is yes") },
  ]);
  expect(ofType(again.events, "ask:made")).toMatchObject([{ summary: "touch other" }]);
});

it("frees the slot of a job that waits, and the fleet continues it with the answer", async () => {
  const project = await testProject({
    scenario: making(bash("touch made"), bash("touch made")),
    agent: `${ASKS}\napproval_grace: 0`,
  });
  const fleet = new Baton(project, ["start"]);
  await type(project, "run", "coder", "Write the files.", "--queue");
  await comesTo(project, { paused: 1 });
  const { stdout } = await type(project, "inbox", "--json");
  const { id, kind } = JSON.parse(stdout);
  expect(kind).toBe("approval");
  expect((await type(project, "approve", id)).stdout).toContain("The fleet continues");
  await comesTo(project, { completed: 1 });
  expect(isThere(project, "made")).toBe(true);
  fleet.child.kill("SIGTERM");
  await fleet.exit;
});

it("pauses a job whose ask nobody answers in time, and asks again when it is resumed", async () => {
  const project = await testProject({
    scenario: making(bash("touch made"), bash("touch made")),
    agent: `${ASKS}\napproval_timeout: 1`,
  });
  const run = await baton(project, RUN);
  expect(run.code).toBe(PAUSED);
  expect(ofType(run.events, "ask:expired")).toHaveLength(1);
  expect(ofType(run.events, "job:paused")).toMatchObject([{ code: "ask_timeout" }]);
  const [first] = ofType(run.events, "ask:made");
  const late = await type(project, "approve", first?.ask ?? "");
  expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining("no longer be answered") });
  const again = await resume(project);
  expect(ofType(again.events, "ask:made")).toMatchObject([{ ask: first?.ask.replace(/1$/, "2") }]);
});

it("denies a call that nobody answers in time, where the user wants that", async () => {
  const project = await testProject({
    scenario: making(bash("touch made")),
    agent: `${ASKS}\napproval_timeout: 1\non_approval_timeout: deny`,
  });
  const run = await baton(project, RUN);
  expect(run.code).toBe(0);
  expect(ofType(run.events, "ask:expired")).toMatchObject([{ denied: true }]);
  expect(isThere(project, "made")).toBe(false);
  expect(ofType(run.events, "tool:end")).toMatchObject([
    { ok: false, output: expect.stringContaining("Nobody answered within") },
  ]);
});

const HOURS_MS = 60 * 60_000;

/** As the fleet does, and whoever looks, once the time is up. */
async function fiveHoursLater({ folder }: TestProject): Promise<void> {
  const where = { root: folder };
  await using store = await openProjectStore(where);
  await expireAsks(where, store, new Date(Date.now() + 5 * HOURS_MS));
}

it.each([
  ["pause", /paused {2}Nobody answered within 4 h \(approval_timeout\)/],
  ["deny", /^Nothing needs you/],
])("settles what nobody answered in time of a job that rests: %s", async (what, inbox) => {
  const project = await testProject({
    scenario: making(bash("touch made"), bash("touch made")),
    agent: `${ASKS}\napproval_grace: 0\non_approval_timeout: ${what}`,
  });
  const run = await baton(project, RUN);
  expect(ofType(run.events, "job:paused")).toMatchObject([{ code: "asking" }]);
  await fiveHoursLater(project);
  const [made] = ofType(run.events, "ask:made");
  expect((await type(project, "approve", made?.ask ?? "")).code).toBe(2);
  expect((await type(project, "inbox")).stdout).toMatch(inbox);
  const again = await resume(project);
  expect(ofType(again.events, "ask:used")).toHaveLength(what === "deny" ? 1 : 0);
  expect(again.code).toBe(what === "deny" ? 0 : PAUSED);
  expect(isThere(project, "made")).toBe(false);
});

it("withdraws the ask of an agent that is killed, and asks anew", async () => {
  const project = await testProject({
    scenario: making(bash("touch made"), bash("touch made")),
    agent: `${ASKS}\nsession: { retry_backoff: 100ms }`,
  });
  const running = new Baton(project, RUN);
  const { ask } = await asked(running);
  process.kill((await agentProgram(running)).pid, "SIGKILL");
  const anew = await asked(running, 2);
  expect(ofType(running.events, "ask:withdrawn")).toMatchObject([{ ask }]);
  expect((await type(project, "approve", ask)).code).toBe(2);
  await type(project, "approve", anew.ask);
  expect(await running.exit).toMatchObject({ code: 0 });
  expect(isThere(project, "made")).toBe(true);
});

it("keeps an answer that comes while Baton is dead, and asks anew what nobody answered", async () => {
  const scenario = making([bash("touch one"), bash("touch two")], bash("touch one"), bash("touch two"));
  const project = await testProject({ scenario, agent: ASKS });
  const running = new Baton(project, RUN);
  const { ask } = await asked(running);
  await running.kill();
  expect((await type(project, "inbox")).stdout).toContain("needs your yes  Bash touch one");
  expect((await type(project, "approve", ask)).stdout).toContain("baton resume");
  const { id } = await shown(project);
  const again = new Baton(project, ["resume", id, "--json"]);
  const second = await asked(again, 2);
  expect(second).toMatchObject({ summary: "touch two" });
  expect(isThere(project, "one")).toBe(true);
  await again.kill();
  const third = new Baton(project, ["resume", id, "--json"]);
  await third.event(({ type }) => type === "ask:withdrawn");
  third.child.kill("SIGINT");
  await third.exit;
});

it("shows the line that allows such calls from now on, and adds it on a terminal alone", async () => {
  needs("script");
  const project = await testProject({
    scenario: {
      ...making(),
      steps: [{ call: bash("touch made") }, { say: "Done." }, { call: bash("touch made") }],
    },
    agent: `${ASKS}\nallowed_tools: [Edit] # mine`,
  });
  const config = join(project.folder, "baton.yaml");
  const before = readFileSync(config, "utf8");
  const running = new Baton(project, RUN);
  const { ask } = await asked(running);
  const line = 'allowed_tools: ["Edit", "Bash"]'.replace('"Edit"', "Edit");
  const typed: [string, string][] = [["[y/N]", "y\r"]];
  const { output, code } = await onTerminal(project, { columns: 100, typed }, ["approve", ask, "--always"]);
  expect(output).toContain(line);
  expect(code).toBe(0);
  expect(readFileSync(config, "utf8")).toBe(before.replace("allowed_tools: [Edit]", line));
  expect(await running.exit).toMatchObject({ code: 0 });
  expect(ofType(running.events, "ask:answered")).toMatchObject([
    { answer: { answer: "always" }, rule: "Bash" },
  ]);
  // The user has agreed to the line that they were shown.
  const { code: trusted } = await baton({ ...project, trusted: "no" }, ["trust"]);
  expect(trusted).toBe(0);

  writeFileSync(config, before);
  const next = new Baton(project, RUN);
  const another = await asked(next);
  const piped = await type(project, "approve", another.ask, "--always");
  expect(piped.stdout).toContain("Nothing was added");
  expect(readFileSync(config, "utf8")).toBe(before);
  await next.exit;
});

it("counts what an agent is denied again and again, and adds the rule that allows it", async () => {
  needs("script");
  const project = await testProject({
    scenario: making(bash("touch a"), bash("touch b"), bash("touch c")),
    agent: "permission_mode: default",
  });
  await baton(project, RUN);
  const { stdout } = await type(project, "inbox");
  expect(stdout).toContain("denied again and again  Bash was denied 3 times this week: allow it?");
  expect((await type(project, "status", "--json")).stdout).toContain('"needYou":0');
  const typed: [string, string][] = [["[y/N]", "y\r"]];
  const words = ["approve", "coder:Bash", "--always"];
  expect((await onTerminal(project, { columns: 100, typed }, words)).code).toBe(0);
  expect(readFileSync(join(project.folder, "baton.yaml"), "utf8")).toContain('    allowed_tools: ["Bash"]\n');
  expect((await type(project, "inbox")).stdout).toBe("Nothing needs you.\n");
});
