import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { Baton, baton, git, inSmallWindows, shown, smallWindows, testProject } from "./harness.ts";

it("a handoff keeps the whole folder, and restore brings it back as it was", async () => {
  const project = await testProject({
    scenario: inSmallWindows(6),
    agent: `session: { ${smallWindows} }`,
  });
  expect((await baton(project, ["run", "coder", "Write the files.", "--json"])).code).toBe(0);
  const job = await shown(project);
  const listed = JSON.parse((await baton(project, ["checkpoints", job.id, "--json"])).stdout);
  expect(listed.map(({ number }: { number: number }) => number)).toEqual(
    job.handoffs.map((_: unknown, index: number) => index + 1),
  );
  const document = await readFile(job.handoffs[0].documentPath, "utf8");
  expect(document).toContain(`checkpoint: refs/baton/${job.id}/1\n`);

  const into = join(project.folder, "..", "before");
  expect((await baton(project, ["restore", job.id, "1", "--to", into])).code).toBe(0);
  expect(await readFile(join(into, "step-1.txt"), "utf8")).toBe("step 1\n");
  await expect(readFile(join(into, "step-6.txt"))).rejects.toThrow("ENOENT");
  expect(await git(project.folder, "rev-list", "--count", "HEAD")).toBe("1");

  const again = await baton(project, ["restore", job.id, "1", "--to", into]);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("is not empty") });
});

it("a job that is cancelled leaves a checkpoint of what was not committed", async () => {
  const project = await testProject({ scenario: steady({ steps: 200 }) });
  const running = new Baton(project, ["run", "coder", "Write the files.", "--json"]);
  const { job } = await running.event(({ type }) => type === "tool:end");
  expect((await baton(project, ["cancel", job])).code).toBe(0);
  const { stdout } = await baton(project, ["checkpoints", job, "--json"]);
  const [{ commit, subject }] = JSON.parse(stdout);
  expect(subject).toBe(`${job}: cancelled`);
  expect(await git(project.folder, "show", `${commit}:step-1.txt`)).toBe("step 1");
});
