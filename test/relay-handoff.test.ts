import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type { Rule } from "../src/simulator/scenario.ts";
import { overflow } from "../src/simulator/scenarios/overflow.ts";
import { lastDone, writeStep } from "../src/simulator/scenarios/steady.ts";
import {
  Baton,
  baton,
  inSmallWindows,
  ofType,
  SMALL_WINDOW,
  shown,
  smallWindows,
  stepsDone,
  type TestProject,
  testProject,
  upTo,
} from "./harness.ts";

const RUN = ["run", "coder", "Write the files.", "--json"];

/** A job over two windows in which the request for the handoff document is answered by the rule. */
function answeringHandoffWith(reply: Rule["reply"]) {
  const rule: Rule = { when: ({ last }) => last.includes("<handoff-request>"), reply };
  return { ...inSmallWindows(6), rules: [rule] };
}

const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

it("hands off at the right figure when nearly all of the usage is cached", async () => {
  const project = await testProject({ scenario: inSmallWindows(6), agent: `session: { ${smallWindows} }` });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(6));

  const responses = ofType(events, "response");
  const reported = project.simulator.requests.filter(({ request }) => request.kind === "main");
  expect(responses).toHaveLength(reported.length);
  for (const [index, { usage = NO_USAGE, context }] of responses.entries()) {
    const sent = reported[index]?.request.sentTokens ?? 0;
    expect(usage.input).toBeLessThan(10);
    expect(usage.input + usage.cacheRead + usage.cacheWrite).toBe(sent);
    expect(context.tokens).toBe(sent + usage.output);
    expect(context.window).toBe(200_000);
  }

  const [start] = ofType(events, "context:handoff:start");
  const before = responses.filter(({ seq }) => seq < (start?.seq ?? 0)).map(({ context }) => context.tokens);
  const crossing = before.pop();
  expect(crossing).toBeGreaterThanOrEqual(SMALL_WINDOW);
  expect(Math.max(...before)).toBeLessThan(SMALL_WINDOW);
  expect(start).toMatchObject({ inputTokens: crossing, trigger: "threshold", contextWindow: 200_000 });
});

it("hands off at that very boundary when Baton itself was held up", async () => {
  const held = Promise.withResolvers<void>();
  const crossing: Rule = {
    when: (request) => request.kind === "main" && lastDone(request) === 4,
    reply() {
      running.child.kill("SIGSTOP");
      held.resolve();
      return writeStep(5, 6, 8_000);
    },
    times: 1,
  };
  const project = await testProject({
    scenario: { ...inSmallWindows(6), rules: [crossing] },
    agent: `session: { ${smallWindows} }`,
  });
  const running = new Baton(project, RUN);
  await held.promise;
  await vi.waitFor(async () => expect(await transcript(project)).toContain("done:5"), { timeout: 20_000 });
  running.child.kill("SIGCONT");
  expect((await running.exit).code).toBe(0);
  expect((await shown(project)).sessions).toMatchObject([{ turns: 7 }, { turns: 2 }]);
  expect(await stepsDone(project)).toEqual(upTo(6));
});

async function transcript({ env }: TestProject): Promise<string> {
  const folder = join(env.CLAUDE_CONFIG_DIR ?? "", "projects");
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".jsonl"));
  return (await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")))).join("");
}

it("goes on from facts when one step overflows the window, and loses no step", {
  tags: ["claude"],
}, async () => {
  const project = await testProject({ scenario: overflow({ steps: 3, at: 2 }) });
  const { code } = await baton(project, RUN);
  expect(code).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(3));
  const job = await shown(project);
  expect(job.handoffs).toMatchObject([{ source: "facts", trigger: "overflow" }]);
  expect(job.sessions).toMatchObject([{ endReason: "out-of-context" }, { endReason: "completed" }]);
});

it.each([
  ["the API is dead", { fault: { kind: "server-error" } }, /500|Internal server error/],
  ["the answer is empty", { fault: { kind: "empty" } }, /empty/],
  ["the answer lacks the sections", { say: "All is well, carry on." }, /sections/],
  ["the answer never comes", { fault: { kind: "stall", at: "start" } }, /in time/],
] as const)("goes on from facts when the document is asked for and %s", async (_, reply, reason) => {
  const project = await testProject({
    scenario: answeringHandoffWith(reply),
    agent: `session: { ${smallWindows} }\nhandoff: { timeout: 2s }`,
  });
  const { code, events } = await baton(project, RUN);
  expect(ofType(events, "handoff:stored")).toMatchObject([
    { source: "facts", reason: expect.stringMatching(reason) },
  ]);
  expect(code).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(6));
  const job = await shown(project);
  expect(job.sessions).toMatchObject([{ endReason: "handoff" }, { endReason: "completed" }]);
  expect(await readFile(job.handoffs[0].documentPath, "utf8")).toContain("step-4.txt");
});
