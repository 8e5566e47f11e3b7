import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Reply, Rule } from "../src/simulator/scenario.ts";
import { Baton, baton, ofType, shown, type TestProject, testProject } from "./harness.ts";
import { obedient, told } from "./obedient.ts";

const CANCELLED = 130;

async function configure({ folder }: TestProject, policy: string): Promise<void> {
  const path = join(folder, "baton.yaml");
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace(/on_folder_busy: \w+/, `on_folder_busy: ${policy}`));
}

it("two jobs in one folder: a warning, a refusal, or a queue that survives the death of the other", async () => {
  const never = Promise.withResolvers<Reply>();
  const hold: Rule = { when: ({ last }) => last.includes("HOLD"), reply: () => never.promise, times: 1 };
  const project = await testProject({
    scenario: obedient({ before: [hold] }),
    agent: "workspace: { on_folder_busy: warn }",
  });
  const first = new Baton(project, ["run", "coder", "HOLD", "--json"]);
  await project.simulator.waitFor(({ request }) => request.last.includes("HOLD"));
  const { id } = await shown(project);

  const warned = await baton(project, ["run", "coder", told("true"), "--json"]);
  expect(warned.code).toBe(0);
  expect(ofType(warned.events, "warning")).toMatchObject([
    { message: expect.stringContaining(`${id} works in`) },
  ]);

  await configure(project, "refuse");
  const refused = await baton(project, ["run", "coder", told("true"), "--json"]);
  expect(refused.code).toBe(CANCELLED);
  expect(ofType(refused.events, "job:cancelled")).toMatchObject([{ message: expect.stringContaining(id) }]);
  expect(ofType(refused.events, "session:starting")).toEqual([]);

  await configure(project, "queue");
  const queued = new Baton(project, ["run", "coder", told("echo 1 > one"), "--json"]);
  expect(await queued.event(({ type }) => type === "workspace:waiting")).toMatchObject({ behind: id });
  expect((await shown(project)).status).toBe("waiting");
  await first.kill();
  expect(await queued.exit).toMatchObject({ code: 0 });
  expect(await readFile(join(project.folder, "one"), "utf8")).toBe("1\n");
});
