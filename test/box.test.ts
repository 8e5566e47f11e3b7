import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { jobMark } from "../src/jobs/run/spec.ts";
import { markedProcesses } from "../src/processes/marks.ts";
import { run } from "../src/processes/run.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { IMAGE, podmanSetting } from "./box-image.ts";
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
function curious(): Scenario {
  const steps = inSmallWindows(STEPS);
  const call = {
    tool: "Bash",
    input: { command: `${LOOK.join("; ")}; echo tried`, description: "Look around" },
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
    const { id } = await shown(project);
    await running.kill();

    await vi.waitFor(async () => {
      expect(await markedProcesses(jobMark(id))).toEqual([]);
      if (engine !== "podman") return;
      expect((await run("podman", ["ps", "--all", "--quiet"], { env: project.env })).stdout).toBe("");
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
    expect(job.sessions.length).toBeGreaterThanOrEqual(3);
  },
);
