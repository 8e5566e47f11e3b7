import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { bash } from "./careful.ts";
import { Baton, baton, inSmallWindows, ofType, placeOf, shown, smallWindows } from "./harness.ts";
import { hookedProject, hookRuns, pipeIn, RUN, records, told, withHooks } from "./hooked.ts";
import { agentsGone } from "./processes.ts";
import { worktreeProject } from "./worktree.ts";

const scenario = steady({ steps: 1 });
const hooks = {
  after_run: [
    records("all"),
    records("good", "", { when: "result.success" }),
    records("bad", "", { when: "!result.success" }),
    records("cancelled", "", { on_events: ["cancelled"] }),
  ],
  on_error: [records("error", "echo Told the team")],
};
const ALWAYS = "after_run all";

it("a completed job tells after_run in order, before it is on record as completed", async () => {
  const project = await hookedProject({ scenario, hooks });
  const ran = await baton(project, RUN);
  expect(ran.code, ran.stdout).toBe(0);
  expect(hookRuns(ran.events)).toEqual([ALWAYS, "after_run good"]);
  const last = ran.events.findLastIndex(({ type }) => type === "hook");
  expect(last).toBeLessThan(placeOf(ran.events, ({ type }) => type === "job:completed"));
  expect(ofType(ran.events, "hook")[0]).toMatchObject({
    event: "completed",
    kind: "shell",
    ok: true,
    exitCode: 0,
    output: "",
    durationMs: expect.any(Number),
  });
  expect(await told(project, "all")).toMatchObject([
    {
      hook_event_name: "completed",
      event: "completed",
      job: { id: ran.events[0]?.job, status: "completed", sessions: 1, handoffs: 0 },
      result: { success: true, output: "All 1 steps are done." },
    },
  ]);
});

it("a job that reaches its time limit is a timeout for hooks, and pauses", async () => {
  const project = await hookedProject({
    scenario: { ...scenario, steps: [{ call: bash("sleep 2", "Wait") }] },
    agent: "limits: { duration: 1s }",
    hooks,
  });
  const ran = await baton(project, RUN);
  expect(ran.code, ran.stdout).toBe(3);
  expect(hookRuns(ran.events)).toEqual([ALWAYS, "after_run bad", "on_error error"]);
  expect(ofType(ran.events, "hook").map(({ event }) => event)).toEqual(["timeout", "timeout", "timeout"]);
  expect(ofType(ran.events, "hook")[2]?.output).toBe("Told the team\n");
  expect(ofType(ran.events, "job:paused")).toMatchObject([{ code: "limit_reached" }]);
});

it("a job that pauses at another limit is paused for hooks, and no error", async () => {
  const project = await hookedProject({
    scenario: steady({ steps: 3 }),
    agent: "limits: { turns: 1 }",
    hooks,
  });
  const ran = await baton(project, RUN);
  expect(ran.code, ran.stdout).toBe(3);
  expect(hookRuns(ran.events)).toEqual([ALWAYS, "after_run bad"]);
  expect(await told(project, "all")).toMatchObject([
    { event: "paused", result: { success: false, error: expect.stringContaining("limits.turns") } },
  ]);
});

it("a job that may not hand off again says so as loudly as that it failed", async () => {
  const project = await hookedProject({
    scenario: inSmallWindows(5),
    agent: `session: { ${smallWindows}, max_handoffs_per_job: 0 }`,
    hooks: { on_error: [records("error")] },
    notify: { events: ["failure"], hooks: [records("notify")] },
  });
  const ran = await baton(project, RUN);
  expect(ran.code, ran.stdout).toBe(3);
  const paused = { event: "paused", result: { error: expect.stringContaining("max_handoffs_per_job: 20") } };
  expect(await told(project, "error")).toMatchObject([paused]);
  expect(await told(project, "notify")).toMatchObject([paused]);
  expect((await baton(project, ["jobs"])).stdout).toMatch(/paused, out of handoffs/);
});

it("a job that is cancelled tells after_run so, and still runs its hooks to their end", async () => {
  const waits = { call: bash("sleep 1000", "Wait") };
  const project = await hookedProject({ scenario: { ...scenario, otherwise: waits }, hooks });
  const running = new Baton(project, RUN);
  await running.event(({ type }) => type === "tool:start");
  running.child.kill("SIGINT");
  expect((await running.exit).code).toBe(130);
  expect(hookRuns(running.events)).toEqual([ALWAYS, "after_run bad", "after_run cancelled"]);
  expect(ofType(running.events, "hook").every(({ ok }) => ok)).toBe(true);
  expect(await told(project, "cancelled")).toMatchObject([
    { event: "cancelled", job: { status: "cancelled" } },
  ]);
});

it("Baton killed while the hooks are told of the end: they are told again by a resume", async () => {
  const waits = `if [ ! -e "$SEEN/asked" ]; then touch "$SEEN/asked"; echo > "$SEEN/pipe"; sleep 1000; fi`;
  const project = await hookedProject({
    scenario,
    hooks: { after_run: [records("end", waits, { timeout: "5m" })] },
  });
  const pipe = await pipeIn(project);
  const first = new Baton(project, RUN);
  await Promise.race([readFile(pipe), first.exit]);
  await first.kill();
  await agentsGone(first);
  const { id, status } = await shown(project);
  expect(status).toBe("interrupted");
  const asked = project.simulator.requests.length;
  const resumed = await baton(project, ["resume", id, "--json"]);
  expect(resumed.code, resumed.stdout).toBe(0);
  expect(project.simulator.requests).toHaveLength(asked);
  expect(await told(project, "end")).toMatchObject([{ event: "completed" }, { event: "completed" }]);
});

it("after a worktree is gone, hooks run in the repository and know the branch that was pushed", async () => {
  const where = `hooks: ${JSON.stringify({
    before_run: [records("before", `pwd > "$SEEN/before-pwd"`)],
    after_run: [records("end", `pwd > "$SEEN/end-pwd"; git rev-parse origin/agent/coder/LIN-7`)],
  })}`;
  const project = await withHooks(await worktreeProject({ scenario, agent: where }));
  const ran = await baton(project, [...RUN, "--work-item", "LIN-7", "--title", "It's $(touch x) `here`"]);
  expect(ran.code, ran.stdout).toBe(0);
  const { workspace } = await shown(project);
  expect((await readFile(join(project.seen, "before-pwd"), "utf8")).trim()).toBe(workspace.path);
  expect((await readFile(join(project.seen, "end-pwd"), "utf8")).trim()).toBe(project.folder);
  expect(await told(project, "end")).toMatchObject([
    {
      job: {
        branch: "agent/coder/LIN-7",
        work_item: { id: "LIN-7", title: "It's $(touch x) `here`" },
      },
    },
  ]);
});

it("a hook gets secrets by name only, and what it prints of them is not recorded", async () => {
  const secret = "not-a-real-deploy-token";
  const project = await hookedProject({
    scenario,
    env: { DEPLOY_TOKEN: secret, OTHER_TOKEN: "not-a-real-other-token" },
    hooks: {
      before_run: [
        {
          type: "shell",
          name: "look",
          command: `env > "$SEEN/env"; echo "got $DEPLOY_TOKEN"`,
          env: ["DEPLOY_TOKEN", "SEEN"],
        },
      ],
    },
    notify: {
      events: ["completion"],
      hooks: [{ type: "shell", name: "tell", command: "env", env: ["DEPLOY_TOKEN"] }],
    },
  });
  const ran = await baton(project, RUN);
  expect(ran.code, ran.stdout).toBe(0);
  const env = await readFile(join(project.seen, "env"), "utf8");
  expect(env).toContain(`DEPLOY_TOKEN=${secret}`);
  expect(env).not.toMatch(/OTHER_TOKEN|ANTHROPIC_API_KEY/);
  expect(env).toContain(`BATON_JOB_ID=${ran.events[0]?.job}`);
  const { stdout: log } = await baton(project, ["logs", ran.events[0]?.job ?? "", "--json"]);
  expect(hookRuns(JSON.parse(`[${log.trim().replaceAll("\n", ",")}]`))).toEqual([
    "before_run look",
    "notify tell",
  ]);
  expect(ofType(ran.events, "hook")[0]?.output).toBe("got [redacted: DEPLOY_TOKEN]\n");
  expect(log).not.toContain(secret);
});
