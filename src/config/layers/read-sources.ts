import { dirname } from "node:path";
import { leavesFolder } from "../../trust/inside.ts";
import type { Trusted } from "../../trust/record.ts";
import { ConfigError } from "../error.ts";
import { agent } from "../keys/agent.ts";
import {
  AGENTS_EXAMPLE,
  agentFile,
  agentFromFile,
  projectFile,
  supervisorFile,
  userFile,
} from "../keys/files.ts";
import { fleet } from "../keys/fleet.ts";
import { maintenance } from "../keys/maintenance.ts";
import { watch } from "../keys/watch.ts";
import { web, webhooks } from "../keys/web.ts";
import { CONFIG_LIMITS } from "../limits.ts";
import { absolute } from "../reader/absolute.ts";
import { entryOf, isNothing, markOf, type Reader, type Report, type Spot } from "../reader/reader.ts";
import type { WrittenPath } from "../reader/values.ts";
import { type ActingPart, agentKey, siftedAgent, siftedProject, textsIn } from "../trust/acting.ts";
import { readText, type SourceFile } from "../yaml/source.ts";
import { type Located, parseTree } from "../yaml/tree.ts";
import type { Environment } from "../yaml/variables.ts";
import { emptyMap, layered, over } from "./layers.ts";
import { Mistakes } from "./mistakes.ts";
import { supervisorDefaults } from "./supervisor.ts";

/** What the files say, laid over one another. Every value still knows where it was written. */
export interface Written {
  path?: string;
  root: string;
  home: string;
  /** Every file that was read. */
  files: string[];
  agents: { name: string; value: Located }[];
  maintenance: Located;
  watch: Located;
  web: Located;
  webhooks: Located;
  fleet: Located;
  /** What of it stands in the user's own file, for all projects together. */
  fleetOfAll: Located;
  /** Folders of the user's projects, by their own file. */
  projects: Located | undefined;
  budgets: Located | undefined;
  /** Those of the user's own file. */
  budgetsOfAll: Located | undefined;
  /** What no project can loosen. */
  maximums: Located;
  /** Everything in files of the project that does more than say when and how much; not trusted, it is in none of the above. */
  acting: ActingPart[];
  /** Texts of the user's own file that may name files of the project. */
  ownTexts: string[];
}

interface Text {
  path: string;
  text: string;
}

export interface Sources {
  /** `baton.yaml`, where there is one. */
  project?: Text;
  /** What holds for all projects of the user, where there is such a file. */
  user?: Text;
  /** The handoff-config.yaml of the project's supervisor, and of all supervisors of the user. */
  supervisor?: { project?: Text; user?: Text };
  /** The folder of the project. */
  root: string;
  home: string;
  env: Environment;
  /** What the user agreed to. */
  trusted: Trusted;
  /** Whether what they did not agree to is left out, as it is for everybody but who looks at it. */
  withhold: boolean;
  /** Bytes that are read of all files. */
  most?: number;
}

/** Where there is no baton.yaml, there is this agent. */
const ONLY_AGENT = "claude";

/** Throws one ConfigError with everything that is wrong, in whichever file. */
export function readSources(sources: Sources): Written {
  const { project, user, supervisor = {}, root, home } = sources;
  const reading = newReading(sources);
  const nothing = emptyMap({ path: "", text: "", root, home });
  const ofProject = project && readProject(reading, { ...project, root, home });
  const ofUser = user && read(reading, { ...user, root, home }, userFile);
  if (ofUser) refuseSecondNotify(ofUser, reading.report);
  if (ofUser) refuseBudgetOfNothing(ofUser, reading.report);
  const supervisors = readSupervisors(reading, supervisor);

  const defaults = [
    nothing,
    ...supervisors.forAll,
    ofUser && userDefaults(ofUser),
    supervisors.ofProject,
    entryOf(ofProject, "defaults")?.value,
  ];
  const agents = project ? agentsIn(reading, ofProject, project.path) : [{ name: ONLY_AGENT, layers: [] }];
  reading.mistakes.throwIfAny();
  const overall = (key: string, reader: Reader<unknown>) =>
    [ofUser, ofProject]
      .flatMap((tree) => entryOf(tree, key)?.value ?? [])
      .reduce((lower, upper) => over(reader, lower, upper), nothing);
  return {
    ...(project && { path: project.path }),
    root,
    home,
    files: reading.files,
    agents: agents.map(({ name, layers }) => ({ name, value: layered(agent, [...defaults, ...layers]) })),
    maintenance: overall("maintenance", maintenance),
    watch: overall("watch", watch),
    web: overall("web", web),
    webhooks: overall("webhooks", webhooks),
    fleet: overall("fleet", fleet),
    fleetOfAll: entryOf(ofUser, "fleet")?.value ?? nothing,
    projects: entryOf(ofUser, "projects")?.value,
    budgets: entryOf(ofProject, "budgets")?.value,
    budgetsOfAll: entryOf(ofUser, "budgets")?.value,
    maximums: entryOf(ofUser, "maximums")?.value ?? nothing,
    acting: reading.acting,
    ownTexts: ofUser ? textsIn("", ofUser) : [],
  };
}

interface Reading extends Pick<Sources, "home" | "env" | "root" | "trusted" | "withhold"> {
  mistakes: Mistakes;
  report: Report;
  files: string[];
  acting: ActingPart[];
  /** Bytes that may be read still. */
  left: number;
}

function newReading({ home, env, root, trusted, withhold, project, supervisor, most }: Sources): Reading {
  const mistakes = new Mistakes();
  const read = (project?.text.length ?? 0) + (supervisor?.project?.text.length ?? 0);
  const left = (most ?? CONFIG_LIMITS.allBytes) - read;
  const { report } = mistakes;
  return { home, env, root, trusted, withhold, mistakes, report, files: [], acting: [], left };
}

function read(reading: Reading, file: SourceFile, reader: Reader<unknown>): Located | undefined {
  reading.files.push(file.path);
  const tree = parseTree(file, reading.env, reading.report);
  if (tree) reader.read({ name: "", value: tree }, reading.report);
  return tree;
}

interface Supervisors {
  /** What such a file means where it says nothing, and over it what the user has set for all projects. */
  forAll: Located[];
  ofProject: Located | undefined;
}

function readSupervisors(
  reading: Reading,
  { project, user }: NonNullable<Sources["supervisor"]>,
): Supervisors {
  const { root, home } = reading;
  const file = project ?? user;
  if (!file) return { forAll: [], ofProject: undefined };
  const forAll = user && read(reading, { ...user, root, home }, supervisorFile);
  const tree = project && read(reading, { ...project, root, home }, supervisorFile);
  return {
    forAll: [supervisorDefaults({ ...file, root, home }), ...(forAll ? [forAll] : [])],
    ofProject: tree && sift(reading, tree, siftedAgent),
  };
}

function readProject(reading: Reading, file: SourceFile): Located | undefined {
  const { mistakes } = reading;
  const tree = read(reading, file, projectFile);
  if (isEmpty(tree) && mistakes.count === 0) {
    const fix = `name an agent, for example: agents: ${AGENTS_EXAMPLE}; or let baton init write the file`;
    mistakes.add({ file: file.path, message: "the file is empty", fix });
  } else if (tree?.kind === "map" && !entryOf(tree, "agents")) {
    const fix = `add agents: ${AGENTS_EXAMPLE}`;
    mistakes.add({ file: file.path, message: "the file names no agents", fix });
  }
  return tree && sift(reading, tree, siftedProject);
}

/** What is wrong in a file is said of all of it; what holds is what cannot hurt, and what was agreed to. */
function sift(reading: Reading, tree: Located, of: typeof siftedProject): Located {
  const { trusted, withhold, root, mistakes } = reading;
  // It is refused as a whole.
  if (mistakes.count > 0) return tree;
  const leaves = (path: Located) =>
    path.kind === "scalar" &&
    typeof path.value === "string" &&
    leavesFolder(root, absolute(path.value, path.span.file));
  const { tree: holds, acting } = of(tree, { trusted, leaves });
  reading.acting.push(...acting);
  return withhold ? holds : tree;
}

function isEmpty(tree: Located | undefined): boolean {
  return !tree || isNothing(tree);
}

/** `notify` may stand beside `defaults` there: it says how one person wants to be told. */
function userDefaults(tree: Located): Located | undefined {
  const defaults = entryOf(tree, "defaults")?.value;
  const notify = entryOf(tree, "notify");
  if (!notify) return defaults;
  const written = defaults?.kind === "map" ? defaults.entries : [];
  return { kind: "map", span: tree.span, entries: [...written, notify] };
}

function refuseSecondNotify(tree: Located, report: Report): void {
  const notify = entryOf(tree, "notify");
  if (!notify || !entryOf(entryOf(tree, "defaults")?.value, "notify")) return;
  report(notify.keySpan, "notify says the same thing as defaults.notify", "keep one of them");
}

function refuseBudgetOfNothing(tree: Located, report: Report): void {
  const budgets = entryOf(tree, "budgets");
  if (!budgets || entryOf(tree, "projects")) return;
  report(
    budgets.keySpan,
    "budgets are of all projects of this file, and it names none",
    "add projects: [~/code/site]",
  );
}

interface AgentLayers {
  name: string;
  layers: Located[];
}

function agentsIn(reading: Reading, tree: Located | undefined, project: string): AgentLayers[] {
  const list = entryOf(tree, "agents")?.value;
  const entries = list?.kind === "list" ? list.items : [];
  const files = new Map<string, Located | undefined>();
  const names = new Map<string, string>();
  return entries.flatMap((value, index) => {
    const spot: Spot = { name: `agents[${index}]`, value };
    const layers = entryOf(value, "path") ? layersFromFile(reading, spot, project, files) : [value];
    const name = layers?.map((layer) => entryOf(layer, "name")?.value).findLast(Boolean);
    if (!layers || name?.kind !== "scalar" || typeof name.value !== "string") return [];
    // On disks that do not tell capitals apart, their branches would be one.
    const before = names.get(name.value.toLowerCase());
    if (before !== undefined) {
      const inThisFile = name.span.file === value.span.file;
      const mark = inThisFile ? name.span : (entryOf(value, "path")?.value ?? value).span;
      const shown = name.written ?? name.value;
      const message =
        before === name.value
          ? `two agents are named "${shown}"`
          : `"${shown}" and "${before}" differ by capital letters alone`;
      reading.report(mark, message, "give one of them another name");
    }
    names.set(name.value.toLowerCase(), name.value);
    return [{ name: name.value, layers }];
  });
}

/** What the file of an agent says, and over it what its entry says; undefined when the file cannot be used. */
function layersFromFile(
  reading: Reading,
  spot: Spot,
  project: string,
  files: Map<string, Located | undefined>,
): Located[] | undefined {
  const silent: Report = () => {};
  const entry = agentFromFile.read(spot, silent);
  if (!entry?.path) return undefined;
  const { path } = entry.path;
  if (reading.withhold && isWithheld(reading, `${agentKey(spot.value)}.path`)) {
    const fix = "look at both files, then trust them with: baton trust";
    reading.report(
      entry.path.mark,
      `${spot.name}.path leaves the project, and you have not trusted that`,
      fix,
    );
    return undefined;
  }
  if (!files.has(path)) files.set(path, readAgentFile(reading, spot, entry.path, project));
  const tree = files.get(path);
  if (!tree) return undefined;
  const name = entryOf(spot.value, "name");
  const own: Located[] = name ? [{ kind: "map", entries: [name], span: spot.value.span }] : [];
  const overrides = entryOf(spot.value, "overrides")?.value;
  const layers = [tree, ...own, ...(overrides ? [overrides] : [])];
  if (!layers.some((layer) => entryOf(layer, "name"))) {
    reading.report(markOf(spot), `${spot.name} has no name`, `add one here, or in ${entry.path.shown}`);
  }
  return layers;
}

function isWithheld({ acting }: Reading, key: string): boolean {
  return acting.some((part) => part.key === key && part.trust.state !== "trusted");
}

function readAgentFile(
  reading: Reading,
  { name }: Spot,
  { path, shown, mark }: WrittenPath,
  project: string,
): Located | undefined {
  const { mistakes, report, home } = reading;
  const fix = "name a file that holds the keys of one agent, such as name and model";
  if (path === project) {
    report(mark, `${name}.path is this file itself`, fix);
    return undefined;
  }
  let text: string;
  try {
    text = readText(path, Math.max(0, Math.min(CONFIG_LIMITS.bytes, reading.left)));
    reading.left -= text.length;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    report(mark, `${name}.path: ${error.problems[0]?.message}: ${shown}`, fix);
    return undefined;
  }
  const before = mistakes.count;
  const tree = read(reading, { path, text, root: dirname(path), home }, agentFile);
  if (mistakes.count > before) return undefined;
  if (tree && !isEmpty(tree)) return sift(reading, tree, siftedAgent);
  mistakes.add({
    file: path,
    message: "the file is empty",
    fix: "write the agent's keys in it: name: coder",
  });
  return undefined;
}
