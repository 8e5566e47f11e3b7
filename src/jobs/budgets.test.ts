import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BudgetConfig } from "../config/config.ts";
import { usedUpInBrief } from "../job/budgets.ts";
import type { JobEvent } from "../job/events.ts";
import { thisProcess } from "../processes/owner.ts";
import { claimJob } from "../store/claims.ts";
import { saysFirst } from "../store/fleet/said.ts";
import { createJob } from "../store/jobs.ts";
import { openFleetState } from "../store/sqlite/fleet-state.ts";
import { openStore, type Store } from "../store/store.ts";
import { BudgetWatch, usedUpIn } from "./budgets.ts";
import { Journal } from "./journal.ts";

const NOW = new Date(2026, 10, 18, 12, 7);
const DAY: BudgetConfig = { per: "day", costUsd: 3, action: "pause", simulated: false };

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-budgets-"));
  store = await openStore(join(folder, "baton.db"));
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const starting: JobEvent = { type: "session:starting", session: "a", ordinal: 1, mode: "fresh" };
const response = (costUsd: number): JobEvent => ({
  type: "response",
  session: "a",
  model: "opus",
  costUsd,
  context: { tokens: 10, window: 100, percent: 10 },
});
const subagent: JobEvent = {
  type: "subagent:response",
  session: "a",
  subagent: "s",
  model: "haiku",
  costUsd: 1,
};

async function journalOf(id: string, agent = "coder", now = () => NOW): Promise<Journal> {
  await createJob(store, id, { type: "job:created", agent, prompt: "Go", agentConfig: {} }, NOW);
  const journal = new Journal(store, await claimJob(store, id, thisProcess(), NOW), now);
  journal.append(starting);
  return journal;
}

const watchOf = (journal: Journal, budget: BudgetConfig, now = () => NOW) => {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  return { warnings, watch: new BudgetWatch([budget], { journal, now, warn }) };
};

it("knows at once what the job spends, subagents included, and after a look what others do", async () => {
  await using journal = await journalOf("job-a");
  await using other = await journalOf("job-b", "reviewer");
  const { watch } = watchOf(journal, DAY);
  expect(await watch.look()).toBeUndefined();
  journal.append(response(1));
  expect(watch.usedUp()).toBeUndefined();
  journal.append(subagent);
  await other.record(response(0.5));
  expect(watch.usedUp()).toBeUndefined();
  expect(await watch.look()).toBeUndefined();
  journal.append(response(0.5));
  expect(watch.usedUp()).toContain("is used up: an estimated $3.00");
  expect(await watch.look()).toContain("is used up: an estimated $3.00");
  expect(await usedUpIn(store, [DAY], NOW)).toMatchObject({ spentUsd: 3 });
  expect(await usedUpIn(store, [{ ...DAY, agent: "reviewer" }], NOW)).toBeUndefined();
});

it("begins again with the next day", async () => {
  let now = NOW;
  await using journal = await journalOf("job-a");
  const { watch } = watchOf(journal, DAY, () => now);
  await watch.look();
  journal.append(response(4));
  expect(watch.usedUp()).toBeDefined();
  now = new Date(2026, 10, 19, 0, 0);
  expect(watch.usedUp()).toBeUndefined();
  expect(await watch.look()).toBeUndefined();
});

it("only warns, and once a day, where it is not to pause", async () => {
  let now = NOW;
  await using journal = await journalOf("job-a", "coder", () => now);
  const { watch, warnings } = watchOf(journal, { ...DAY, action: "hold" }, () => now);
  await watch.look();
  journal.append(response(4));
  expect(await watch.look()).toBeUndefined();
  journal.append(response(4));
  expect(await watch.look()).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining("is used up: an estimated $4.00")]);
  now = new Date(2026, 10, 19, 12, 0);
  journal.append(response(5));
  await watch.look();
  await watch.look();
  expect(warnings).toHaveLength(2);
  expect(await usedUpIn(store, [{ ...DAY, action: "warn" }], NOW)).toBeUndefined();
});

it("is closed where it cannot be read", async () => {
  await using journal = await journalOf("job-a");
  await journal.flush();
  await store.db.schema.dropTable("spend").execute();
  expect(await watchOf(journal, DAY).watch.look()).toContain("could not be read: no such table: spend");
  expect(await watchOf(journal, { ...DAY, action: "warn" }).watch.look()).toBeUndefined();
});

it("is said once by all processes of a user", () => {
  using state = openFleetState();
  const what = `something of ${folder}`;
  expect([saysFirst(state, what, NOW), saysFirst(state, what, NOW)]).toEqual([true, false]);
});

describe("a budget of the user's own file", () => {
  const roots = () => ["one", "two", "new"].map((name) => join(folder, name));
  const ofAll = (): BudgetConfig => ({ ...DAY, projects: roots() });

  beforeEach(async () => {
    for (const root of roots()) await mkdir(join(root, ".baton"), { recursive: true });
    await store.close();
    store = await openStore(join(folder, "one", ".baton", "baton.db"));
  });

  it("counts what was spent in all projects, also those that have had no job", async () => {
    await using here = store;
    await using journal = await journalOf("job-a");
    await journal.record(response(2));
    expect(await usedUpIn(here, [ofAll()], NOW)).toBeUndefined();
    store = await openStore(join(folder, "two", ".baton", "baton.db"));
    await using second = await journalOf("job-b");
    await second.record(response(1.5));
    const used = await usedUpIn(here, [ofAll()], NOW);
    expect(used).toMatchObject({ spentUsd: 3.5 });
    expect(used && usedUpInBrief(used)).toMatch(
      /^the budget of all projects is used up: an estimated \$3\.50/,
    );
    expect(await usedUpIn(here, [ofAll()], new Date(2026, 10, 19))).toBeUndefined();
  });

  it("lets nothing start where a project is not there to say what it spent", async () => {
    await rm(join(folder, "two"), { recursive: true });
    await expect(usedUpIn(store, [ofAll()], NOW)).rejects.toThrow(
      /two is not there, and your own file names it/,
    );
    await using journal = await journalOf("job-a");
    expect(await watchOf(journal, ofAll()).watch.look()).toContain("could not be read");
  });
});
