import { afterEach, beforeEach, expect, it } from "vitest";
import { fleets, SOURCE, type TestFleet, type TestFleets } from "../../../test/claiming.ts";
import { emptyJob } from "../../job/job.ts";
import { startTimeOf, thisProcess } from "../../processes/owner.ts";
import { ClaimKeptError } from "../../sources/claims/errors.ts";
import { findItem, updateClaim } from "../../store/work-items.ts";
import { claimFor } from "./held.ts";

let all: TestFleets;
let one: TestFleet;

beforeEach(async () => {
  all = await fleets(1);
  [one] = all.all as [TestFleet];
});

afterEach(() => all[Symbol.asyncDispose]());

const KEY = { source: SOURCE, item: "17" };
const { signal } = new AbortController();
const job = { ...emptyJob("job-1"), agent: "coder", workItem: { id: "17", source: SOURCE } };

/** As `baton work claim` has it, in a process of its own that is alive. */
async function claimedElsewhere(): Promise<string> {
  await one.job("job-1");
  const pid = process.ppid;
  const owner = { ...thisProcess(), pid, startTime: startTimeOf(pid) ?? "" };
  await one.claims({ owner }).claim({ ...KEY, job: "job-1", agent: "coder" });
  return (await findItem(one.store, KEY))?.claim ?? "";
}

it("waits for whoever claimed the item of a job to leave it to whoever runs that", async () => {
  const claim = await claimedElsewhere();
  const claims = one.claims();
  let asked = 0;
  const { promise: again, resolve } = Promise.withResolvers<void>();
  const watched = {
    resume: async (...args: Parameters<typeof claims.resume>) => {
      if (++asked === 2) resolve();
      return claims.resume(...args);
    },
    claim: claims.claim.bind(claims),
  };
  const held = claimFor(job, { claims: watched, store: one.store, source: SOURCE, signal });
  await again;
  await updateClaim(one.store, { ...KEY, claim }, { owner: null });
  expect(await held).toMatchObject({ item: "17", epoch: 1 });
});

it("says who keeps the item of a job, where that does not end", async () => {
  await claimedElsewhere();
  const held = claimFor(job, { claims: one.claims(), store: one.store, source: SOURCE, signal, tries: 2 });
  await expect(held).rejects.toThrow(ClaimKeptError);
});
