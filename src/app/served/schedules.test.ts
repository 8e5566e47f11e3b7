import { expect, it, onTestFinished } from "vitest";
import { bareProject } from "../../../test/bare-project.ts";
import { findProject } from "../project.ts";
import { type ServedProject, ServedProjects } from "./projects.ts";
import { firesIn } from "./schedules.ts";

async function fired({ store }: ServedProject, ...dues: string[]): Promise<void> {
  for (const due of dues)
    await store.db
      .insertInto("fires")
      .values({
        ...{ agent: "coder", schedule: "nightly", first_due: due, due, at: due },
        ...{ count: 1, outcome: "skipped", reason: null, job: null },
      })
      .execute();
}

it("pages through the due times of several projects, the newest first, each once", async () => {
  const folders = [(await bareProject()).folder, (await bareProject()).folder];
  const served = await ServedProjects.open(folders.map((folder) => findProject({}, folder)));
  onTestFinished(() => served[Symbol.asyncDispose]());
  const [one, other] = served.all;
  if (!one || !other) throw new Error("no projects");
  const day = (number: number) => `2026-11-0${number}T03:00:00.000Z`;
  await fired(one, day(1), day(4), day(5));
  await fired(other, day(2), day(3), day(6));

  const seen: string[] = [];
  let before: string | undefined;
  for (let page = 0; page < 9; page++) {
    const { fires, next } = await firesIn(served.all, {}, { limit: 2, before });
    seen.push(...fires.map(({ due }) => due));
    // Whatever comes meanwhile is not among the older ones.
    if (page === 0) await fired(one, day(7));
    before = next;
    if (before === undefined) break;
  }
  expect(seen).toEqual([6, 5, 4, 3, 2, 1].map(day));
  await expect(firesIn(served.all, {}, { limit: 2, before: "nonsense" })).rejects.toThrow("`next`");
});
