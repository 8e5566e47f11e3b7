import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { jobMark } from "../src/jobs/run/spec.ts";
import { markedProcesses } from "../src/processes/marks.ts";
import { thisProcess } from "../src/processes/owner.ts";
import { run } from "../src/processes/run.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { IMAGE, podmanSetting } from "./box-image.ts";
import { CODEX_MODEL, codexEnvironment } from "./codex-home.ts";
import {
  Baton,
  baton,
  inSmallWindows,
  ofType,
  shown,
  smallWindows,
  stepsDone,
  testProject,
  upTo,
} from "./harness.ts";
import { needs } from "./needs.ts";

const STEPS = 10;
const LOOKED = "look.txt";
const SECRET = "sk-of-the-test";
/** What an agent in a box tries that has been talked into it. */
const LOOK = [
  "env",
  "cat /proc/[0-9]*/environ",
  "curl -s http://example.com/",
  "echo 'touch /tmp/planted' > .git/hooks/post-checkout",
  "git config core.fsmonitor /bin/false",
  "rm -rf .git/hooks",
  "mv .git elsewhere",
  "ls .baton",
].map((command) => `(${command}) >> ${LOOKED} 2>&1`);

/** The job of many steps, which begins by trying all that. */
function curious(looks = LOOK): Scenario {
  const steps = inSmallWindows(STEPS);
  const call = {
    tool: "Bash",
    input: { command: `${looks.join("; ")}; echo tried`, description: "Look around" },
  };
  return {
    ...steps,
    rules: [{ when: ({ kind }) => kind === "main", times: 1, reply: { say: "Let me see.", call } }],
  };
}

const engines = [
  { engine: "bwrap", docker: "engine: bwrap", env: () => ({}) },
  {
    engine: "podman",
    docker: `engine: podman, image: ${IMAGE}, memory: 2g, pids_limit: 400`,
    env: podmanSetting,
  },
] as const;

it.each(engines)(
  "a job of three windows in $engine has no key and no network inside, and can be resumed outside",
  {
    tags: ["claude"],
  },
  async ({ engine, docker, env }) => {
    for (const program of [engine, "socat"] as const) needs(program);
    const project = await testProject({
      scenario: curious(),
      agent: `docker: { enabled: true, ${docker} }\nsession: { ${smallWindows} }`,
      env: env(),
    });
    const running = new Baton(project, ["run", "Write the files.", "--json"]);
    await running.event((event) => event.type === "session:starting" && event.ordinal === 3);
    await running.event(
      (event) => event.type === "tool:start" && ofType(running.events, "session:starting").length === 3,
    );
    const { id, container } = await shown(project);
    expect(container).toMatchObject({ engine, network: "api", deniedHosts: 1 });
    await running.kill();

    await vi.waitFor(async () => {
      expect(await markedProcesses(jobMark(id))).toEqual([]);
      if (engine !== "podman") return;
      expect(
        (
          await run("podman", ["ps", "--all", "--quiet", "--filter", `label=baton.job=${id}`], {
            env: project.env,
          })
        ).stdout,
      ).toBe("");
    }, 30_000);
    const seen = await readFile(join(project.folder, LOOKED), "utf8");
    expect(seen).not.toContain(project.env.ANTHROPIC_API_KEY);
    expect(seen).toContain("Baton: example.com cannot be reached from this container");
    expect(ofType(running.events, "box:denied")).toMatchObject([{ host: "example.com" }]);
    expect(existsSync(join(project.folder, ".git/hooks/post-checkout"))).toBe(false);
    expect(existsSync(join(project.folder, "elsewhere"))).toBe(false);
    expect(await readFile(join(project.folder, ".git/config"), "utf8")).not.toContain("fsmonitor");
    expect(seen).not.toContain("baton.db");

    const yaml = join(project.folder, "baton.yaml");
    await writeFile(yaml, (await readFile(yaml, "utf8")).replace("enabled: true", "enabled: false"));
    expect(await baton(project, ["resume", "--json"])).toMatchObject({ code: 0 });
    expect(await stepsDone(project)).toEqual(upTo(STEPS));
    const job = await shown(project);
    expect(job.status).toBe("completed");
    expect(job).not.toHaveProperty("container");
    expect(job.sessions.length).toBeGreaterThanOrEqual(3);
  },
);

/** How Codex is signed in outside: for a provider of the user's own, or with a key that it keeps. */
const signedIn = [
  { by: "a variable", signIn: async () => ({ OPENAI_API_KEY: SECRET }) },
  {
    by: "a key that it keeps",
    signIn: async (home: string) => {
      const config = join(home, "config.toml");
      const [, address = ""] = /base_url = (.*)/.exec(await readFile(config, "utf8")) ?? [];
      await writeFile(config, `openai_base_url = ${address}\nmodel_context_window = 200000\n`);
      await writeFile(join(home, "auth.json"), JSON.stringify({ OPENAI_API_KEY: SECRET }));
      return { OPENAI_API_KEY: "" };
    },
  },
];

it.each(signedIn)(
  "a job of Codex in bwrap, signed in by $by, has no key inside, and can be resumed outside",
  async ({ signIn }) => {
    for (const program of ["bwrap", "socat", "codex"] as const) needs(program);
    const project = await testProject({
      // It refuses to remove anything with force, and all that is asked for with it.
      scenario: curious([
        ...LOOK.filter((look) => !look.includes("rm -rf")),
        `(cat $CODEX_HOME/*) >> ${LOOKED} 2>&1`,
      ]),
      agent: `runtime: codex\nmodel: ${CODEX_MODEL}\ndocker: { enabled: true, engine: bwrap }\nsession: { ${smallWindows} }`,
    });
    const home = join(project.env.HOME ?? "", "codex");
    Object.assign(project.env, codexEnvironment(project.simulator, home), await signIn(home));
    const running = new Baton(project, ["run", "Write the files.", "--json"]);
    await running.event((event) => {
      const second = ofType(running.events, "session:starting")[1]?.session;
      return event.type === "tool:start" && event.session === second;
    });
    await running.kill();
    const seen = await readFile(join(project.folder, LOOKED), "utf8");
    expect(seen).toContain("model_context_window");
    expect(seen).not.toContain(SECRET);
    expect(seen).toContain("Baton: example.com cannot be reached from this container");
    expect(ofType(running.events, "box:denied")).toMatchObject([{ host: "example.com" }]);
    expect(ofType(running.events, "retry")).toEqual([]);
    expect(existsSync(join(project.folder, ".git/hooks/post-checkout"))).toBe(false);

    const yaml = join(project.folder, "baton.yaml");
    await writeFile(yaml, (await readFile(yaml, "utf8")).replace("enabled: true", "enabled: false"));
    const { code, events } = await baton(project, ["resume", "--json"]);
    expect(code).toBe(0);
    expect(ofType(events, "session:starting")[0]).toMatchObject({ mode: "resumed" });
    // The kill may have come between a step and the record of it.
    expect([...new Set(await stepsDone(project))]).toEqual(upTo(STEPS));
    expect(await shown(project)).toMatchObject({ status: "completed" });
  },
);

it("baton maintain removes the containers of an owner that is dead, and no others", {
  timeout: 60_000,
}, async () => {
  needs("podman");
  const project = await testProject({ scenario: inSmallWindows(1), env: podmanSetting() });
  const dead = { ...thisProcess(), pid: 2 ** 22 + 1 };
  const of = (owner: object) => [
    "--label",
    `baton.owner=${JSON.stringify(owner)}`,
    "--label",
    "baton.job=job-1",
  ];
  const labels = {
    left: of(dead),
    living: of(thisProcess()),
    elsewhere: of({ ...dead, host: "another" }),
    foreign: [],
  };
  for (const [name, given] of Object.entries(labels)) {
    const command = ["--entrypoint", "/bin/sleep", IMAGE, "600"];
    expect(
      await run(
        "podman",
        ["run", "--detach", "--name", name, "--label", "of=this-test", ...given, ...command],
        { env: project.env },
      ),
    ).toMatchObject({ ok: true });
  }
  onTestFinished(async () => {
    await run("podman", ["rm", "--force", "--time", "0", "--ignore", ...Object.keys(labels)], {
      env: project.env,
    });
  });
  const { stdout } = await baton(project, ["maintain", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ containers: [{ engine: "podman", job: "job-1" }] });
  const names = await run(
    "podman",
    ["ps", "--all", "--filter", "label=of=this-test", "--format", "{{.Names}}"],
    { env: project.env },
  );
  expect(names.stdout.trim().split("\n").sort()).toEqual(["elsewhere", "foreign", "living"]);
});
