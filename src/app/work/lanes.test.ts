import { expect, it } from "vitest";
import { Lanes } from "./lanes.ts";

/** Work that ends when it is told to. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let begun = 0;
  const work = () => {
    begun++;
    return promise;
  };
  return { work, resolve, reject, begun: () => begun };
}

it("does one thing at a time for each tracker, and nothing of one waits for another", async () => {
  const lanes = new Lanes();
  const [slow, quick] = [held(), held()];
  lanes.begin("slow", 1_000, slow.work);
  lanes.begin("slow", 1_000, slow.work);
  quick.resolve();
  lanes.begin("quick", 1_000, quick.work);
  await quick.work();
  await new Promise(setImmediate);
  lanes.begin("quick", 1_000, quick.work);
  expect([slow.begun(), quick.begun()]).toEqual([1, 3]);
  slow.resolve();
  await lanes.ended();
  lanes.begin("slow", 1_000, slow.work);
  expect(slow.begun()).toBe(2);
});

it("leaves one alone that failed, until it answers again", async () => {
  const lanes = new Lanes();
  let tries = 0;
  const fails = () => {
    tries++;
    return Promise.reject(new Error("no answer"));
  };
  const begin = async (firstRestMs: number) => {
    lanes.begin("silent", firstRestMs, fails);
    await lanes.ended();
  };
  await begin(0);
  await begin(0);
  await begin(60_000);
  await begin(60_000);
  expect(tries).toBe(3);
  lanes.wake("silent");
  await begin(60_000);
  expect(tries).toBe(4);
});
