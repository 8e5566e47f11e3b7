import { expect, it } from "vitest";
import type { JournalEvent } from "../src/job/events.ts";
import type { Rule } from "../src/simulator/scenario.ts";
import { lastDone, steady, writeStep } from "../src/simulator/scenarios/steady.ts";
import { baton, ofType, shown, stepsDone, testProject, upTo } from "./harness.ts";

const RUN = ["run", "coder", "Write the files.", "--json"];
/** The first handoff is written and the job is paused there. */
const ONE_WINDOW = "max_handoffs_per_job: 0";

interface Figures {
  warned: number[];
  /** Of the responses before the handoff, all but the last of which were too small for it. */
  tokens: number[];
  trigger: string | undefined;
}

function figuresOf(events: JournalEvent[]): Figures {
  const [start] = ofType(events, "context:handoff:start");
  const until = start?.seq ?? Number.POSITIVE_INFINITY;
  return {
    warned: ofType(events, "context:warning").map(({ level }) => level),
    tokens: ofType(events, "response")
      .filter(({ seq }) => seq < until)
      .map(({ context }) => context.tokens),
    trigger: start?.trigger,
  };
}

it.each([
  ["handoff.threshold", "session: { %s }\nhandoff: { threshold: 70 }", [50, 60], 140_000],
  ["a fraction that remains", "session: { context_threshold: 0.4, %s }", [50], 120_000],
  ["a count of tokens", "session: { context_threshold: 90000, %s }", [], 90_000],
  [
    "a warning of one's own",
    "session: { context_threshold: 0.5, %s }\nhandoff: { notify_user_at: 30 }",
    [30],
    100_000,
  ],
])("warns once at each level and hands off where it is told to: %s", async (_, agent, warned, threshold) => {
  const project = await testProject({
    scenario: steady({ steps: 12, factor: 20, outputCharacters: 2_500 }),
    agent: agent.replace("%s", ONE_WINDOW),
  });
  const { events } = await baton(project, RUN);
  const figures = figuresOf(events);
  expect(figures).toMatchObject({ warned, trigger: "threshold" });
  expect(figures.tokens.pop()).toBeGreaterThanOrEqual(threshold);
  expect(Math.max(...figures.tokens)).toBeLessThan(threshold);
});

it("hands off early when the next turn would not fit", async () => {
  const project = await testProject({
    scenario: steady({ steps: 6, factor: 10, outputCharacters: 18_000 }),
    agent: `session: { ${ONE_WINDOW} }`,
  });
  const { events } = await baton(project, RUN);
  const { tokens, trigger } = figuresOf(events);
  expect(trigger).toBe("forecast");
  expect(Math.max(...tokens)).toBeLessThan(180_000);
  expect(ofType(events, "handoff:stored")).toMatchObject([{ source: "agent" }]);
});

it("uses the whole of a window of a million tokens", async () => {
  const steps = 20;
  const shrinking: Rule = {
    when: ({ last }) => !last.includes("<handoff-request>"),
    reply(request) {
      const step = lastDone(request) + 1;
      // Ten tokens a character. The large ones come first, so that no turn looks too large for what is left.
      return writeStep(step, steps, Math.max(3_500, Math.round(24_000 / step)));
    },
  };
  const project = await testProject({
    scenario: { ...steady({ steps, factor: 40 }), rules: [shrinking] },
    agent: `model: claude-opus-5-5\nsession: { ${ONE_WINDOW} }`,
  });
  const { events } = await baton(project, RUN);
  const { tokens, trigger } = figuresOf(events);
  expect(trigger).toBe("threshold");
  expect(tokens.pop()).toBeGreaterThanOrEqual(900_000);
  expect(tokens.some((count) => count > 300_000)).toBe(true);
  expect(Math.max(...tokens)).toBeLessThan(900_000);
  const job = await shown(project);
  expect(job.sessions).toMatchObject([{ contextWindow: 1_000_000 }]);
  expect(job.handoffs).toMatchObject([{ contextWindow: 1_000_000, source: "agent" }]);
});

it("under economical hands off where a fresh session is cheaper, long before a window of a million tokens is full", async () => {
  const project = await testProject({
    scenario: steady({ steps: 30, factor: 20, outputCharacters: 700 }),
    agent: "model: claude-opus-5-5\nsession: { context_threshold: economical, max_handoffs_per_job: 0 }",
  });
  const { events } = await baton(project, RUN);
  const { tokens, trigger } = figuresOf(events);
  const marks = ofType(events, "response").map(({ context }) => context.handoffAt ?? 0);
  expect(trigger).toBe("threshold");
  // As the rule says: 15 turns and 30,000 tokens of work at least, and then at the mark that the line on the screen shows.
  expect(tokens.length).toBeGreaterThanOrEqual(15);
  const last = tokens.at(-1) ?? 0;
  expect(last - (tokens[0] ?? 0)).toBeGreaterThanOrEqual(30_000);
  expect(last).toBeGreaterThanOrEqual(marks[tokens.length - 1] ?? 0);
  expect(tokens.slice(0, -1).every((count, turn) => count < (marks[turn] ?? 0))).toBe(true);
  expect(last).toBeLessThan(200_000);
  expect((await shown(project)).sessions).toMatchObject([{ contextWindow: 1_000_000 }]);
});

it("keeps the last figure of its window, and its work, where the model's server tells no tokens any more", async () => {
  const silent: Rule = {
    when: (request) => request.kind === "main" && lastDone(request) >= 1 && lastDone(request) < 4,
    reply: (request) => ({ ...writeStep(lastDone(request) + 1, 4, 20_000), fault: { kind: "no-usage" } }),
  };
  const project = await testProject({ scenario: { ...steady({ steps: 4 }), rules: [silent] } });
  const { code, events, stdout } = await baton(project, RUN);
  expect(code, stdout).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(4));
  const responses = ofType(events, "response");
  expect(responses.map(({ usage }) => usage !== undefined)).toEqual([true, false, false, false, true]);
  const [known, ...unknown] = responses.map(({ context }) => context);
  for (const { tokens } of unknown.slice(0, 3)) expect(tokens).toBe(known?.tokens);
  const [, second = 0, third = 0] = unknown.map(({ pending }) => pending);
  expect(third).toBeGreaterThan(second);
  expect(second).toBeGreaterThan(1_000);
  expect(unknown[3]?.pending).toBeUndefined();
});

it("hands off before the agent's own compaction where that is left on", { tags: ["claude"] }, async () => {
  const project = await testProject({
    scenario: steady({ steps: 10, factor: 20, outputCharacters: 4_500 }),
    agent: `session: { auto_compact: true, ${ONE_WINDOW} }`,
  });
  const { events } = await baton(project, RUN);
  const { tokens, trigger } = figuresOf(events);
  expect(trigger).toBe("threshold");
  expect(Math.max(...tokens)).toBeLessThan(167_000);
  expect(ofType(events, "compaction")).toEqual([]);
  expect(ofType(events, "handoff:stored")).toMatchObject([{ source: "agent" }]);
});

it("counts what a busy subagent uses, and does not hand off for it", { tags: ["claude"] }, async () => {
  const threshold = 60_000;
  const print = { command: "printf '%028000d' 0", description: "Print a lot" };
  const rules: Rule[] = [
    {
      when: ({ kind, turns }) => kind === "main" && turns === 0,
      reply: {
        call: {
          tool: "Agent",
          input: { description: "Read a lot", prompt: "Read.", subagent_type: "general-purpose" },
        },
      },
      times: 1,
    },
    {
      when: ({ kind, turns }) => kind === "subagent" && turns < 2,
      reply: { call: { tool: "Bash", input: print } },
    },
  ];
  const project = await testProject({
    scenario: { ...steady({ steps: 1, factor: 8 }), rules },
    agent: `session: { context_threshold: ${threshold} }`,
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(1));
  expect(ofType(events, "context:handoff:start")).toEqual([]);
  expect(Math.max(...ofType(events, "response").map(({ context }) => context.tokens))).toBeLessThan(
    threshold,
  );

  const requests = project.simulator.requests.filter(({ request }) => request.kind !== "side");
  const bySubagent = requests.filter(({ request }) => request.kind === "subagent");
  expect(Math.max(...bySubagent.map(({ request }) => request.sentTokens))).toBeGreaterThan(2 * threshold);
  const { usage } = await shown(project);
  const sent = requests.reduce((sum, { request }) => sum + request.sentTokens, 0);
  expect(usage.input + usage.cacheRead + usage.cacheWrite).toBe(sent);
});
