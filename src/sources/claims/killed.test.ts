import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fleets, LEASE_MS, SOURCE, type TestFleet, type TestFleets } from "../../../test/claiming.ts";
import { findItem } from "../../store/work-items.ts";
import { ClaimKeptError } from "./errors.ts";
import type { Register } from "./register.ts";

let both: TestFleets;
let one: TestFleet;
let other: TestFleet;

beforeEach(async () => {
  both = await fleets(2);
  [one, other] = both.all as [TestFleet, TestFleet];
});

afterEach(() => both[Symbol.asyncDispose]());

const wanted = (job: string) => ({ source: SOURCE, item: "17", job, agent: "coder" });
const never = new Promise<never>(() => {});

/** The register of a process that is killed before or after a write, of which it never hears. */
function killedAt(fleet: TestFleet, step: "take" | "change", when: "before" | "after") {
  const { register } = fleet;
  const { promise: killed, resolve } = Promise.withResolvers<void>();
  const kill = async () => {
    await fleet.kill();
    resolve();
    return never;
  };
  const dying: Register = {
    place: register.place,
    read: (...args) => register.read(...args),
    readAll: (...args) => register.readAll(...args),
    remove: (...args) => register.remove(...args),
    take: async (...args) => {
      if (step === "take" && when === "before") return kill();
      const taken = await register.take(...args);
      return step === "take" ? kill() : taken;
    },
    change: async (...args) => {
      if (step === "change" && when === "before") return kill();
      const changed = await register.change(...args);
      return step === "change" ? kill() : changed;
    },
  };
  return { register: dying, killed };
}

/** Of the item, as anybody sees it. */
async function seen(by: TestFleet) {
  return (await by.claims().look(["17"])).get("17");
}

describe("a process that is killed", () => {
  it.each(["before", "after"] as const)(
    "%s its claim is entered leaves nothing claimed: the next process here claims it at once",
    async (when) => {
      const { register, killed } = killedAt(one, "take", when);
      void one.claims({ register }).claim(wanted("job-1"));
      await killed;
      expect(await seen(other)).toMatchObject({ kind: when === "before" ? "free" : "held" });
      const next = one.claims();
      expect(await next.claim(wanted("job-2"))).toMatchObject({
        ...{ kind: "claimed", attempts: 0, claim: { epoch: 2 } },
      });
    },
  );

  it.each(["before", "after"] as const)(
    "%s its claim is entered is cleared up by the next start, also for other fleets",
    async (when) => {
      const { register, killed } = killedAt(one, "take", when);
      void one.claims({ register }).claim(wanted("job-1"));
      await killed;
      expect(await one.claims().recover()).toEqual([]);
      expect(await other.claims().claim(wanted("job-2"))).toMatchObject({ kind: "claimed", attempts: 0 });
      expect(await findItem(one.store, { source: SOURCE, item: "17" })).toMatchObject({ owner: null });
    },
  );

  it("with a job leaves it its claim: nobody else has it, and the job continues under the same epoch", async () => {
    const answer = await one.claims().claim(wanted("job-1"));
    await one.job("job-1");
    await one.kill();
    const next = one.claims();
    expect(await next.claim(wanted("job-2"))).toMatchObject({ kind: "held", by: "job-1" });
    expect(await other.claims().claim(wanted("job-3"))).toMatchObject({ kind: "held" });
    expect(await next.recover()).toEqual([{ item: "17", job: "job-1" }]);
    const claim = await next.resume("job-1");
    expect(claim?.epoch).toBe(1);
    await claim?.confirm();
    expect(await next.resume("job-1")).toBe(claim);
    await claim?.end("done");
    expect(await other.claims().claim(wanted("job-4"))).toEqual({ kind: "done" });
    // What the killed one had in its hands is worth nothing any more.
    if (answer.kind === "claimed") await expect(answer.claim.confirm()).rejects.toThrow(/lost/);
  });

  it("and overtaken before it is started again has lost its claim, and so has its job", async () => {
    await one.claims().claim(wanted("job-1"));
    await one.job("job-1");
    await one.kill();
    const there = other.claims();
    await there.look(["17"]);
    other.clocks.pass(LEASE_MS * 1.2);
    expect(await there.claim(wanted("job-2"))).toMatchObject({ kind: "claimed", attempts: 1 });
    const next = one.claims();
    expect(await next.recover()).toEqual([{ item: "17", job: "job-1" }]);
    expect(await next.resume("job-1")).toBeUndefined();
    expect(await next.recover()).toEqual([]);
    expect(await seen(one)).toMatchObject({ kind: "held", record: { job: "job-2", epoch: 2 } });
  });

  it.each(["before", "after"] as const)(
    "%s its renewal has arrived is followed by one that knows it again",
    async (when) => {
      const { register, killed } = killedAt(one, "change", when);
      const answer = await one.claims({ register }).claim(wanted("job-1"));
      await one.job("job-1");
      one.clocks.pass(LEASE_MS / 2);
      if (answer.kind === "claimed") void answer.claim.confirm();
      await killed;
      const claim = await one.claims().resume("job-1");
      expect(claim?.epoch).toBe(1);
    },
  );

  it.each([
    ...(["done", "released", "failed"] as const).flatMap((how) =>
      (["before", "after"] as const).map((when) => ({ how, when })),
    ),
  ])("$when it has written that its item is $how is followed by one that has", async ({ how, when }) => {
    const { register, killed } = killedAt(one, "change", when);
    const answer = await one.claims({ register }).claim(wanted("job-1"));
    await one.job("job-1");
    if (answer.kind === "claimed") void answer.claim.end(how);
    await killed;
    const next = one.claims();
    // Not before it is known for all how it ended.
    expect(await next.claim(wanted("job-2"))).toMatchObject({ kind: "held" });
    expect(await next.resume("job-1")).toBeUndefined();
    expect(await next.recover()).toEqual([]);
    expect(await findItem(one.store, { source: SOURCE, item: "17" })).toMatchObject({
      state: how,
      owner: null,
    });
    expect(await seen(other)).toMatchObject({ record: { state: how, attempts: how === "failed" ? 1 : 0 } });
    const kind = how === "done" ? "done" : "claimed";
    expect(await other.claims().claim(wanted("job-3"))).toMatchObject({ kind });
  });

  it("is not one that lives: what it has in hand is left alone by its other sources and agents", async () => {
    const { register } = one;
    const { promise: isSent, resolve: sent } = Promise.withResolvers<void>();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const slow: Register = Object.assign(Object.create(register), {
      read: (...args: Parameters<Register["read"]>) => register.read(...args),
      take: async (...args: Parameters<Register["take"]>) => {
        const taken = await register.take(...args);
        sent();
        await answered;
        return taken;
      },
    });
    const claiming = one.claims({ register: slow }).claim(wanted("job-1"));
    await isSent;
    const beside = one.claims({ register: other.register });
    expect(await beside.recover()).toEqual([]);
    answer();
    const claimed = await claiming;
    await one.job("job-1");
    expect(await beside.recover()).toEqual([]);
    await expect(beside.resume("job-1")).rejects.toBeInstanceOf(ClaimKeptError);
    if (claimed.kind === "claimed") await claimed.claim.confirm();
    expect(claimed.kind).toBe("claimed");
  });

  it("on another machine of the same store is waited for until its lease is over", async () => {
    const elsewhere = { host: "elsewhere", pidNamespace: "1", boot: "b", pid: 7, startTime: "1" };
    await one.claims({ owner: elsewhere }).claim(wanted("job-1"));
    await one.job("job-1");
    const here = one.claims();
    expect(await here.claim(wanted("job-2"))).toMatchObject({ kind: "held", by: "job-1" });
    await expect(here.resume("job-1")).rejects.toBeInstanceOf(ClaimKeptError);
    expect(await here.recover()).toEqual([]);
    one.clocks.pass(LEASE_MS * 2);
    expect(await here.resume("job-1")).toMatchObject({ epoch: 1 });
  });
});
