import { expect, it } from "vitest";
import { Limits } from "./rate.ts";

it("does what starts programs a few at once, and the rest in their turn", async () => {
  const limits = new Limits();
  const works = Array.from({ length: 6 }, () => Promise.withResolvers<number>());
  const begun: number[] = [];
  const done = works.map((work, at) =>
    limits.inTurn(() => {
      begun.push(at);
      return work.promise;
    }),
  );
  await Promise.resolve();
  expect(begun).toEqual([0, 1, 2, 3]);
  works[2]?.reject(new Error("no git"));
  await expect(done[2]).rejects.toThrow("no git");
  works[0]?.resolve(0);
  await done[0];
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
  for (const [at, work] of works.entries()) work.resolve(at);
  expect(await Promise.all(done.toSpliced(2, 1))).toEqual([0, 1, 3, 4, 5]);
  expect(await limits.inTurn(async () => "again")).toBe("again");
});
