import { dirname } from "node:path";
import type { Config, WrittenPath } from "./config.ts";
import { ConfigError, type Place, type Problem } from "./error.ts";
import { drawExcerpt, positionOf, type Span } from "./excerpt.ts";
import { type AgentLayer, homeOf, readAgent, readDefaults, readMaintenance } from "./keys.ts";
import { entryOf, listOf, type Read, type Report, refuse, section } from "./read.ts";
import { absolute, resolveAgent, resolveMaintenance } from "./resolve.ts";
import { parseTree } from "./tree.ts";

const AGENTS_EXAMPLE = "[{ name: coder }]";

const version: Read<1> = (spot, report) => {
  if (spot.value.kind === "scalar" && spot.value.value === 1) return 1;
  return refuse(spot, report, "1", "write version: 1, or leave it out");
};

const agentList = listOf(readAgent, AGENTS_EXAMPLE);

const agents: Read<AgentLayer[]> = (spot, report) => {
  const items = spot.value.kind === "list" ? spot.value.items : [];
  if (spot.value.kind === "list" && items.length === 0) {
    report(spot.value.span, "agents must have at least one agent", `for example: agents: ${AGENTS_EXAMPLE}`);
  }
  const names = new Set<unknown>();
  for (const item of items) {
    const name = entryOf(item, "name")?.value;
    if (name?.kind !== "scalar" || typeof name.value !== "string") continue;
    if (names.has(name.value)) {
      report(name.span, `two agents are named "${name.value}"`, "give one of them another name");
    }
    names.add(name.value);
  }
  return agentList(spot, report);
};

const file = section(
  { version, defaults: readDefaults, agents, maintenance: readMaintenance },
  `agents: ${AGENTS_EXAMPLE}`,
  homeOf,
);

/** The configuration that `text` says, or a ConfigError with everything that is wrong with it. */
export function parseConfig(text: string, path: string, home: string): Config {
  const problems: Problem[] = [];
  const place = (span: Span, shown: "line" | "up to the mark" = "line"): Place => {
    return { file: path, ...positionOf(text, span.start), excerpt: drawExcerpt(text, span, shown) };
  };
  const report: Report = (span, message, fix, shown) => {
    problems.push({ ...place(span, shown), message, fix });
  };

  const tree = parseTree(text, report);
  const isEmpty = !tree || (tree.kind === "scalar" && tree.value === null);
  if (isEmpty && problems.length === 0) {
    const fix = `name an agent, for example: agents: ${AGENTS_EXAMPLE}; or let baton init write the file`;
    throw new ConfigError([{ file: path, message: "the file is empty", fix }]);
  }
  const read = tree && file({ name: "", value: tree }, report);
  if (read && tree.kind === "map" && !entryOf(tree, "agents")) {
    problems.push({ file: path, message: "the file names no agents", fix: `add agents: ${AGENTS_EXAMPLE}` });
  }
  if (problems.length > 0) throw new ConfigError(problems);

  const folders = { root: dirname(path), home };
  const defaults = read?.defaults ?? {};
  const maintenance = resolveMaintenance(read?.maintenance);
  const config: Config = { path, root: folders.root, agents: [], maintenance, paths: [] };
  for (const own of read?.agents ?? []) {
    if (own.name === undefined) continue;
    config.agents.push(resolveAgent(own.name, own, defaults, folders));
    const written = {
      working_directory: mustBeThere(own.working_directory ?? defaults.working_directory),
      executable: own.executable ?? defaults.executable,
      template_path: own.handoff?.template_path ?? defaults.handoff?.template_path,
    };
    for (const key of ["working_directory", "executable", "template_path"] satisfies WrittenPath["key"][]) {
      const found = written[key];
      if (!found) continue;
      config.paths.push({
        agent: own.name,
        key,
        path: absolute(found.path, folders),
        place: place(found.mark),
      });
    }
  }
  return config;
}

/** A folder that Baton may clone need not be there. */
function mustBeThere(directory: AgentLayer["working_directory"]) {
  return directory?.auto_clone ? undefined : directory?.root;
}
