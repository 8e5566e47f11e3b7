import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { restoreStore } from "../../test/earlier-store.ts";
import { thisProcess } from "../processes/owner.ts";
import { forgetJob } from "./forget.ts";
import { createJob } from "./jobs.ts";
import { openStore, type Store } from "./store.ts";
import { adoptClaim, findItem, listItems, noteItem, takeItem, updateClaim } from "./work-items.ts";

const now = new Date("2026-05-01T10:00:00Z");
const later = new Date("2026-05-01T10:10:00Z");
const here = thisProcess();
const dead = { ...here, boot: "an earlier boot" };
const elsewhere = { ...here, host: "elsewhere" };
const item = { source: "github:acme/app", item: "17" };

let folder: string;
let store: Store;

// A store of an earlier Baton, which knew no items.
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-items-"));
  restoreStore(join(folder, "baton.db"));
  store = await openStore(join(folder, "baton.db"));
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const taking = (claim: string, owner = here, job = `job-of-${claim}`) => ({
  ...{ claim, job, agent: "coder", owner, leaseUntil: later },
});

const jobOnRecord = (id: string) =>
  createJob(store, id, { type: "job:created", agent: "coder", prompt: "Go", agentConfig: {} }, now);

describe("an item of work", () => {
  it("is one claim's of a store, and of each source another", async () => {
    const answers = await Promise.all(
      ["a", "b", "c"].map((claim) => takeItem(store, item, taking(claim), now)),
    );
    expect(answers.filter((answer) => "taken" in answer)).toHaveLength(1);
    expect(await takeItem(store, { ...item, source: "linear:ENG" }, taking("d"), now)).toHaveProperty(
      "taken",
    );
    expect(await listItems(store, { source: item.source })).toMatchObject([
      { item: "17", state: "claiming" },
    ]);
    expect(await listItems(store)).toHaveLength(2);
  });

  it("is free at once when its process is dead, and after the lease when nobody can tell", async () => {
    await takeItem(store, item, taking("a", dead), now);
    expect(await takeItem(store, item, taking("b", elsewhere), now)).toMatchObject({ taken: { claim: "a" } });
    expect(await takeItem(store, item, taking("c"), now)).toMatchObject({ held: { job: "job-of-b" } });
    expect(await takeItem(store, item, taking("c"), later)).toMatchObject({ taken: { claim: "b" } });
    expect(await updateClaim(store, { ...item, claim: "b" }, { epoch: 9 })).toBe(false);
  });

  it("stays with a dead process's job, and with an end that others may not know of", async () => {
    await jobOnRecord("job-2026-01-01-abc123");
    await takeItem(store, item, taking("a", dead, "job-2026-01-01-abc123"), now);
    expect(await takeItem(store, item, taking("b"), now)).toHaveProperty("held");
    const other = { ...item, item: "18" };
    await takeItem(store, other, taking("c", dead), now);
    await updateClaim(store, { ...other, claim: "c" }, { state: "ending", ending: "done", owner: null });
    expect(await takeItem(store, other, taking("d"), later)).toMatchObject({ held: { ending: "done" } });
  });

  it("is adopted once", async () => {
    await takeItem(store, item, taking("a", dead), now);
    const [row] = await listItems(store, { job: "job-of-a" });
    if (!row) throw new Error("there is no such item");
    const adopt = () => adoptClaim(store, row, here, later, now);
    expect(await Promise.all([adopt(), adopt()])).toEqual([true, false]);
    expect(await adoptClaim(store, { ...row, owner: { ...elsewhere, since: "" } }, here, later, now)).toBe(
      false,
    );
  });

  it("keeps what was noted of it through claims, but not what it said once its job is forgotten", async () => {
    await noteItem(store, item, { seen: { title: "Crash" }, ignoredAt: now });
    await jobOnRecord("job-2026-01-01-abc123");
    await takeItem(store, item, taking("a", here, "job-2026-01-01-abc123"), now);
    await noteItem(store, item, { mark: "taken" });
    expect(await findItem(store, item)).toMatchObject({
      ...{ seen: { title: "Crash" }, ignoredAt: now.toISOString(), mark: "taken", marked: null },
    });
    await forgetJob(store, "job-2026-01-01-abc123");
    expect(await findItem(store, item)).toMatchObject({ job: null, seen: undefined, mark: "taken" });
    await noteItem(store, item, { ignoredAt: null });
    expect(await findItem(store, item)).toMatchObject({ ignoredAt: null });
  });
});
