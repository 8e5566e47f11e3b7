import { readFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { Rule, Scenario } from "../src/simulator/scenario.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { IMAGE, podmanSetting } from "./box-image.ts";
import { bash, RUN } from "./careful.ts";
import { CODEX_MODEL, codexEnvironment } from "./codex-home.ts";
import { GEMINI_MODEL, geminiEnvironment } from "./gemini-home.ts";
import {
  baton,
  ofType,
  shown,
  smallWindows,
  stepsDone,
  type TestProject,
  testProject,
  upTo,
} from "./harness.ts";
import { needs, PROGRAMS } from "./needs.ts";
import { PI_MODEL, piEnvironment } from "./pi-home.ts";

const SECRET = "sk-of-the-test";
const LOOKED = "look.txt";
/** All that could hold a key: variables, the folders of the programs, and what is mounted for Baton. */
const LOOK = [
  "env",
  "cat /proc/[0-9]*/environ",
  "cat $PI_CODING_AGENT_DIR/*",
  "cat $CODEX_HOME/*",
  "cat $CLAUDE_CONFIG_DIR/*",
  "cat ~/.gemini/*",
  "curl -s http://example.com/",
]
  .map((command) => `(${command}) >> ${LOOKED} 2>&1`)
  .join("; ");

const bwrap = { engine: "bwrap", docker: "engine: bwrap", env: () => ({}) } as const;
const podman = { engine: "podman", docker: `engine: podman, image: ${IMAGE}`, env: podmanSetting } as const;

/** Three windows of them, on a program that tells how full its window is. */
const THREE_WINDOWS = { steps: 12, windows: 3 };

const runtimes = [
  {
    ...podman,
    ...THREE_WINDOWS,
    name: "pi",
    agent: `runtime: pi\nmodel: ${PI_MODEL}`,
    outside: ({ simulator, env }: TestProject) => ({
      ...piEnvironment(simulator, join(env.HOME ?? "", "pi")),
      SIMULATED_API_KEY: SECRET,
    }),
  },
  {
    ...podman,
    ...{ steps: 9, windows: 3 },
    name: "claude-agent-acp",
    agent: "runtime: acp\ncommand: claude-agent-acp",
    outside: () => ({
      ANTHROPIC_API_KEY: SECRET,
      PATH: [PROGRAMS, dirname(process.execPath), process.env.PATH].join(delimiter),
    }),
  },
  {
    ...bwrap,
    ...THREE_WINDOWS,
    name: "codex-acp",
    agent: `runtime: acp\ncommand: codex-acp\nmodel: ${CODEX_MODEL}`,
    outside: ({ simulator, env }: TestProject) => ({
      ...codexEnvironment(simulator, join(env.HOME ?? "", "codex")),
      OPENAI_API_KEY: SECRET,
    }),
  },
  {
    ...bwrap,
    ...{ steps: 3, windows: 1 },
    name: "gemini",
    agent: `runtime: acp\ncommand: gemini\nmodel: ${GEMINI_MODEL}`,
    outside: ({ simulator, env }: TestProject) => ({
      ...geminiEnvironment(simulator, env.HOME ?? ""),
      GEMINI_API_KEY: SECRET,
    }),
  },
] as const;

/** Steps of a model that looks around first. */
function curious(steps: number): Scenario {
  const looks: Rule = {
    when: ({ kind }) => kind === "main",
    times: 1,
    reply: { say: "Let me see.", call: bash(LOOK, "Look") },
  };
  return { ...steady({ steps, factor: 6, outputCharacters: 8_000 }), rules: [looks] };
}

it.each(runtimes)(
  "a job of $windows windows on $name in $engine has no key and no network inside",
  { tags: ["claude"], timeout: 120_000 },
  async ({ name, steps, windows, engine, docker, env, agent, outside }) => {
    for (const program of [engine, "socat", name] as const) needs(program);
    const project = await testProject({
      scenario: curious(steps),
      agent: `${agent}\npermission_mode: bypassPermissions\ndocker: { enabled: true, ${docker} }\nsession: { ${smallWindows} }`,
      env: env(),
    });
    Object.assign(project.env, outside(project));
    const { code, events } = await baton(project, RUN);
    const seen = await readFile(join(project.folder, LOOKED), "utf8");
    expect(code).toBe(0);
    expect(seen).not.toContain(SECRET);
    expect(seen).toContain("Baton: example.com cannot be reached from this container");
    expect(ofType(events, "box:denied")).toMatchObject([{ host: "example.com" }]);
    expect(await stepsDone(project)).toEqual(upTo(steps));
    expect((await shown(project)).sessions).toHaveLength(windows);
  },
);
