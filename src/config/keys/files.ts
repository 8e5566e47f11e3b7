import { entryOf, key, lacks, listOf, markOf, type Reader, refuse, section } from "../reader/reader.ts";
import { schemaDocument, told } from "../reader/schema.ts";
import { path } from "../reader/values.ts";
import { agent, agentWith, defaults, homeOf, name, notify } from "./agent.ts";
import { budgets, budgetsOfAll } from "./budgets.ts";
import { fleet, projects } from "./fleet.ts";
import { handoffKeys, supervisorKeys } from "./handoff.ts";
import { maintenance } from "./maintenance.ts";
import { maximums } from "./maximums.ts";
import { watch } from "./watch.ts";
import { web, webhooks } from "./web.ts";

export const AGENTS_EXAMPLE = "[{ name: coder }]";

const version: Reader<1> = {
  expects: "1",
  schema: { const: 1 },
  read(spot, report) {
    if (spot.value.kind === "scalar" && spot.value.value === 1) return 1;
    return refuse(spot, report, "1", "write version: 1, or leave it out");
  },
};

const top = {
  version: key(version, "the version of the file format", 1),
  defaults: key(defaults, "any key of an agent except its name; applies to every agent that does not set it"),
  maintenance: key(
    { ...maintenance, schema: { ...maintenance.schema, title: "maintenance" } },
    "what Baton cleans up on its own",
  ),
  fleet: key(
    { ...fleet, schema: { ...fleet.schema, title: "fleet" } },
    "how many jobs `baton start` may run at once",
  ),
  watch: key(
    { ...watch, schema: { ...watch.schema, title: "watch" } },
    "how `baton watch` watches orchestrators",
  ),
  web: key(
    { ...web, schema: { ...web.schema, title: "web" } },
    "where `baton start` serves [the API](api.md)",
  ),
  webhooks: key(
    { ...webhooks, schema: { ...webhooks.schema, title: "webhooks" } },
    "who can start jobs by [calling a schedule](api.md#webhooks)",
  ),
};

/** An agent in a file of its own. */
export const agentFromFile = section(
  {
    path: key(path("agents/coder.yaml"), "a file that holds the keys of one agent"),
    name,
    overrides: key(agent, "keys that override those in the file"),
  },
  "{ path: agents/coder.yaml }",
  (word) => (agent.keys && word in agent.keys ? `"${word}" belongs in "overrides"` : homeOf(word)),
);

/** An agent among others. */
const agentEntry: Reader<unknown> = {
  expects: "an agent",
  schema: {
    type: "object",
    ...told({ required: ["path"] }, agentFromFile.schema, { ...agent.schema, required: ["name"] }),
  },
  ...(agent.keys && { keys: agent.keys }),
  read(spot, report) {
    if (entryOf(spot.value, "path")) {
      const twice = entryOf(spot.value, "name") && entryOf(entryOf(spot.value, "overrides")?.value, "name");
      if (twice) {
        report(twice.keySpan, `${spot.name}.overrides.name says the same thing as name`, "keep one of them");
      }
      return agentFromFile.read(spot, report);
    }
    const overrides = entryOf(spot.value, "overrides");
    if (overrides) {
      const fix = "name the file that it changes: path: agents/coder.yaml";
      report(overrides.keySpan, `${spot.name} has overrides and no path`, fix, "up to the mark");
      return undefined;
    }
    if (lacks(spot.value, "name")) {
      report(markOf(spot), `${spot.name} has no name`, "add one, for example: name: coder");
    }
    return agent.read(spot, report);
  },
};

const entries = listOf(agentEntry, AGENTS_EXAMPLE);

const agents: Reader<unknown> = {
  ...entries,
  schema: { ...entries.schema, minItems: 1 },
  read(spot, report) {
    if (spot.value.kind === "list" && spot.value.items.length === 0) {
      const fix = `for example: agents: ${AGENTS_EXAMPLE}`;
      report(spot.value.span, "agents must have at least one agent", fix);
    }
    return entries.read(spot, report);
  },
};

const project = section(
  {
    ...top,
    agents: key(agents, "one or more; `baton run` uses the first if you name none"),
    budgets: key(
      budgets,
      "what may be spent a day, a week or a month, see [the fleet](fleet.md#budgets)",
      [],
    ),
  },
  `agents: ${AGENTS_EXAMPLE}`,
  homeOf,
);

/** `baton.yaml`. */
export const projectFile: Reader<unknown> = {
  ...project,
  schema: { ...project.schema, title: "baton.yaml", type: "object", required: ["agents"] },
};

/** What holds for all projects of a user. */
export const userFile = section(
  {
    ...top,
    projects: key(projects, "folders of the projects that `baton start --all` runs", []),
    budgets: key(
      budgetsOfAll,
      "what all jobs of `projects` together may cost a day, a week or a month; with `scope: fleet`",
      [],
    ),
    notify: key(notify, "the same as `notify` in `defaults`"),
    maximums: key(maximums, "what no project can loosen, also one that you trust"),
  },
  "{ defaults: { model: claude-sonnet-4-5 } }",
  (word) => (word === "agents" ? `"${word}" belongs in the baton.yaml of a project` : homeOf(word)),
);

/** The keys of one agent, at the top level of a file. */
export const agentFile = agentWith((word) => {
  switch (word) {
    case "agents":
    case "defaults":
    case "maintenance":
    case "watch":
    case "fleet":
    case "web":
    case "webhooks":
    case "budgets":
    case "version":
      return `"${word}" belongs in baton.yaml: this file holds the keys of one agent, such as name and model`;
    case "path":
    case "overrides":
      return `"${word}" belongs in baton.yaml: the file of an agent names no other file`;
    default:
      return homeOf(word);
  }
});

const SUPERVISOR_EXAMPLE = "{ threshold: 70 }";

/** `.supervisor-specific/handoff-config.yaml`: some keys of `handoff`, and nothing else. */
export const supervisorFile = section(
  {
    handoff: section(supervisorKeys, SUPERVISOR_EXAMPLE, (word) =>
      Object.hasOwn(handoffKeys, word) ? `"${word}" belongs in "handoff" of baton.yaml` : homeOf(word),
    ),
  },
  `{ handoff: ${SUPERVISOR_EXAMPLE} }`,
  (word) =>
    Object.hasOwn(supervisorKeys, word)
      ? `"${word}" belongs in "handoff"`
      : `this file has "handoff" alone; everything else belongs in baton.yaml`,
);

/** JSON Schema of `baton.yaml`, for editors. */
export function configSchema(): object {
  return schemaDocument(projectFile.schema);
}
