import { setTimeout as sleep } from "node:timers/promises";
import { ownEnvironment } from "../../agents/own-environment.ts";
import type { Config } from "../../config/config.ts";
import { liveness } from "../../processes/owner.ts";
import type { ItemDetails, Source } from "../../sources/source.ts";
import { jobsWith } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { askToPoll } from "../../store/work/sources.ts";
import { findItem, isTaken, noteItem, updateClaim } from "../../store/work-items.ts";
import { given } from "../../util/given.ts";
import { cancelById } from "../jobs/cancel.ts";
import { configOf, openProjectStore, type Project } from "../project.ts";
import { passGate } from "../trust/gate.ts";
import { refuseInsideAgent } from "../trust/person.ts";
import { UsageError } from "../usage-error.ts";
import { type Line, Lines } from "./lines.ts";
import { claimsOf } from "./list.ts";
import { takeItem, whyNotNow } from "./take.ts";

/** Which item a person means. */
export interface NamedItem {
  id: string;
  /** Where several trackers, or several agents, could be meant. */
  source?: string;
  agent?: string;
}

/** What was done about an item, or would be. */
export interface ItemSteered {
  source: string;
  item: string;
  title: string;
  job?: string;
}

/** Has an agent work on an item now, whatever its labels say. It waits for a slot like any other job. */
export async function claimItem(
  project: Project,
  named: NamedItem,
  { dryRun = false, mostUsd }: { dryRun?: boolean; mostUsd?: number | undefined } = {},
): Promise<ItemSteered> {
  await refuseInsideAgent("claim an item");
  return withLine(project, named, async ({ line, lines, store, config, signal }) => {
    const { source } = line.feed;
    const item = await itemNamed(source, named, signal);
    const { id, title } = item;
    if (dryRun) {
      const held = (await claimsOf(line, lines, [id], signal)).get(id);
      const why = whyNotNow(item, line, { byPerson: true }) ?? held;
      if (why) throw new UsageError(`${id} of ${source.name} would not be taken: ${why.text}.`);
      return { source: source.name, item: id, title };
    }
    const configPath = config.path;
    const taking = { store, lines, configPath, byPerson: true, signal, now: new Date() } as const;
    const taken = await takeItem(line, { id, isReady: true }, { ...taking, ...given({ mostUsd }) });
    if ("why" in taken) throw new UsageError(`${id} of ${source.name} is not taken: ${taken.why.text}.`);
    // Whoever runs the job keeps the claim alive from now on.
    const row = await findItem(store, { source: source.name, item: id });
    if (row?.claim)
      await updateClaim(store, { source: source.name, item: id, claim: row.claim }, { owner: null });
    return { source: source.name, item: id, title, job: taken.job };
  });
}

const PATIENCE_MS = 30_000;
const POLL_MS = 200;

/** Gives an item back, whoever has it: a job of it here is cancelled, its claim and its attempts go, and it is ready again. */
export async function releaseItem(
  project: Project,
  named: NamedItem,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<ItemSteered> {
  await refuseInsideAgent("release an item");
  return withLine(project, named, async ({ line, lines, store, signal }) => {
    const { source } = line.feed;
    const item = await itemNamed(source, named, signal);
    const key = { source: source.name, item: item.id };
    const row = await findItem(store, key);
    const [job] = row?.job ? await jobsWith(store, [row.job]) : [];
    const isOpen = job && !["completed", "failed", "cancelled"].includes(job.status);
    const steered = { ...key, title: item.title, ...(isOpen && { job: job.id }) };
    if (dryRun) return steered;
    if (isOpen) await cancelById(store, job.id);
    await untilSettled(store, key);
    const claims = await lines.claimsOf(line);
    if (!(await claims.release(item.id, signal)))
      throw new UsageError(`${item.id} of ${source.name} is being changed by somebody else. Try it again.`);
    // A label that says too much has failed goes too.
    await source.markTaken(item, signal);
    await source.markReleased(item, { failed: false, ready: true }, signal);
    await noteItem(store, key, { mark: null, marked: null, ignoredAt: null });
    await askToPoll(store, source.name);
    return steered;
  });
}

/** A fleet that runs gives the claim up itself, and shows so. Where none does, nobody is waited for. */
async function untilSettled(store: Store, key: { source: string; item: string }): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const row = await findItem(store, key);
    if (!row || !isTaken(row) || row.owner === null || performance.now() > deadline) return;
    if (liveness(row.owner) !== "alive") return;
    await sleep(POLL_MS);
  }
}

/** Leaves an item alone from now on, or no longer. */
export async function ignoreItem(
  project: Project,
  named: NamedItem,
  { undo = false, dryRun = false }: { undo?: boolean; dryRun?: boolean } = {},
): Promise<ItemSteered> {
  await refuseInsideAgent("ignore an item");
  return withLine(project, named, async ({ line, store, signal }) => {
    const { source } = line.feed;
    const { id, title } = await itemNamed(source, named, signal);
    const key = { source: source.name, item: id };
    if (!dryRun) await noteItem(store, key, { ignoredAt: undo ? null : new Date() });
    return { ...key, title };
  });
}

/** Under the id that its tracker gives it, however it was written. */
async function itemNamed(source: Source, { id }: NamedItem, signal: AbortSignal): Promise<ItemDetails> {
  const item = await source.read(id, signal);
  if (!item) throw new UsageError(`${source.name} has no item ${id}.`);
  return item;
}

interface AtLine {
  line: Line;
  lines: Lines;
  store: Store;
  config: Config;
  signal: AbortSignal;
}

async function withLine<T>(project: Project, named: NamedItem, work: (at: AtLine) => Promise<T>): Promise<T> {
  const config = await configOf(project);
  for (const agent of config.agents) passGate(config, agent);
  await using store = await openProjectStore(project);
  const { signal } = new AbortController();
  await using lines = new Lines({ store, env: ownEnvironment(), signal, now: () => new Date() });
  lines.turnTo(config);
  return await work({ line: lineNamed(lines.all, named), lines, store, config, signal });
}

/** By its form alone. */
function couldHave({ config }: Line, id: string): boolean {
  if (config.type === "github") return /^\d+$/.test(id);
  return id.toLowerCase().startsWith(`${config.team}-`.toLowerCase());
}

function lineNamed(all: readonly Line[], { id, source, agent }: NamedItem): Line {
  if (all.length === 0)
    throw new UsageError(
      "No agent takes work from a tracker here. Add one to baton.yaml: work_source: { type: github, repo: owner/name }, or { type: linear, team: ENG }",
    );
  const named = all.filter(
    (line) =>
      (source === undefined || line.feed.source.name === source) &&
      (agent === undefined || line.agent.name === agent),
  );
  const likely = named.filter((line) => couldHave(line, id));
  const found = likely.length > 0 ? likely : named;
  const [line] = found;
  if (!line) {
    const names = [...new Set(all.map(({ feed, agent: { name } }) => `${name} from ${feed.source.name}`))];
    throw new UsageError(`No agent takes such items here. These do: ${names.join(", ")}.`);
  }
  if (new Set(found.map(({ feed }) => feed.source.name)).size > 1)
    throw new UsageError(
      `Several trackers could be meant: ${[...new Set(found.map(({ feed }) => feed.source.name))].join(", ")}. Name one with --source.`,
    );
  return line;
}
