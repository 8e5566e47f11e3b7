import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { parseDocument } from "../src/handoff/document.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { careful } from "./careful.ts";
import { Baton, baton, inSmallWindows, ofType, shown, smallWindows, stepsDone, upTo } from "./harness.ts";
import { firstMessages, hookedProject, hookRuns, pipeIn, RUN, records, told } from "./hooked.ts";
import { needs } from "./needs.ts";
import { agentsGone } from "./processes.ts";

const run = promisify(execFile);
const STEPS = 5;
const agent = `session: { ${smallWindows} }`;
/** Says one thing the first time, another from then on. */
const firstThen = (first: string, then: string) =>
  `if [ -e "$SEEN/asked" ]; then ${then}; else touch "$SEEN/asked"; ${first}; fi`;

it("a session that may continue is asked about only when another twentieth of its window is used", async () => {
  const decides = firstThen(`echo '{"decision":"continue"}'`, "echo I think so; echo continue");
  const project = await hookedProject({
    scenario: steady({ steps: 9, factor: 5, outputCharacters: 2_500 }),
    agent: "session: { context_threshold: 40000 }",
    hooks: { on_context_threshold: [records("threshold", decides)] },
  });
  const ran = await baton(project, RUN);
  expect(ran.code, ran.stdout).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(9));
  expect(ofType(ran.events, "session:starting")).toHaveLength(1);
  expect(ofType(ran.events, "handoff:stored")).toEqual([]);
  const asked = (await told(project, "threshold")).map(({ context }) => context.input_tokens);
  expect(asked.length).toBeGreaterThan(1);
  expect(asked.slice(1).every((tokens, index) => tokens - (asked[index] ?? 0) >= 10_000)).toBe(true);
  const full = ofType(ran.events, "response").filter(({ context }) => context.tokens >= 40_000);
  expect(full.length).toBeGreaterThan(asked.length);
});

it("a session that may continue ends in the program's own compaction, not in an overflow", {
  tags: ["claude"],
}, async () => {
  const project = await hookedProject({
    scenario: steady({ steps: 12, factor: 20, outputCharacters: 3_000 }),
    hooks: { on_context_threshold: [records("threshold", "echo continue")] },
  });
  const ran = await baton(project, RUN);
  expect(ran.code, ran.stdout).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(12));
  expect(await told(project, "threshold")).not.toEqual([]);
  expect(ofType(ran.events, "compaction").map(({ state }) => state)).toContain("done");
  expect(ofType(ran.events, "handoff:stored")).toEqual([]);
  expect(project.simulator.requests.map(({ request }) => request.text).join()).not.toContain(
    "handoff is called off",
  );
});

it("with handoff.enabled: false, hooks and warnings still come, and the session works on", async () => {
  const project = await hookedProject({
    scenario: steady({ steps: 6, factor: 20, outputCharacters: 4_000 }),
    agent: "session: { context_threshold: 0.4 }\nhandoff: { enabled: false, notify_user_at: [30, 50] }",
    hooks: { on_context_threshold: [records("threshold")] },
  });
  const ran = await baton(project, RUN);
  expect(ran.code, ran.stdout).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(6));
  expect(ofType(ran.events, "context:warning").map(({ level }) => level)).toEqual([30, 50]);
  expect((await told(project, "threshold"))[0]).toMatchObject({ trigger: "threshold" });
  expect(ofType(ran.events, "session:starting")).toHaveLength(1);
  expect(ofType(ran.events, "handoff:stored")).toEqual([]);
});

it("after a hook that says abort, a new session continues from the facts", async () => {
  const project = await hookedProject({
    scenario: inSmallWindows(STEPS),
    agent,
    hooks: {
      on_context_threshold: [records("threshold", `echo '{"decision": "abort", "why": "enough"}'`)],
      on_handoff: [records("handoff")],
    },
  });
  const ran = await baton(project, RUN);
  expect(ran.code, ran.stdout).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(STEPS));
  expect(hookRuns(ran.events)).toEqual(["on_context_threshold threshold", "on_handoff handoff"]);
  const [stored] = ofType(ran.events, "handoff:stored");
  expect(stored).toMatchObject({ source: "hook", outcome: "from-facts" });
  expect(ofType(ran.events, "handoff:asked")).toEqual([]);
  const [payload] = await told(project, "handoff");
  const { sessions } = await shown(project);
  expect(payload).toMatchObject({
    hook_event_name: "handoff",
    handoff: { number: 1, trigger: "threshold", outcome: "from-facts", document_path: stored?.documentPath },
    session: { session_id: sessions[0].id, agent_name: "coder", working_directory: project.folder },
    context: { context_window: 200_000, model_name: "claude-sonnet-4-5" },
  });
});

it("a hook that says stop pauses the job, and whoever resumes it gets on", async () => {
  const project = await hookedProject({
    scenario: inSmallWindows(STEPS),
    agent,
    hooks: {
      on_context_threshold: [records("threshold", "echo stop")],
      after_run: [records("end", "", { on_events: ["paused", "completed"] })],
    },
  });
  const stopped = await baton(project, RUN);
  expect(stopped.code, stopped.stdout).toBe(3);
  expect(ofType(stopped.events, "job:paused")).toMatchObject([{ code: "hook" }]);
  const job = await shown(project);
  expect(job).toMatchObject({ status: "paused", error: "A hook of on_context_threshold stopped the job." });
  expect(await told(project, "end")).toMatchObject([{ event: "paused", result: { success: false } }]);

  const resumed = await baton(project, ["resume", job.id, "--json"]);
  expect(resumed.code, resumed.stdout).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(STEPS));
  expect(await told(project, "threshold")).toHaveLength(1);
  expect(ofType(resumed.events, "handoff:stored")).toMatchObject([{ source: "agent", outcome: "written" }]);
  expect((await told(project, "end"))[1]).toMatchObject({ event: "completed", job: { handoffs: 1 } });
});

/** What goes wrong in a hook, and what Baton says of it. */
const BAD_HOOKS: [behaviour: string, says: RegExp][] = [
  ["echo no >&2; exit 3", /exit code 3: no/],
  ["kill -9 $$", /killed by SIGKILL/],
  ["sleep 1234 & sleep 1234", /took longer than 3000 ms, and was ended with all that it had started/],
  [`echo '{"decision": "conti'`, /something that is not a decision/],
];

it("whatever a hook does wrong, Baton hands off itself and every step is done once", {
  timeout: 120_000,
}, async () => {
  needs("ps");
  const steps = 4 * BAD_HOOKS.length + 3;
  const cases = BAD_HOOKS.map(([behaviour], index) => `${index + 1}) ${behaviour} ;;`);
  const project = await hookedProject({
    scenario: steady({ steps, factor: 5, outputCharacters: 12_000, look: true }),
    agent: "session: { context_threshold: 70000, max_handoffs_per_job: 20 }",
    hooks: {
      on_context_threshold: [
        records(
          "threshold",
          // The last one prints megabytes and leaves a child, which is nothing to complain about.
          `case $(wc -l < "$SEEN/threshold") in\n${cases.join("\n")}\n*) yes | head -c 3000000; sleep 1234 & ;;\nesac`,
          { timeout: "3s" },
        ),
      ],
    },
  });
  const ran = await baton(project, RUN);
  expect(ran.code, ran.stdout.slice(-3000)).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(steps));
  const stored = ofType(ran.events, "handoff:stored");
  expect(stored.length).toBeGreaterThanOrEqual(BAD_HOOKS.length);
  const warnings = ofType(ran.events, "warning").map(({ message }) => message);
  for (const [index, [, says]] of BAD_HOOKS.entries()) {
    expect(warnings[index]).toMatch(/^Baton hands off itself: the hook "threshold" /);
    expect(warnings[index]).toMatch(says);
    expect(stored[index]).toMatchObject({ source: "agent", outcome: "written" });
  }
  const longest = Math.max(...ofType(ran.events, "hook").map(({ output }) => output.length));
  expect(longest).toBeLessThan(17_000);
  const { stdout } = await run("ps", ["-A", "-o", "args"]);
  expect(stdout.split("\n").filter((line) => line === "sleep 1234")).toEqual([]);
});

it("a handoff that a hook had made counts, also when the hook then fails", async () => {
  const hook = `baton internal handoff > "$SEEN/document" && exit 1`;
  const project = await hookedProject({
    scenario: inSmallWindows(STEPS),
    agent,
    hooks: {
      on_context_threshold: [records("threshold", hook)],
      on_handoff: [{ type: "shell", name: "again", command: "baton internal handoff" }],
    },
  });
  const ran = await baton(project, RUN);
  expect(ran.code, ran.stdout).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(STEPS));
  const [stored, ...more] = ofType(ran.events, "handoff:stored");
  expect([stored, more]).toMatchObject([{ source: "agent", outcome: "written" }, []]);
  const document = await readFile(stored?.documentPath ?? "", "utf8");
  expect((await readFile(join(project.seen, "document"), "utf8")).trimEnd()).toBe(document.trimEnd());
  const again = ofType(ran.events, "hook").find(({ name }) => name === "again");
  expect(again).toMatchObject({ ok: true, output: `${document}\n` });
  expect(firstMessages(project)[1]).toContain(document.trim());

  const byHand = await baton(project, ["internal", "handoff"]);
  expect(byHand.code).toBe(2);
  expect(byHand.stderr).toContain("By hand: `baton handoff <job>`");
});

it("Baton killed while a hook decides: the hook ends too, and a resume gets every step done once", async () => {
  const waits = firstThen(`echo waiting > "$SEEN/pipe"; sleep 1000`, "true");
  const project = await hookedProject({
    scenario: careful(STEPS),
    agent,
    hooks: { on_context_threshold: [records("threshold", waits, { timeout: "5m" })] },
  });
  const pipe = await pipeIn(project);
  const first = new Baton(project, RUN);
  await Promise.race([readFile(pipe), first.exit]);
  await first.kill();
  await agentsGone(first);
  const { id, status, handoffs } = await shown(project);
  expect({ status, handoffs }).toEqual({ status: "interrupted", handoffs: [] });

  const resumed = await baton(project, ["resume", id, "--json"]);
  expect(resumed.code, resumed.stdout).toBe(0);
  expect(await stepsDone(project)).toEqual(upTo(STEPS));
  expect(ofType(resumed.events, "session:starting")[0]?.mode).toBe("resumed");
  const [stored] = ofType(resumed.events, "handoff:stored");
  expect(stored).toMatchObject({ source: "hook" });
  expect(parseDocument(await readFile(stored?.documentPath ?? "", "utf8")).head.source).toBe("hook");
});
