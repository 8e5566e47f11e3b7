import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { baton, ofType, shown } from "./harness.ts";
import { obedient, told } from "./obedient.ts";
import { isThere, worktreeProject, worktreesIn } from "./worktree.ts";

/** In the agent's shell: waits until the job has a checkpoint of a tree with this file. */
const untilKept = (file: string) =>
  `until git for-each-ref --format='%(objectname)' refs/baton/$BATON_JOB_ID | xargs -n1 git ls-tree --name-only | grep -qx ${file}; do sleep 0.05; done`;

it("the tree is kept from time to time while the agent works, and only when it has changed", async () => {
  const project = await worktreeProject({ scenario: obedient(), workspace: "checkpoint_interval: 300ms" });
  const command = `echo 1 > one; ${untilKept("one")}; echo 2 > two; ${untilKept("two")}; sleep 1.5`;
  const { code, events } = await baton(project, ["run", "coder", told(command), "--json"]);
  expect(code).toBe(0);
  const made = ofType(events, "checkpoint").filter(({ reason }) => reason === "at work");
  // Before the agent's first change there may be one of the tree as it was given.
  expect(made.length).toBeGreaterThanOrEqual(2);
  expect(made.length).toBeLessThanOrEqual(3);
  expect(ofType(events, "warning")).toEqual([]);
  expect(new Set(made.map(({ commit }) => commit)).size).toBe(made.length);

  const { id } = await shown(project);
  expect(await worktreesIn(project)).toEqual([]);
  const listed = JSON.parse((await baton(project, ["checkpoints", id, "--json"])).stdout);
  const known = new Set(listed.map(({ ref }: { ref: string }) => ref));
  expect(made.every(({ ref }) => known.has(ref))).toBe(true);
  expect((await baton(project, ["checkpoints", id])).stdout).toContain("  at work  ");

  const withOne = made.at(-2)?.ref.split("/").at(-1) ?? "";
  const into = join(project.folder, "..", "restored");
  expect((await baton(project, ["restore", id, withOne, "--to", into])).code).toBe(0);
  expect(await readFile(join(into, "one"), "utf8")).toBe("1\n");
  expect(await isThere(join(into, "two"))).toBe(false);
});
