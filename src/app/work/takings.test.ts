import { expect, it } from "vitest";
import { type Candidate, Takings } from "./take.ts";

const candidate = { agent: "coder" } as Candidate;

it("needs a slot for an item until its job is seen in the queue", async () => {
  const takings = new Takings();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  takings.begin("17", candidate, promise);
  for (let round = 0; round < 5; round++) takings.nextRound();
  expect([...takings.all.keys()]).toEqual(["17"]);
  resolve(true);
  await takings.ended();
  // It may have come after the queue was read.
  takings.nextRound();
  expect(takings.all.size).toBe(1);
  takings.nextRound();
  expect(takings.all.size).toBe(0);
});

it("needs none for an item that could not be taken", async () => {
  const takings = new Takings();
  takings.begin("17", candidate, Promise.resolve(false));
  await takings.ended();
  expect(takings.all.size).toBe(0);
});
