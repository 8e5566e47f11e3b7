import { expect, it } from "vitest";
import { ServiceClock } from "../../test/service-clock.ts";
import { backoffMs } from "./clock.ts";
import { NewestWins } from "./newest-wins.ts";
import { RateGates } from "./rate-gates.ts";

const RATE = { burst: 2, everyMs: 1_000 };
const { signal } = new AbortController();

/** Lets everything run that waits for nothing. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

it("lets a few through at once, and then one each time, in order", async () => {
  const clock = new ServiceClock();
  const gates = new RateGates(clock);
  const through: string[] = [];
  for (const name of ["a", "b", "c", "d"])
    void gates.pass("posts", RATE, signal).then(() => through.push(name));
  await settled();
  expect(through).toEqual(["a", "b"]);
  await clock.pass(999);
  expect(through).toEqual(["a", "b"]);
  await clock.pass(1);
  expect(through).toEqual(["a", "b", "c"]);
  await clock.pass(1_000);
  expect(through).toEqual(["a", "b", "c", "d"]);
});

it("says whether one more would wait", async () => {
  const clock = new ServiceClock();
  const gates = new RateGates(clock);
  expect(gates.isFree("streams", RATE)).toBe(true);
  const first = gates.pass("streams", RATE, signal);
  expect(gates.isFree("streams", RATE)).toBe(true);
  const second = gates.pass("streams", RATE, signal);
  expect(gates.isFree("streams", RATE)).toBe(false);
  await Promise.all([first, second]);
  expect(gates.isFree("streams", RATE)).toBe(false);
  await clock.pass(1_000);
  expect(gates.isFree("streams", RATE)).toBe(true);
  gates.hold("streams", RATE, 5_000);
  expect(gates.isFree("streams", RATE)).toBe(false);
});

it("grows no further than its burst while nobody comes", async () => {
  const clock = new ServiceClock();
  const gates = new RateGates(clock);
  await gates.pass("posts", RATE, signal);
  await clock.pass(3_600_000);
  const through: number[] = [];
  for (let n = 0; n < 5; n++) void gates.pass("posts", RATE, signal).then(() => through.push(n));
  await settled();
  expect(through).toEqual([0, 1]);
});

it("holds one gate, and keeps nobody waiting at another; who gives up lets the next one by", async () => {
  const clock = new ServiceClock();
  const gates = new RateGates(clock);
  gates.hold("posts", RATE, 10_000);
  const through: string[] = [];
  const leaving = new AbortController();
  const first = gates.pass("posts", RATE, leaving.signal);
  void gates.pass("posts", RATE, signal).then(() => through.push("posts"));
  void gates.pass("edits", RATE, signal).then(() => through.push("edits"));
  await settled();
  expect(through).toEqual(["edits"]);
  leaving.abort();
  await expect(first).rejects.toThrow();
  await clock.pass(10_000);
  expect(through).toEqual(["edits", "posts"]);
});

it("writes the newest state, one write at a time", async () => {
  const edits = new NewestWins<string>();
  const sent: string[] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const send = async (newest: () => string) => {
    await gates[sent.length]?.promise;
    sent.push(newest());
  };
  const all = ["1", "2", "3"].map((state) => edits.write("m1", state, send));
  const other = edits.write("m2", "other", async (newest) => void sent.push(newest()));
  await other;
  gates[0]?.resolve();
  gates[1]?.resolve();
  await Promise.all(all);
  await edits.write("m1", "4", send);
  expect(sent).toEqual(["other", "3", "4"]);
});

it("waits twice as long after each failure, to a minute, and never the same for two", () => {
  expect([0, 1, 2, 3, 4].map((failures) => backoffMs(failures, () => 1))).toEqual([
    0, 1_000, 2_000, 4_000, 8_000,
  ]);
  expect(backoffMs(100, () => 1)).toBe(60_000);
  expect(backoffMs(1, () => 0)).toBe(500);
});
