import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Rule, Scenario } from "../src/simulator/scenario.ts";
import { jobsAsked } from "../src/store/requests.ts";
import { openStoreToRead } from "../src/store/store.ts";
import { bash } from "./careful.ts";
import { Baton, baton, ofType, type TestProject, testProject } from "./harness.ts";

const WAIT = "until [ -e go ]; do sleep 0.02; done; echo went";
const MESSAGE = "The shed is to be blue.";

/** Waits in a command, and is done once it has heard the message, whatever else it is told. `rules` come first. */
function waits(...rules: Rule[]): Scenario {
  return {
    name: "waits",
    summary: "Waits for a file, and is done when it has heard of the shed",
    rules,
    otherwise({ text, results }) {
      if (!results.some((result) => result.text.includes("went"))) return { call: bash(WAIT, "Wait") };
      return { say: text.includes(MESSAGE) ? "Blue it is." : "Done." };
    },
  };
}

const go = ({ folder }: TestProject) => writeFile(join(folder, "go"), "");

/** How often the model was told the message in the last of its conversations. */
function timesHeard({ simulator }: TestProject): number {
  const last = simulator.requests.findLast(({ request }) => request.kind === "main");
  return (last?.request.text.split(MESSAGE).length ?? 0) - 1;
}

/** `baton run`, in the middle of its command. */
async function running(project: TestProject): Promise<Baton> {
  const job = new Baton(project, ["run", "Wait.", "--json"]);
  await job.event(({ type }) => type === "tool:start");
  return job;
}

/** False once the process that runs the job has looked. */
async function isAskedFor({ folder }: TestProject, { events }: Baton): Promise<boolean> {
  await using store = await openStoreToRead(join(folder, ".baton", "baton.db"));
  return (await jobsAsked(store, [events[0]?.job ?? ""])).length > 0;
}

const heard = async () => {
  const project = await testProject({ scenario: waits() });
  const job = await running(project);
  const { stdout } = await baton(project, ["send", MESSAGE]);
  expect(stdout).toMatch(/^Message 1 waits for job-\S+\. Its agent gets it at its next boundary\./);
  await vi.waitFor(() => expect(isAskedFor(project, job)).resolves.toBe(false));
  await go(project);
  expect(await job.exit).toMatchObject({ code: 0 });
  expect(ofType(job.events, "job:completed")).toMatchObject([{ result: "Blue it is." }]);
  expect(ofType(job.events, "session:starting")).toHaveLength(1);
  expect(timesHeard(project)).toBe(1);
};

describe("what is sent to a job from elsewhere", () => {
  it("is heard once, in the same session, and the work continues", heard);

  it("is heard by Claude Code in the middle of its work", { tags: ["claude"] }, heard);

  it("is heard by Claude Code at each of the three moments, and is on record as delivered", {
    tags: ["claude"],
  }, async () => {
    const project = await testProject({ scenario: waits() });
    const job = await running(project);
    for (const at of ["end", "turn", "boundary"]) await baton(project, ["send", `At the ${at}.`, "--at", at]);
    await vi.waitFor(() => expect(isAskedFor(project, job)).resolves.toBe(false));
    await go(project);
    expect(await job.exit).toMatchObject({ code: 0 });
    expect(ofType(job.events, "message:sent").map(({ text, queued }) => [text, queued])).toEqual([
      ["Wait.", undefined],
      ["At the boundary.", 3],
      ["At the turn.", 2],
      ["At the end.", 1],
    ]);
    expect(ofType(job.events, "message:delivered").map(({ queued }) => queued)).toEqual([[3], [2], [1]]);
  });

  it("can be seen, and taken back, until it is heard", async () => {
    const project = await testProject({ scenario: waits() });
    const job = await running(project);
    expect((await baton(project, ["send", "One.", "--at", "turn", "--json"])).stdout).toMatch(
      /"id":1,"job":"job-\S+","text":"One\.","at":"turn"/,
    );
    expect((await baton(project, ["send", MESSAGE, "--at", "end"])).stdout).toContain("Message 2 waits");
    const shown = await baton(project, ["show"]);
    expect(shown.stdout).toMatch(
      /not heard yet\n1, when its turn is over: One\.\n2, when everything else is done: The shed/,
    );
    expect((await baton(project, ["status"])).stdout).toMatch(/UNHEARD[\s\S]* 2 /);
    expect(JSON.parse((await baton(project, ["show", "--json"])).stdout).messages).toMatchObject([
      { id: 1, at: "turn", text: "One." },
      { id: 2, at: "end", text: MESSAGE },
    ]);
    expect((await baton(project, ["send", "--remove", "1"])).stdout).toBe("Removed message 1: One.\n");
    expect((await baton(project, ["send", "--list"])).stdout).toMatch(
      /^job-\S+ {2}2, when everything else is done: The shed is to be blue\.\n$/,
    );
    expect((await baton(project, ["send", "--remove", "1"])).code).toBe(2);
    await go(project);
    await job.exit;
    expect(ofType(job.events, "message:sent").map(({ text }) => text)).toEqual(["Wait.", MESSAGE]);
    const { code, stderr } = await baton(project, ["send", job.events[0]?.job ?? "", "Too late."]);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("gets no more messages"),
    });
  });

  it("asks for the message where a job is all that was said, and for quotes around many words", async () => {
    const project = await testProject({ scenario: waits() });
    const job = await running(project);
    const id = job.events[0]?.job ?? "";
    const { code, stderr } = await baton(project, ["send", id]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("message is empty") });
    expect((await baton(project, ["send", id, "not", "in", "quotes"])).stderr).toContain('"not in quotes"');
    expect((await baton(project, ["send", "--list", "--json"])).stdout).toBe("[]\n");
    await job.kill();
  });
});

describe("what was sent to a job whose process is killed", () => {
  it("is heard once when the job is resumed, where it still waited", async () => {
    const project = await testProject({ scenario: waits() });
    const job = await running(project);
    await baton(project, ["send", MESSAGE]);
    await job.kill();
    await go(project);
    const { code, events } = await baton(project, ["resume", "--json"]);
    expect(code).toBe(0);
    expect(ofType(events, "message:sent").map(({ kind }) => kind)).toEqual(["resume", "said"]);
    expect(timesHeard(project)).toBe(1);
    expect((await baton(project, ["send", "--list"])).stdout).toBe("No messages are waiting.\n");
  });

  const killedWhileHearing = async () => {
    const stalls: Rule = {
      when: ({ kind, last }) => kind === "main" && last.includes(MESSAGE),
      reply: { say: "I think about it.", fault: { kind: "stall", at: "middle" } },
      times: 1,
    };
    const project = await testProject({ scenario: waits(stalls) });
    const job = new Baton(project, ["run", "Wait.", "--json"]);
    await job.event(({ type }) => type === "job:started");
    await baton(project, ["send", job.events[0]?.job ?? "", MESSAGE]);
    await go(project);
    await project.simulator.waitFor(({ reply }) => reply?.fault?.kind === "stall");
    await job.kill();
    const { code, events } = await baton(project, ["resume", "--json"]);
    expect(code).toBe(0);
    expect(ofType(events, "message:sent").map(({ kind }) => kind)).toEqual(["resume"]);
    expect(timesHeard(project)).toBe(1);
  };

  it("is not heard twice where the session had it", killedWhileHearing);

  it("is not heard twice where Claude Code had it", { tags: ["claude"] }, killedWhileHearing);
});
