import { ownEnvironment } from "../../agents/own-environment.ts";
import type { Config } from "../../config/config.ts";
import { chosen, type ItemWait, whyNotRead } from "../../sources/choose.ts";
import type { Look } from "../../sources/claims/claims.ts";
import type { ApiBudget, Item } from "../../sources/source.ts";
import { fleetOf } from "../../store/fleet/fleets.ts";
import { lookIntoFleetState } from "../../store/sqlite/fleet-state.ts";
import type { Store } from "../../store/store.ts";
import { type WorkSourceRow, workSourceRows } from "../../store/work/sources.ts";
import { isTakenHere, listItems } from "../../store/work-items.ts";
import { messageOf } from "../../util/errors.ts";
import { fromJson } from "../../util/json.ts";
import { configOf, hasStore, lookIntoStore, openProjectStore, type Project } from "../project.ts";
import { passGate } from "../trust/gate.ts";
import { type Line, Lines } from "./lines.ts";
import { sourceName } from "./open.ts";
import { filterOf, type ShownItem, shownItem, type WorkFilter, type WorkSourceView } from "./view.ts";

/** All that a project could take from its trackers, and why it does not take the rest: as its fleet knows it, or else asked now. */
export async function workOf(project: Project): Promise<WorkSourceView[]> {
  const config = await configOf(project);
  if (config.workSources.length === 0 && !isSourceWithheld(config)) return [];
  for (const agent of config.agents) passGate(config, agent);
  return (await knownWork(project)) ?? (await askedNow(project));
}

/** What nobody has agreed to stands in no configuration yet. */
function isSourceWithheld({ acting }: Config): boolean {
  return acting.some(
    ({ key, shown, trust }) => trust.state !== "trusted" && `${key}\n${shown}`.includes("work_source"),
  );
}

/** All trackers of a project as they are configured, with what the fleet knows of them if one runs. Nobody is asked. */
export async function configuredWork(project: Project): Promise<WorkSourceView[]> {
  const known = (await knownWork(project)) ?? [];
  const names = new Set(known.map(({ source }) => source));
  const others = [...(await filtersOf(project))].filter(([source]) => !names.has(source));
  return [...known, ...others.map(([source, filters]) => ({ ...standing(source, filters), items: [] }))];
}

/** By the names of their sources. A configuration that cannot be read has none. */
async function filtersOf(project: Project): Promise<Map<string, WorkFilter[]>> {
  const config = await configOf(project).catch(() => undefined);
  const named = Map.groupBy(config?.workSources ?? [], ({ source }) => sourceName(source));
  return new Map([...named].map(([name, written]) => [name, written.map(filterOf)]));
}

const standing = (source: string, filters: WorkFilter[]) => ({
  source,
  agents: [...new Set(filters.map(({ agent }) => agent))],
  filters,
});

/** As the fleet that runs knows it. Undefined: none does, or it has not asked yet. */
async function knownWork(project: Project): Promise<WorkSourceView[] | undefined> {
  using state = lookIntoFleetState();
  if (!state || !fleetOf(state, project.root) || !hasStore(project)) return undefined;
  await using store = await lookIntoStore(project);
  const rows = await workSourceRows(store);
  if (rows.length === 0) return undefined;
  const filters = await filtersOf(project);
  return rows.map((row) => viewOf(row, filters.get(row.name) ?? []));
}

function viewOf(row: WorkSourceRow, filters: WorkFilter[]): WorkSourceView {
  const { name: source, polledAt, nextAt, budget, problem, problemSince, shown } = row;
  const items = fromJson(shown) as ShownItem[];
  return {
    ...standing(source, filters),
    ...(polledAt !== null && { polledAt }),
    ...(nextAt !== null && { nextAt }),
    ...(budget !== null && { budget: fromJson(budget) as ApiBudget }),
    ...(problem !== null && problemSince !== null && { problem: { why: problem, since: problemSince } }),
    items,
  };
}

async function askedNow(project: Project): Promise<WorkSourceView[]> {
  const config = await configOf(project);
  await using store = await openProjectStore(project);
  const { signal } = new AbortController();
  await using lines = new Lines({ store, env: ownEnvironment(), signal, now: () => new Date() });
  lines.turnTo(config);
  await Promise.all(lines.feeds.map((feed) => feed.poll(signal, () => new Date())));
  const views: WorkSourceView[] = [];
  const filters = await filtersOf(project);
  for (const [source, ofSource] of Map.groupBy(lines.all, ({ feed }) => feed.source.name)) {
    const [first] = ofSource;
    if (!first) continue;
    const { polledAt, budget, problem } = first.feed.state;
    const items = await Promise.all(ofSource.map((line) => itemsOf(line, lines, store, signal)));
    views.push({
      ...standing(source, filters.get(source) ?? []),
      ...(polledAt && { polledAt: polledAt.toISOString() }),
      ...(budget && { budget }),
      ...(problem && { problem: { why: problem.why, since: problem.since.toISOString() } }),
      items: items.flat(),
    });
  }
  return views;
}

/** Of so many the whole is read, which says whose words they hold. */
const MOST_READ = 10;

async function itemsOf(line: Line, lines: Lines, store: Store, signal: AbortSignal): Promise<ShownItem[]> {
  const { feed, config } = line;
  const rows = new Map((await listItems(store, { source: feed.source.name })).map((row) => [row.item, row]));
  const now = new Date();
  const isOurs = ({ id }: Item) => isTakenHere(rows.get(id));
  await lines.lookForLeft(line, isOurs, now).catch(() => {});
  const { take, wait } = chosen(feed.items ?? [], config, (item) => feed.known(item, rows.get(item.id), now));
  const claimed = await claimsOf(
    line,
    lines,
    take.map(({ id }) => id),
    signal,
  );
  const shown: ShownItem[] = [];
  for (const [index, item] of take.entries()) {
    let why = claimed.get(item.id);
    if (!why && index < MOST_READ) {
      const details = await feed.source.read(item.id, signal).catch(() => undefined);
      why = details && whyNotRead(details, config);
    }
    shown.push(shownItem(line, item, { why, job: rows.get(item.id)?.job }));
  }
  return [
    ...shown,
    ...wait.map(({ item, why }) => shownItem(line, item, { why, job: rows.get(item.id)?.job })),
  ];
}

/** Which of these somebody has, or had until it was delivered. */
export async function claimsOf(
  line: Line,
  lines: Lines,
  items: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, ItemWait>> {
  try {
    const found = await (await lines.claimsOf(line)).look(items, signal);
    return new Map([...found].flatMap(([item, look]) => waitOf(item, look)));
  } catch (error) {
    const why: ItemWait = { code: "held", text: `nobody can tell who has it: ${messageOf(error)}` };
    return new Map(items.map((item) => [item, why]));
  }
}

function waitOf(item: string, look: Look): [string, ItemWait][] {
  switch (look.kind) {
    case "free":
      return [];
    case "held":
      return [[item, { code: "held", text: `${look.by} has it` }]];
    case "done": {
      const text = `it was delivered before: baton work release ${item} has it worked on again`;
      return [[item, { code: "delivered", text }]];
    }
  }
}
