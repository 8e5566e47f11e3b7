import { realpathSync } from "node:fs";
import { given } from "../../util/given.ts";
import type { BoxPlaces } from "../box-config.ts";
import { budgetsOf, resolveBudgets, wrongBudgets } from "../budgets.ts";
import { type Chosen, withChosen } from "../chosen.ts";
import type { BudgetConfig, Config, WrittenPath } from "../config.ts";
import { ConfigError, type Place, type Problem } from "../error.ts";
import { type AgentLayer, agent } from "../keys/agent.ts";
import { budgets, budgetsOfAll } from "../keys/budgets.ts";
import { fleet, projects } from "../keys/fleet.ts";
import { maintenance } from "../keys/maintenance.ts";
import { maximums } from "../keys/maximums.ts";
import { watch } from "../keys/watch.ts";
import { web, webhooks } from "../keys/web.ts";
import { entryOf, type Reader, type Report } from "../reader/reader.ts";
import { unhonoured } from "../runtimes/refuse.ts";
import { withoutThemselves, wrongStandIns } from "../stand-ins.ts";
import { placeOf } from "../yaml/source.ts";
import type { Located } from "../yaml/tree.ts";
import { withinMaximums } from "./maximums.ts";
import type { Written } from "./read-sources.ts";
import {
  resolveAgent,
  resolveFleet,
  resolveMaintenance,
  resolveWatch,
  resolveWeb,
  resolveWebhooks,
} from "./resolve.ts";
import { claimedApart, workSourcesIn } from "./work-sources.ts";
import { wrongChats } from "./wrong-chats.ts";
import { wrongSchedules } from "./wrong-schedules.ts";

/** The configuration that the files, laid over one another, say. `chosen`: by the user, for the job at hand. */
export function configFrom(written: Written, chosen?: Chosen): Config {
  const { path, root, home } = written;
  const folders = written.projects ? readLayers(projects, written.projects).map(({ path }) => path) : [];
  const ofAll = budgetsOver(folders, root, written.budgetsOfAll);
  const config: Config = {
    ...(path !== undefined && { path }),
    root,
    agents: [],
    maintenance: resolveMaintenance(readLayers(maintenance, written.maintenance)),
    watch: resolveWatch(readLayers(watch, written.watch)),
    fleet: resolveFleet(readLayers(fleet, written.fleet), readLayers(fleet, written.fleetOfAll)),
    web: resolveWeb(readLayers(web, written.web)),
    webhooks: resolveWebhooks(readLayers(webhooks, written.webhooks)),
    projects: folders,
    budgets: [...(written.budgets ? resolveBudgets(readLayers(budgets, written.budgets)) : []), ...ofAll],
    workSources: [],
    paths: [],
    acting: written.acting,
    ownTexts: written.ownTexts,
    ...(chosen && { chosen }),
  };
  const most = readLayers(maximums, written.maximums);
  const problems: Problem[] = [];
  const takesCalls = config.webhooks.enabled || isWithheld(written, "webhooks");
  const configured: Record<string, string | undefined> = {};
  for (const { name, value } of written.agents) {
    const own = readLayers(agent, value);
    const layer = withChosen(own, chosen);
    const resolved = withinMaximums(resolveAgent(name, layer, { root, home }), most);
    const boxPlaces = resolved.box && placesOfBox(value);
    const fromEnvironment = textsFromEnvironment(agent, value);
    const itsBudgets = { budgets: budgetsOf(name, config.budgets) };
    const places = given({ boxPlaces, programPlace: placeOfProgram(value) });
    config.agents.push({ ...resolved, ...itsBudgets, ...places, fromEnvironment });
    if (chosen?.model !== undefined) configured[name] = own.model;
    config.paths.push(...pathsIn(name, layer));
    const work = workSourcesIn(resolved, layer, { written: value, file: path ?? root });
    config.workSources.push(...work.sources);
    problems.push(...work.problems);
    const withheld = {
      isChatWithheld: !resolved.chat && isWithheld(written, ".chat"),
      isPromptWithheld: isWithheld(written, ".default_prompt"),
    };
    problems.push(
      ...wrongSchedules(resolved, layer, { written: value, file: path ?? root, takesCalls, ...withheld }),
    );
    problems.push(
      ...unhonoured({
        name,
        runtime: resolved.runtime,
        // What was chosen for one job is no matter of all other agents: `refuseUnhonoured` looks at it.
        layer: { ...own, ...given({ denied_tools: own.denied_tools ?? most.denied_tools }) },
        written: [value, written.maximums],
        file: path ?? root,
        isCommandWithheld: isWithheld(written, ".command"),
      }),
    );
  }
  if (chosen?.model !== undefined) config.configuredModels = configured;
  config.agents = withoutThemselves(config.agents, written.agents);
  problems.push(...wrongStandIns({ ...config, written: written.agents, file: path ?? root }));
  problems.push(...claimedApart(config.workSources));
  problems.push(...wrongChats(config.agents, written.agents, path ?? root));
  problems.push(...wrongBudgets(config.agents, config.budgets, written.budgets));
  problems.push(...wrongBudgets(config.agents, ofAll, written.budgetsOfAll));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Whether a key that ends so is in a file, and not trusted yet. */
function isWithheld({ acting }: Written, end: string): boolean {
  return acting.some(
    ({ key, trust: { state } }) => key.endsWith(end) && (state === "new" || state === "changed"),
  );
}

/** Those of the user's own file, where this project is one of those that they are of. */
function budgetsOver(folders: readonly string[], root: string, written: Located | undefined): BudgetConfig[] {
  const all = folders.map(realOf);
  if (!written || !all.includes(realOf(root))) return [];
  return resolveBudgets(readLayers(budgetsOfAll, written)).map((budget) => ({ ...budget, projects: all }));
}

/** A folder by the name that it has whatever way leads to it. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Every layer was read by itself before, so that nothing can be wrong with them together. */
function readLayers<T>(reader: Reader<T>, value: Located): T {
  const unexpected: Report = (_span, message) => {
    throw new Error(`Baton itself is wrong about a configuration: ${message}. Please report this.`);
  };
  const read = reader.read({ name: "", value }, unexpected);
  if (read === undefined) throw new Error("a reader said neither a value nor what is wrong");
  return read;
}

function pathsIn(name: string, layer: AgentLayer): WrittenPath[] {
  const { working_directory: directory, executable, handoff } = layer;
  const found = {
    // A folder that Baton may clone need not be there.
    working_directory: directory?.auto_clone ? undefined : directory?.root,
    repository: directory?.auto_clone && directory.repo === undefined ? directory.root : undefined,
    executable,
    template_path: handoff?.template_path,
    dir: handoff?.dir,
  };
  const keys = ["working_directory", "repository", "executable", "template_path", "dir"] as const;
  const all = [
    ...keys.map((key) => ({ key, at: found[key] })),
    ...(layer.docker?.volumes ?? []).map(({ source, isNamed }) => ({
      key: "volume" as const,
      at: isNamed ? undefined : source,
    })),
  ];
  return all.flatMap(({ key, at }) =>
    at ? [{ agent: name, key, path: at.path, shown: at.shown, place: placeOf(at.mark) }] : [],
  );
}

function placeOfProgram(agent: Located): Place | undefined {
  const keys = ["executable", "command", "runtime"];
  const at = keys.map((key) => entryOf(agent, key)).find(Boolean);
  return at && placeOf(at.value.span);
}

function placesOfBox(agent: Located): BoxPlaces {
  const docker = entryOf(agent, "docker")?.value;
  if (docker?.kind !== "map") return {};
  return Object.fromEntries(docker.entries.map(({ key, keySpan }) => [key, placeOf(keySpan)]));
}

function textsFromEnvironment(
  reader: Reader<unknown> | undefined,
  value: Located,
): { value: string; written: string }[] {
  switch (value.kind) {
    case "map":
      return value.entries.flatMap((entry) =>
        textsFromEnvironment(reader?.keys?.[entry.key] ?? reader?.values, entry.value),
      );
    case "list":
      return value.items.flatMap((item) => textsFromEnvironment(reader?.items, item));
    case "scalar": {
      const { value: text, written } = value;
      const isExpanded =
        typeof text === "string" && written !== undefined && text !== "" && !reader?.verbatim;
      return isExpanded ? [{ value: text, written }] : [];
    }
  }
}
