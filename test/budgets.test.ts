import { appendFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { comesTo, jobsIn, queued } from "./fleet-jobs.ts";
import { Baton, baton, type TestProject, testProject } from "./harness.ts";
import { eventually } from "./panes.ts";
import { beginRepository } from "./repository.ts";

const PAUSED = 3;
const spending = (trusted?: "no") =>
  testProject({
    ...(trusted && { trusted }),
    scenario: steady({ steps: 5, factor: 10, outputCharacters: 4_000 }),
    env: { NO_COLOR: "1" },
  });
const budget = ({ folder }: TestProject, ...lines: string[]) =>
  appendFile(join(folder, "baton.yaml"), `budgets:\n${lines.map((line) => `  - ${line}\n`).join("")}`);
const raise = async ({ folder }: TestProject) => {
  const path = join(folder, "baton.yaml");
  await writeFile(path, (await readFile(path, "utf8")).replace("cost_usd: 0.1", "cost_usd: 20"));
};

describe("a budget", () => {
  it("pauses the job that uses it up, at the response that does, and the next one before it begins", async () => {
    const where = await spending();
    await budget(where, "{ scope: fleet, per: day, cost_usd: 0.1, then: pause, simulated: true }");
    expect((await baton(where, ["run", "Go"])).code).toBe(PAUSED);
    const [first] = await jobsIn(where);
    expect(first).toMatchObject({ status: "paused", pauseCode: "budget" });
    expect(first?.error).toMatch(/^The budget of the fleet, \$0\.10 a day, is used up: /);
    const { rows } = JSON.parse((await baton(where, ["cost", "--by", "day", "--json"])).stdout);
    const spent: number = rows[0].simulatedCostUsd;
    expect(spent).toBeGreaterThanOrEqual(0.1);
    const turns = first?.turns ?? 0;
    // Without its last response it was not used up.
    expect((spent * (turns - 1)) / turns).toBeLessThan(0.1);

    const shown = await baton(where, ["cost"]);
    expect(shown.stderr).toBe("");
    expect(shown.stdout).toMatch(
      /^Budget of the fleet: (an estimated )?\$0\.1\d of \$0\.10 today, used up until .* \(nothing starts or continues\)$/m,
    );
    const { budgets } = JSON.parse((await baton(where, ["cost", "--json"])).stdout);
    expect(budgets).toMatchObject([{ scope: "fleet", per: "day", action: "pause", usedUp: true }]);
    expect(budgets[0].spentUsd).toBeCloseTo(spent, 6);

    expect((await baton(where, ["run", "Go on"])).code).toBe(PAUSED);
    const [, second] = await jobsIn(where);
    expect(second).toMatchObject({ status: "paused", pauseCode: "budget", turns: 0, sessions: [] });

    await raise(where);
    expect((await baton(where, ["resume", first?.id ?? ""])).code).toBe(0);
  });

  it("does not count what the simulator answers, unless it says so", async () => {
    const where = await spending();
    await budget(where, "{ scope: agent, agent: coder, per: month, cost_usd: 0.1, then: pause }");
    expect((await baton(where, ["run", "Go"])).code).toBe(0);
  });

  it("keeps jobs in the queue with the reason, and lets them go when it is raised", async () => {
    const where = await spending();
    await budget(
      where,
      "{ scope: agent, agent: coder, per: week, cost_usd: 0.1, then: hold, simulated: true }",
    );
    expect((await baton(where, ["run", "Go"])).code).toBe(0);
    await queued(where, "Go on");
    const waiting = (await jobsIn(where)).at(-1)?.id ?? "";
    const fleet = new Baton(where, ["start"]);
    const reason = async () => {
      const { fleet: shown } = JSON.parse((await baton(where, ["status", "--json"])).stdout);
      return shown.queue[0]?.reason;
    };
    await eventually("the budget holds it", async () => (await reason())?.code === "budget");
    expect((await reason()).text).toMatch(/^the budget of coder is used up: .* of \$0\.10 this week, until /);
    expect((await baton(where, ["show", waiting])).stdout).toContain("the budget of coder is used up");
    await baton(where, ["stop"]);
    await fleet.exit;
    await raise(where);
    const next = new Baton(where, ["start"]);
    await comesTo(where, { completed: 2 });
    await baton(where, ["stop"]);
    await next.exit;
  });

  it("puts what it paused in the fleet back into the queue, which continues it by itself when it may", async () => {
    const where = await spending();
    await budget(where, "{ scope: fleet, per: day, cost_usd: 0.1, then: pause, simulated: true }");
    await queued(where, "Go");
    const fleet = new Baton(where, ["start"]);
    const [job] = await eventually("it waits for its budget", async () => {
      const { fleet: shown } = JSON.parse((await baton(where, ["status", "--json"])).stdout);
      return shown.queue[0]?.reason.code === "budget" ? await jobsIn(where) : undefined;
    });
    expect(job?.status).toBe("queued");
    const { stdout } = await baton(where, ["show", job?.id ?? "", "--why"]);
    expect(stdout).toContain("the budget of the fleet is used up");
    expect(stdout).toContain("it continues by itself when its budget starts over, or is raised");
    await raise(where);
    await baton(where, ["reload"]);
    await comesTo(where, { completed: 1 });
    expect((await jobsIn(where))[0]?.sessions).toHaveLength(1);
    await baton(where, ["stop"]);
    await fleet.exit;
  });

  it("of your own file is of all its projects together", async () => {
    const where = await spending();
    const folder = join(dirname(where.folder), "other");
    await mkdir(folder);
    await writeFile(
      join(folder, "baton.yaml"),
      "agents: [{ name: coder, permission_mode: bypassPermissions }]\n",
    );
    await beginRepository(folder);
    const config = join(where.env.HOME ?? "", ".config", "baton", "config.yaml");
    await mkdir(dirname(config), { recursive: true });
    await writeFile(
      config,
      `projects: [${where.folder}, ${folder}]\nbudgets: [{ scope: fleet, per: day, cost_usd: 0.1, simulated: true }]\n`,
    );
    const here = { ...where, env: { ...where.env, XDG_CONFIG_HOME: join(where.env.HOME ?? "", ".config") } };
    expect((await baton(here, ["run", "Go"])).code).toBe(PAUSED);
    const there = { ...here, folder };
    expect((await baton(there, ["run", "Go"])).code).toBe(PAUSED);
    const [job] = await jobsIn(there);
    expect(job).toMatchObject({ pauseCode: "budget", turns: 0 });
    expect(job?.error).toMatch(/^The budget of all projects, \$0\.10 a day, is used up: /);
    const { budgets } = JSON.parse((await baton(there, ["cost", "--json"])).stdout);
    expect(budgets).toMatchObject([{ scope: "fleet", projects: [where.folder, folder], usedUp: true }]);

    await rm(where.folder, { recursive: true });
    const { stdout } = await baton(there, ["cost"]);
    expect(stdout).toMatch(/Budget of all projects, \$0\.10 a day, cannot be read: nothing starts\./);
    const closed = await baton(there, ["run", "Go"]);
    expect(closed.code).not.toBe(0);
    expect(closed.stderr + closed.stdout).toContain("is not there, and your own file names it in projects");
  });

  it("is refused by its line where it could not hold", async () => {
    const where = await spending("no");
    await budget(
      where,
      "{ scope: agent, agent: codr, per: day, cost_usd: 5 }",
      "{ scope: fleet, per: day, cost_usd: 5 }",
    );
    const unknown = await baton(where, ["config", "check"]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toMatch(
      /baton\.yaml:\d+:\d+ {2}budgets\[0\]\.agent names "codr", and there is no such agent[\s\S]*did you mean "coder"\?/,
    );
    const wrong = await spending("no");
    await budget(
      wrong,
      "{ scope: fleet, per: day, cost_usd: 0 }",
      "{ scope: agent, per: day, cost_usd: 5 }",
      "{ scope: fleet, agent: coder, per: day, cost_usd: 5 }",
      "{ scope: fleet }",
      "{ scope: fleet, per: year, cost_usd: 5 }",
    );
    const { stderr } = await baton(wrong, ["config", "check"]);
    expect(stderr).toContain("budgets[0].cost_usd must be a number above 0, found 0");
    expect(stderr).toContain("budgets[1] is of one agent and names none");
    expect(stderr).toContain("budgets[2] is of all agents and names one");
    expect(stderr).toContain("budgets[3] has no per and no cost_usd");
    expect(stderr).toContain("budgets[4].per must be");
  });
});

it("starts nothing while the machine has less room than the floor, and says so on the row, until its file says otherwise", async () => {
  const where = await testProject({ scenario: steady({ steps: 1 }), env: { NO_COLOR: "1" } });
  const path = join(where.folder, "baton.yaml");
  const without = await readFile(path, "utf8");
  await writeFile(path, `${without}fleet: { min_free_disk: 900000g }\n`);
  await queued(where, "Go");
  const fleet = new Baton(where, ["start"]);
  const printed = () => fleet.stdout + fleet.stderr;
  const reason = async () =>
    JSON.parse((await baton(where, ["status", "--json"])).stdout).fleet.queue[0]?.reason;
  await eventually("the floor holds it", async () => (await reason())?.code === "disk");
  expect((await reason()).text).toMatch(/free, and fleet\.min_free_disk is /);
  await writeFile(path, "agents: no list\n");
  await eventually("the fleet says what is wrong", async () =>
    printed().includes("keeps the one that it read before"),
  );
  expect(fleet.child.exitCode).toBeNull();
  await writeFile(path, without);
  await eventually("the fleet has read it", async () => printed().includes("was read again"));
  await comesTo(where, { completed: 1 });
  await baton(where, ["stop"]);
  await fleet.exit;
});
