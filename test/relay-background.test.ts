import { access, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type { JournalEvent } from "../src/job/events.ts";
import type { Rule, Scenario, ToolCall } from "../src/simulator/scenario.ts";
import { lastDone } from "../src/simulator/scenarios/steady.ts";
import {
  Baton,
  baton,
  inSmallWindows,
  ofType,
  placeOf,
  SMALL_WINDOW,
  smallWindows,
  stepsDone,
  type TestProject,
  testProject,
  upTo,
} from "./harness.ts";

const RUN = ["run", "coder", "Write the files.", "--json"];
/** Says that it has started, and ends when the test lets it. */
const UNTIL_RELEASED = "echo $$ > started; until [ -e release ]; do sleep 0.05; done; echo released";
const SERVER = "echo $$ > started; exec tail -f /dev/null";
const command = { tool: "Bash", input: { command: UNTIL_RELEASED, description: "Wait for the release" } };
const inBackground = { ...command, input: { ...command.input, run_in_background: true } };
const subagent = {
  tool: "Agent",
  input: { description: "Wait for the release", prompt: "Wait.", subagent_type: "general-purpose" },
};

/** Five steps in two windows; the response that crosses the threshold makes the call. */
function crossingWith(call: ToolCall): Scenario {
  const crossing: Rule = {
    when: (request) => request.kind === "main" && lastDone(request) === 4,
    reply: { say: "This takes long.", call },
    times: 1,
  };
  const waiting: Rule = { when: ({ kind }) => kind === "subagent", reply: { call: command }, times: 1 };
  return { ...inSmallWindows(5), rules: [crossing, waiting] };
}

async function started({ folder }: TestProject): Promise<number> {
  const path = join(folder, "started");
  await vi.waitFor(() => access(path), { timeout: 20_000, interval: 20 });
  return Number(await readFile(path, "utf8"));
}

function release({ folder }: TestProject): Promise<void> {
  return writeFile(join(folder, "release"), "");
}

const isHandoffStart = ({ type }: JournalEvent) => type === "context:handoff:start";
const isAsked = ({ type }: JournalEvent) => type === "handoff:asked";

it("lets a running tool finish before it hands off", async () => {
  const project = await testProject({
    scenario: crossingWith(command),
    agent: `session: { ${smallWindows} }`,
  });
  const running = new Baton(project, RUN);
  await running.event((event) => event.type === "response" && event.context.tokens >= SMALL_WINDOW);
  await started(project);
  expect(running.events.some(isHandoffStart)).toBe(false);
  await release(project);
  expect((await running.exit).code).toBe(0);

  const { events } = running;
  const finished = placeOf(events, (event) => event.type === "tool:end" && event.output.includes("released"));
  expect(events[finished]).toMatchObject({ ok: true });
  expect(finished).toBeLessThan(placeOf(events, isHandoffStart));
  expect(await stepsDone(project)).toEqual(upTo(5));
});

it("waits for a command in the background before it asks for the document", () => waitsFor(inBackground));

it("waits for a subagent in the background before it asks for the document", { tags: ["claude"] }, () =>
  waitsFor(subagent),
);

async function waitsFor(call: ToolCall): Promise<void> {
  const project = await testProject({
    scenario: crossingWith(call),
    agent: `session: { ${smallWindows} }`,
  });
  const running = new Baton(project, RUN);
  await running.event(isHandoffStart);
  await started(project);
  expect(running.events.some(isAsked)).toBe(false);
  await release(project);
  expect((await running.exit).code).toBe(0);

  const { events } = running;
  const launched = placeOf(events, (event) => event.type === "background" && event.tasks.length > 0);
  const ended = placeOf(
    events.slice(launched),
    (event) => event.type === "background" && event.tasks.length === 0,
  );
  expect(launched + ended).toBeLessThan(placeOf(events, isAsked));
  expect(ofType(events, "background:left")).toEqual([]);
  expect(await stepsDone(project)).toEqual(upTo(5));
}

it("does not wait for a server that nobody asks, and says how to start it again", async () => {
  const server = { tool: "Bash", input: { command: SERVER, description: "Serve", run_in_background: true } };
  const project = await testProject({
    scenario: crossingWith(server),
    agent: `session: { ${smallWindows}, background_grace: 8s }`,
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(0);
  const how = { command: SERVER, cwd: project.folder };
  expect(ofType(events, "background:left")).toMatchObject([{ atRest: true, tasks: [how] }]);
  const [stored] = ofType(events, "handoff:stored");
  const document = await readFile(stored?.documentPath ?? "", "utf8");
  expect(document).toMatch(/### Started to keep running, and ended with the session\n\n.*Start again/);
  expect(document).toContain(`- local_bash: Serve: \`${SERVER}\` in \`${project.folder}\``);
  const pid = await started(project);
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  expect(await stepsDone(project)).toEqual(upTo(5));
});

it("names a background command that outlives its grace in the document, and ends it", async () => {
  const project = await testProject({
    scenario: crossingWith(inBackground),
    agent: `session: { ${smallWindows}, background_grace: 1s }`,
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(0);
  expect(ofType(events, "background:left")).toMatchObject([
    { tasks: [{ description: "Wait for the release" }] },
  ]);
  const [stored] = ofType(events, "handoff:stored");
  const document = await readFile(stored?.documentPath ?? "", "utf8");
  expect(document).toMatch(/Still running when the session ended.*\n\n.*Wait for the release/);
  const pid = await started(project);
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  expect(await stepsDone(project)).toEqual(upTo(5));
});
