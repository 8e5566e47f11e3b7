import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { JournalEvent } from "../src/job/events.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { lastDone, steady } from "../src/simulator/scenarios/steady.ts";
import type { Simulator } from "../src/simulator/server.ts";
import { bash, careful, onceAfter } from "./careful.ts";
import { CODEX_MODEL, codexEnvironment } from "./codex-home.ts";
import { GEMINI_MODEL, geminiEnvironment } from "./gemini-home.ts";
import {
  Baton,
  baton,
  git,
  inSmallWindows,
  ofType,
  type ProjectOptions,
  shown,
  smallWindows,
  stepsDone,
  testProject,
  upTo,
} from "./harness.ts";
import { needs, type Program } from "./needs.ts";
import { PATH_WITH_CLAUDE } from "./own-claude.ts";
import { PI_MODEL, piEnvironment } from "./pi-home.ts";

const RUN = ["run", "coder", "Write the files.", "--json"];
const FIRST = "claude-sonnet-4-5";
const OTHER = "claude-haiku-4-5";

/** The work, with a usage limit for the first agent's model after some steps. */
function limited(work: Scenario, { after = 2, seconds = 3_600 } = {}): Scenario {
  let resetsAt: number | undefined;
  return {
    ...work,
    rules: [
      {
        when: (request) =>
          request.kind === "main" &&
          request.model.startsWith(FIRST) &&
          lastDone(request) >= after &&
          (resetsAt === undefined || Date.now() < resetsAt * 1_000),
        reply() {
          resetsAt ??= Math.ceil(Date.now() / 1_000) + seconds;
          return { fault: { kind: "usage-limit", resetsAt } };
        },
      },
      {
        // Who stands in is so slow that a limit of seconds is over by then.
        when: (request) => request.kind === "main" && !request.model.startsWith(FIRST) && seconds < 10,
        times: 1,
        async reply(request) {
          await sleep(Math.max(0, (resetsAt ?? 0) * 1_000 + 200 - Date.now()));
          return typeof work.otherwise === "function" ? work.otherwise(request) : { say: "Done." };
        },
      },
      ...(work.rules ?? []),
    ],
  };
}

/** Each step is committed. */
function committing(steps: number): Scenario {
  const work = careful(steps);
  return {
    ...work,
    async otherwise(request) {
      const reply = typeof work.otherwise === "function" ? await work.otherwise(request) : {};
      const call = Array.isArray(reply.call) ? reply.call[0] : reply.call;
      const command = call?.input.command;
      if (typeof command !== "string" || !command.startsWith("n=")) return reply;
      const commit = 'git add . && git commit -qm "step $n" && echo "done:$n"';
      return {
        ...reply,
        call: { tool: "Bash", input: { ...call?.input, command: command.replace('echo "done:$n"', commit) } },
      };
    },
  };
}

/** A project with two agents, the second of which takes over from the first. */
function twoAgents(options: ProjectOptions & { other?: string[]; model?: string; session?: string }) {
  const { other = [], model = OTHER, session = "", ...rest } = options;
  return testProject({
    account: "plan",
    ...rest,
    agent: `session: { on_limit: switch, fallback: [cheap]${session} }`,
    others: [["name: cheap", `model: ${model}`, "permission_mode: bypassPermissions", ...other]],
  });
}

const switches = (events: JournalEvent[]) =>
  ofType(events, "agent:switched").map(({ from, to, reason }) => `${from} > ${to}: ${reason}`);

describe("a job whose agent meets a usage limit", () => {
  it("continues with the next agent and returns at a handoff after the reset, doing every step once", async () => {
    const project = await twoAgents({
      scenario: limited(inSmallWindows(9), { after: 2, seconds: 0 }),
      session: `, ${smallWindows}, retry_backoff: 100ms`,
      other: [`session: { ${smallWindows} }`],
    });
    const { code, events } = await baton(project, RUN);
    expect(code).toBe(0);
    expect(switches(events)).toEqual(["coder > cheap: usage_limit", "cheap > coder: reset"]);
    const { sessions, handoffs, runsOn, switches: switched } = await shown(project);
    expect(runsOn).toBe("coder");
    expect(switched).toMatchObject([
      { from: "coder", to: "cheap", reason: "usage_limit", until: expect.stringMatching(/^20\S+Z$/) },
      { from: "cheap", to: "coder", reason: "reset" },
    ]);
    expect(sessions.map(({ agent, model }: Record<string, string>) => [agent, model])).toEqual([
      ["coder", FIRST],
      ["cheap", OTHER],
      ["coder", FIRST],
    ]);
    expect(handoffs).toMatchObject([
      { trigger: "switch", outcome: "from-facts" },
      { trigger: "threshold", outcome: "written" },
    ]);
    expect(await stepsDone(project)).toEqual(upTo(9));
  });

  it("says in its document what happened, and keeps what is not committed as a checkpoint", async () => {
    const project = await twoAgents({ scenario: limited(steady({ steps: 4, look: true })) });
    await mkdir(join(project.folder, "src"), { recursive: true });
    await writeFile(join(project.folder, "src", "own.txt"), "mine\n");
    const { code, events } = await baton(project, RUN);
    expect(code).toBe(0);
    const ref = ofType(events, "checkpoint").at(-1)?.ref ?? "";
    expect(await git(project.folder, "show", `${ref}:src/own.txt`)).toBe("mine");
    const [{ documentPath }] = (await shown(project)).handoffs;
    const document = await readFile(documentPath, "utf8");
    expect(document).toContain("reason: switch");
    expect(document).not.toMatch(/\b(?:Bash|TodoWrite|MultiEdit|mcp__\w+|apply_patch)\b/);
    const [, taken] = project.simulator.requests.filter(
      ({ request }) => request.kind === "main" && request.turns === 0,
    );
    expect(taken?.request.text).not.toMatch(/\b(?:Bash|mcp__\w+|apply_patch)\b/);

    // Another job can begin from it, with the agent that is named.
    const again = await baton(project, ["continue", documentPath, "--agent", "cheap", "--yes", "--json"]);
    expect(again.code).toBe(0);
    expect(await shown(project)).toMatchObject({ agent: "cheap", runsOn: "cheap" });
  });

  it("shows who runs it in jobs, show and status", async () => {
    const project = await twoAgents({ scenario: limited(steady({ steps: 4, look: true })) });
    const run = await baton(project, RUN.slice(0, -1));
    expect(run.stdout).toContain("cheap takes over from coder");
    const { id } = await shown(project);
    expect((await baton(project, ["jobs"])).stdout).toContain("coder → cheap");
    const show = (await baton(project, ["show", id])).stdout;
    expect(show).toMatch(/runs on\s+cheap, at a usage limit/);
    expect(show).toMatch(
      /switched\s+20\d\d-\S+ \S+: coder → cheap, at a usage limit \(coder can work again from 20/,
    );
    expect(show).toMatch(new RegExp(`cheap, ${OTHER}`));
    const [listed] = JSON.parse((await baton(project, ["jobs", "--json"])).stdout);
    expect(listed).toMatchObject({ agent: "coder", runsOn: "cheap" });
  });

  const MOMENTS: [string, (event: JournalEvent) => boolean][] = [
    ["the switch is on record", ({ type }) => type === "agent:switched"],
    ["its handoff begins", ({ type }) => type === "context:handoff:start"],
    ["its document is stored", ({ type }) => type === "handoff:stored"],
    ["the other agent starts", (event) => event.type === "session:starting" && event.agent === "cheap"],
    ["the other agent works", (event) => event.type === "response" && event.model.startsWith(OTHER)],
  ];

  it("continues with the right agent after a kill at every moment", { tags: ["slow"] }, async () => {
    for (const [moment, matches] of MOMENTS) {
      const project = await twoAgents({ scenario: limited(careful(4)) });
      const killed = new Baton(project, RUN);
      await killed.event(matches);
      await killed.kill();
      const { code, events } = await baton(project, ["resume", (await shown(project)).id, "--json"]);
      expect(code, moment).toBe(0);
      expect(switches(events), moment).toEqual([]);
      expect(
        ofType(events, "session:starting").map(({ agent }) => agent),
        moment,
      ).toEqual(["cheap"]);
      expect(await stepsDone(project), moment).toEqual(upTo(4));
    }
  });

  it("is passed from Claude Code to the user's own claude and back", { tags: ["claude"] }, async () => {
    const project = await twoAgents({
      scenario: limited(inSmallWindows(8), { after: 2, seconds: 0 }),
      env: { PATH: PATH_WITH_CLAUDE },
      other: ["runtime: claude-cli", `session: { ${smallWindows} }`],
      session: `, ${smallWindows}, retry_backoff: 100ms`,
    });
    const { code, events } = await baton(project, RUN);
    expect(code).toBe(0);
    expect(switches(events)).toEqual(["coder > cheap: usage_limit", "cheap > coder: reset"]);
    const { sessions, handoffs } = await shown(project);
    const runtimes = sessions.map(({ runtime }: { runtime: string }) => runtime);
    expect(runtimes.slice(0, 3)).toEqual(["claude", "claude-cli", "claude"]);
    expect(handoffs.slice(0, 2)).toMatchObject([{ source: "facts" }, { source: "agent" }]);
    expect(await stepsDone(project)).toEqual(upTo(8));
  });
});

interface StandIn {
  name: string;
  program: Program;
  runtime: string;
  keys: string[];
  model: string;
  environment(simulator: Simulator, home: string): Record<string, string>;
}

const CODEX: StandIn = {
  name: "Codex",
  program: "codex",
  runtime: "codex",
  keys: ["runtime: codex", `session: { ${smallWindows} }`],
  model: CODEX_MODEL,
  environment: (simulator: Simulator, home: string) => codexEnvironment(simulator, join(home, "codex")),
};

const STANDING_IN: StandIn[] = [
  {
    name: "Gemini CLI, over ACP,",
    program: "gemini",
    runtime: "acp",
    keys: ["runtime: acp", "command: gemini", `session: { ${smallWindows} }`],
    model: GEMINI_MODEL,
    environment: geminiEnvironment,
  },
  {
    name: "pi",
    program: "pi",
    runtime: "pi",
    // Its own instructions are far shorter than those of the others.
    keys: ["runtime: pi", "session: { context_threshold: 30000 }"],
    model: PI_MODEL,
    environment: (simulator: Simulator, home: string) => piEnvironment(simulator, join(home, "pi")),
  },
];

/** A job whose limit is reached continues with another program and returns, with every commit of both. */
async function goesThereAndBack({ program, runtime, keys, model, environment }: StandIn): Promise<void> {
  needs(program);
  const project = await twoAgents({
    scenario: limited(committing(8), { after: 2, seconds: 0 }),
    model,
    other: [...keys],
    session: `, ${smallWindows}, retry_backoff: 100ms`,
  });
  Object.assign(project.env, environment(project.simulator, project.env.HOME ?? ""));
  await writeFile(join(project.folder, "CLAUDE.md"), "Use tabs.\n");
  const { code, events, stdout } = await baton(project, RUN);
  expect(code, stdout).toBe(0);
  expect(switches(events)).toEqual(["coder > cheap: usage_limit", "cheap > coder: reset"]);
  const { sessions, handoffs } = await shown(project);
  const runtimes = sessions.map(({ runtime }: { runtime: string }) => runtime);
  expect(runtimes.slice(0, 3)).toEqual(["claude", runtime, "claude"]);
  expect(handoffs.slice(0, 2)).toMatchObject([{ source: "facts" }, { source: "agent" }]);
  expect(await stepsDone(project)).toEqual(upTo(8));
  const subjects = (await git(project.folder, "log", "--reverse", "--format=%s")).split("\n");
  expect(subjects.slice(1)).toEqual(upTo(8).map((step) => `step ${step}`));
  // The document of who stood in still knows what the first one did.
  const document = await readFile(handoffs[1].documentPath, "utf8");
  for (const step of [1, 2]) expect(document).toContain(`step-${step}.txt`);
  const taken = project.simulator.requests.find(({ request }) => model.endsWith(request.model));
  const { system = "", text = "" } = taken?.request ?? {};
  expect(`${system}\n${text}`.split("Use tabs.")).toHaveLength(2);
}

it(
  "goes from Claude Code to Codex at a limit and back, with every commit of both",
  {
    tags: ["claude"],
  },
  () => goesThereAndBack(CODEX),
);

// Who they stand in for is a matter of the other programs.
it.for(STANDING_IN)(
  "goes to $name at a limit and back, with every commit of both",
  {
    tags: ["slow"],
  },
  goesThereAndBack,
);

it("continues in Codex after a kill while Codex works for Claude Code", { tags: ["claude"] }, async () => {
  needs("codex");
  const project = await twoAgents({
    scenario: limited(committing(5)),
    model: CODEX_MODEL,
    other: ["runtime: codex"],
  });
  Object.assign(project.env, codexEnvironment(project.simulator, join(project.env.HOME ?? "", "codex")));
  const killed = new Baton(project, RUN);
  await killed.event((event) => event.type === "tool:end" && event.output.includes("done:3"));
  await killed.kill();
  const { code, events } = await baton(project, ["resume", (await shown(project)).id, "--json"]);
  expect(code).toBe(0);
  expect(ofType(events, "session:starting")).toMatchObject([{ agent: "cheap", mode: "resumed" }]);
  expect(await stepsDone(project)).toEqual(upTo(5));
});

describe("a job that is handed to another agent by hand", () => {
  it("goes there at its next boundary, in the same folder, and the answer says so", async () => {
    const held = onceAfter(1, { call: bash("until [ -f go ]; do sleep 0.02; done", "Wait for a word") });
    const project = await twoAgents({ scenario: careful(3, held), account: "key" });
    const running = new Baton(project, RUN);
    const { job: id } = await running.event(
      (event) => event.type === "tool:start" && event.summary.includes("until"),
    );
    const asked = new Baton(project, ["handoff", id, "--to", "cheap"]);
    await running.event(({ type }) => type === "handoff:requested");
    await writeFile(join(project.folder, "go"), "");
    expect(await asked.exit).toMatchObject({ code: 0 });
    expect(asked.stdout).toContain("cheap has the job from here on.");
    expect((await running.exit).code).toBe(0);
    expect(switches(running.events)).toEqual(["coder > cheap: manual"]);
    expect((await shown(project)).handoffs).toMatchObject([{ trigger: "manual", source: "agent" }]);
    expect(await stepsDone(project)).toEqual(upTo(3));
  });

  it("is continued by it where nobody runs the job", async () => {
    const project = await twoAgents({ scenario: steady({ steps: 4, look: true }) });
    const running = new Baton(project, RUN);
    await running.event((event) => event.type === "tool:end");
    await running.kill();
    const { id } = await shown(project);
    const again = await baton(project, ["handoff", id, "--to", "coder"]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("is with coder already")]);
    const nobody = await baton(project, ["handoff", id, "--to", "chep"]);
    expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('did you mean "cheap"?')]);
    expect((await baton(project, ["handoff", id, "--to", "cheap"])).code).toBe(0);
    expect(await shown(project)).toMatchObject({ status: "interrupted", runsOn: "cheap" });
    const { code, events } = await baton(project, ["resume", id, "--json"]);
    expect(code).toBe(0);
    expect(ofType(events, "session:starting")).toMatchObject([{ agent: "cheap", mode: "continuation" }]);
    expect(await stepsDone(project)).toEqual(upTo(4));
  });

  it("is continued by pi from the document, and so is another job that begins from it", async () => {
    needs("pi");
    const project = await twoAgents({
      scenario: steady({ steps: 4, look: true }),
      model: PI_MODEL,
      other: ["runtime: pi"],
    });
    Object.assign(project.env, piEnvironment(project.simulator, join(project.env.HOME ?? "", "pi")));
    const running = new Baton(project, RUN);
    await running.event((event) => event.type === "tool:end");
    await running.kill();
    const { id } = await shown(project);
    expect((await baton(project, ["handoff", id, "--to", "cheap"])).code).toBe(0);
    expect((await baton(project, ["resume", id, "--json"])).code).toBe(0);
    const { sessions, handoffs, status } = await shown(project);
    expect(status).toBe("completed");
    expect(sessions).toMatchObject([{ runtime: "claude" }, { agent: "cheap", runtime: "pi" }]);
    expect(await stepsDone(project)).toEqual(upTo(4));
    const again = ["continue", handoffs[0].documentPath, "--agent", "cheap", "--yes", "--json"];
    expect((await baton(project, again)).code).toBe(0);
    expect(await shown(project)).toMatchObject({ agent: "cheap", sessions: [{ runtime: "pi" }] });
  });
});

describe("an agent that takes over", () => {
  it("is refused before anything starts where its program is not there", async () => {
    const project = await twoAgents({
      scenario: steady({ steps: 1 }),
      other: ["runtime: claude-cli"],
      env: { PATH: dirname(process.execPath) },
    });
    const { code, stderr } = await baton(project, RUN.slice(0, -1));
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /baton\.yaml:\d+:\d+ +The agent "cheap" could not take over\. Claude Code is not on your PATH/,
    );
    expect(stderr).toMatch(/\d+ \| +runtime: claude-cli[\s\S]*Install it with/);
    expect(project.simulator.requests).toEqual([]);
    expect(await readdir(project.folder)).not.toContain(".baton");
  });

  it("passes the gate of trust before anything starts, with all that its keys do", async () => {
    const project = await testProject({ scenario: steady({ steps: 1 }), trusted: "no" });
    await writeFile(
      join(project.folder, "baton.yaml"),
      "agents:\n  - name: coder\n    session: { on_limit: switch, fallback: [cheap] }\n  - name: cheap\n    permission_mode: bypassPermissions\n",
    );
    const { code, stderr } = await baton(project, RUN.slice(0, -1));
    expect(code).toBe(2);
    expect(stderr).toContain("baton.yaml:3  agents[coder].session.fallback");
    expect(stderr).toContain("baton trust");
    expect(project.simulator.requests).toEqual([]);
  });
});

describe("what is chosen for one job", () => {
  const others = (...keys: string[]) => [["name: cheap", "runtime: codex", ...keys]];

  it("is the model of the agent that is started, and of no other", async () => {
    const project = await twoAgents({ scenario: limited(steady({ steps: 4, look: true })) });
    const { code } = await baton(project, [...RUN, "--model", `${FIRST}-20250929`]);
    expect(code).toBe(0);
    const { sessions } = await shown(project);
    expect(sessions.map(({ model }: { model: string }) => model)).toEqual([`${FIRST}-20250929`, OTHER]);
  });

  it.each([
    [["--permission-mode", "auto"], 'The agent "cheap" cannot honour --permission-mode auto'],
    [["--max-cost", "5"], 'The agent "cheap" cannot honour --max-cost 5'],
  ])("is refused where who would take over cannot honour it: %s", async (flags, says) => {
    const agent = "session: { on_limit: switch, fallback: [cheap] }";
    const project = await testProject({ scenario: steady({ steps: 1 }), agent, others: others("model: x") });
    const { code, stderr } = await baton(project, [...RUN.slice(0, -1), ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
    expect(project.simulator.requests).toEqual([]);
  });

  it("does not concern agents that have no part in the job", async () => {
    const project = await testProject({ scenario: steady({ steps: 1 }), others: others("model: x") });
    const { code } = await baton(project, [...RUN, "--max-cost", "5"]);
    expect(code).toBe(0);
  });
});
