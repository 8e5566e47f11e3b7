import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fleets, LEASE_MS, SOURCE, type TestFleet, type TestFleets } from "../../../test/claiming.ts";
import { git } from "../../../test/repository.ts";
import { findItem } from "../../store/work-items.ts";
import type { Claim, ClaimAnswer } from "./claim.ts";
import type { Claims } from "./claims.ts";
import { ClaimLostError, ClaimUnconfirmedError } from "./errors.ts";
import { claimRef } from "./ref-name.ts";
import type { Register } from "./register.ts";

let both: TestFleets;
let one: TestFleet;
let other: TestFleet;

beforeEach(async () => {
  both = await fleets(2);
  [one, other] = both.all as [TestFleet, TestFleet];
});

afterEach(() => both[Symbol.asyncDispose]());

const wanted = (item: string, job = "job-1") => ({ source: SOURCE, item, job, agent: "coder" });

async function claimed(claims: Claims, item: string, job?: string): Promise<Claim> {
  const answer = await claims.claim(wanted(item, job));
  if (answer.kind !== "claimed") throw new Error(`not claimed: ${JSON.stringify(answer)}`);
  return answer.claim;
}

const kinds = (answers: ClaimAnswer[]) => answers.map(({ kind }) => kind).sort();

describe("a claim", () => {
  it("is one job's, of all that want it at once in two fleets, and says whose", async () => {
    const [here, there] = [one.claims(), other.claims()];
    const answers = await Promise.all([
      ...[1, 2, 3].map((n) => here.claim(wanted("17", `job-here-${n}`))),
      ...[1, 2, 3].map((n) => there.claim(wanted("17", `job-there-${n}`))),
    ]);
    expect(kinds(answers)).toEqual(["claimed", "held", "held", "held", "held", "held"]);
    const winner = (await here.look(["17"])).get("17")?.record?.job;
    for (const answer of answers) if (answer.kind === "held") expect(answer.by).toContain(winner);
  });

  it("holds as long as it is renewed, and is somebody else's once it was not, by the server's clock", async () => {
    one.serverTime = new Date("2026-05-01T10:00:00Z");
    other.serverTime = one.serverTime;
    const claim = await claimed(one.claims(), "17");
    const there = other.claims();
    expect(await there.claim(wanted("17", "job-2"))).toMatchObject({
      kind: "held",
      by: "job-1 of another fleet",
      until: new Date("2026-05-01T10:10:01Z"),
    });
    await expect(claim.confirm()).resolves.toBeUndefined();
    other.clocks.pass(LEASE_MS);
    expect(await there.claim(wanted("17", "job-2"))).toMatchObject({ kind: "held" });
    other.serverTime = new Date("2026-05-01T10:11:30Z");
    expect(await there.claim(wanted("17", "job-2"))).toMatchObject({
      kind: "claimed",
      attempts: 1,
      claim: { epoch: 2 },
    });
    await expect(claim.confirm()).rejects.toThrow(/taken by job-2/);
    expect(claim.lost.aborted).toBe(true);
    await expect(claim.end("done")).rejects.toBeInstanceOf(ClaimLostError);
    expect((await there.look(["17"])).get("17")).toMatchObject({
      record: { job: "job-2", state: "claimed" },
    });
  });

  it.each([-3_600_000, 3_600_000])(
    "is not taken over because a machine's clock is off by %i ms, with the server's time or without",
    async (off) => {
      other.clocks.jump(off);
      const [known, unknown] = [await claimed(one.claims(), "1"), other.claims()];
      expect(await unknown.claim(wanted("1", "job-2"))).toMatchObject({ kind: "held" });
      one.serverTime = new Date("2026-05-01T10:00:00Z");
      other.serverTime = one.serverTime;
      await claimed(one.claims(), "2");
      expect(await unknown.claim(wanted("2", "job-2"))).toMatchObject({ kind: "held" });
      // Set while it waits.
      other.clocks.jump(-off);
      expect(await unknown.claim(wanted("1", "job-2"))).toMatchObject({ kind: "held" });
      expect(await unknown.claim(wanted("2", "job-2"))).toMatchObject({ kind: "held" });
      await expect(known.confirm()).resolves.toBeUndefined();
    },
  );

  it("is taken over without the server's time once it has stood there unchanged for its lease", async () => {
    const claim = await claimed(one.claims(), "17");
    const there = other.claims();
    expect((await there.look(["17"])).get("17")).toMatchObject({ kind: "held" });
    other.clocks.pass(LEASE_MS);
    one.clocks.pass(LEASE_MS / 2);
    await claim.confirm();
    other.clocks.pass(LEASE_MS);
    // It was renewed meanwhile.
    expect(await there.claim(wanted("17", "job-2"))).toMatchObject({ kind: "held" });
    other.clocks.pass(LEASE_MS * 1.2);
    expect(await there.claim(wanted("17", "job-2"))).toMatchObject({ kind: "claimed" });
  });

  it("ends as done, and nobody takes the item again until a person releases it", async () => {
    const [here, there] = [one.claims(), other.claims()];
    await (await claimed(here, "17")).end("done");
    for (const claims of [here, there])
      expect(await claims.claim(wanted("17", "job-2"))).toEqual({ kind: "done" });
    expect(await there.release("17")).toBe(true);
    expect(await here.claim(wanted("17", "job-3"))).toMatchObject({
      kind: "claimed",
      attempts: 0,
      claim: { epoch: 3 },
    });
  });

  it("counts what failed, whoever tries again, but not what was given up", async () => {
    const [here, there] = [one.claims(), other.claims()];
    await (await claimed(here, "17")).end("failed");
    const again = await there.claim(wanted("17", "job-2"));
    expect(again).toMatchObject({ kind: "claimed", attempts: 1 });
    if (again.kind === "claimed") await again.claim.end("released");
    expect(await here.claim(wanted("17", "job-3"))).toMatchObject({ attempts: 1, claim: { epoch: 3 } });
    expect(await findItem(one.store, { source: SOURCE, item: "17" })).toMatchObject({
      ...{ state: "claimed", epoch: 3, attempts: 1, job: "job-3" },
    });
  });

  it("is lost once a person releases it, puts something else in its place or takes it away", async () => {
    const here = one.claims();
    const claims = await Promise.all(["1", "2", "3"].map((item) => claimed(here, item, `job-${item}`)));
    expect(await other.claims().release("1")).toBe(true);
    const head = await git(both.remote, "rev-parse", "main");
    await git(both.remote, "update-ref", claimRef(SOURCE, "2"), head);
    await git(both.remote, "update-ref", "-d", claimRef(SOURCE, "3"));
    const said = await Promise.all(claims.map((claim) => claim.confirm().catch(String)));
    expect(said[0]).toContain("released by job-1");
    expect(said[1]).toContain("something else stands in its place");
    expect(said[2]).toContain("it was taken away");
    // What cannot be read belongs to somebody, until a person says otherwise.
    expect(await here.claim(wanted("2", "job-4"))).toMatchObject({ kind: "held" });
    expect(await here.release("2")).toBe(true);
    expect(
      kinds(await Promise.all(["1", "2", "3"].map((item) => here.claim(wanted(item, `job-5-${item}`))))),
    ).toEqual(["claimed", "claimed", "claimed"]);
  });

  it("is not confirmed by a remote that does not answer, and is lost when its lease has run out meanwhile", async () => {
    const register = one.register;
    let isGone = false;
    const line = new Proxy(register, {
      get: (target, name: keyof Register) =>
        typeof target[name] === "function"
          ? (...args: unknown[]) =>
              isGone
                ? Promise.reject(new Error("no line"))
                : Reflect.apply(target[name] as () => unknown, target, args)
          : target[name],
    });
    const claim = await claimed(one.claims({ register: line, leaseMs: 900 }), "17");
    isGone = true;
    await expect(claim.confirm()).rejects.toBeInstanceOf(ClaimUnconfirmedError);
    expect(claim.lost.aborted).toBe(false);
    one.clocks.pass(900);
    await new Promise((resolve) => claim.lost.addEventListener("abort", resolve));
    await expect(claim.confirm()).rejects.toThrow(/its lease may have run out/);
    expect(await one.claims({ register: line }).claim(wanted("18"))).toMatchObject({
      kind: "unreachable",
      why: "no line",
    });
    expect(await one.claims().claim(wanted("18"))).toMatchObject({ kind: "claimed" });
  });

  it("is renewed by itself, and after its machine has slept, if nobody has it by then", async () => {
    const claim = await claimed(one.claims({ leaseMs: 300 }), "17");
    const first = await both.standing("17");
    await expect.poll(() => both.standing("17"), { timeout: 30_000 }).not.toBe(first);
    one.clocks.jump(3_600_000);
    await expect(claim.confirm()).resolves.toBeUndefined();
    await claim.end("released");
    const last = await both.standing("17");
    expect(await git(both.remote, "log", "-1", "--format=%s", last)).toContain("is released by job-1");
  });

  it("is not believed where a remote said that it took it, and has it not", async () => {
    const register = one.register;
    const forgetful = Object.assign(Object.create(register), {
      place: register.place,
      read: register.read.bind(register),
      change: register.change.bind(register),
      take: async (...args: Parameters<Register["take"]>) => {
        const taken = await register.take(...args);
        await git(both.remote, "update-ref", "-d", claimRef(SOURCE, "17"));
        return taken;
      },
    });
    const claim = await claimed(one.claims({ register: forgetful }), "17");
    expect(await other.claims().claim(wanted("17", "job-2"))).toMatchObject({ kind: "claimed" });
    await expect(claim.confirm()).rejects.toThrow(/taken by job-2/);
  });

  it("says nothing of who signs in at the remote", async () => {
    await git(one.folder, "remote", "set-url", "origin", "http://baton:hunter2secret@127.0.0.1:9/app.git");
    const answer = await one.claims().claim(wanted("17"));
    expect(answer).toMatchObject({ kind: "unreachable", why: expect.stringContaining("127.0.0.1") });
    expect(JSON.stringify(answer)).not.toContain("hunter2secret");
  });
});
