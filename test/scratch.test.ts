import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { baton, testProject } from "./harness.ts";
import { obedient, told } from "./obedient.ts";

/** The names that a process of Baton's gives to what it makes for itself. The one that made them is gone. */
function namesOfDead(temporary: string, handoffs: string): { folder: string; draft: string } {
  const scratch = JSON.stringify(join(import.meta.dirname, "..", "src", "files", "scratch.ts"));
  const code = `
    const { scratchFolder, draftOf } = await import(${scratch});
    const folder = scratchFolder("checkpoint", ${JSON.stringify(join(temporary, "baton"))});
    console.log(JSON.stringify({ folder, draft: draftOf(${JSON.stringify(`${handoffs}/`)}) }));`;
  const args = ["--input-type=module", "-e", code];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

it("removes what killed processes had made for themselves: by hand, and when the next job starts", async () => {
  const project = await testProject({ scenario: obedient() });
  const temporary = join(project.folder, "..", "tmp");
  const handoffs = join(project.folder, ".baton", "handoffs");
  await mkdir(temporary);
  project.env.TMPDIR = temporary;
  expect((await baton(project, ["run", "coder", told("true")])).code).toBe(0);
  await mkdir(handoffs, { recursive: true });

  const first = namesOfDead(temporary, handoffs);
  await writeFile(first.draft, "half");
  const wouldGo = await baton(project, ["maintain", "--dry-run", "--json"]);
  expect(JSON.parse(wouldGo.stdout).temporary).toEqual([first.folder, first.draft]);
  expect(existsSync(first.folder)).toBe(true);
  const went = await baton(project, ["maintain"]);
  expect(went.stdout).toContain(`${first.folder}: its process is gone`);
  expect([existsSync(first.folder), existsSync(first.draft)]).toEqual([false, false]);

  const second = namesOfDead(temporary, handoffs);
  await writeFile(second.draft, "half");
  expect((await baton(project, ["run", "coder", told("true")])).code).toBe(0);
  expect([existsSync(second.folder), existsSync(second.draft)]).toEqual([false, false]);
});
