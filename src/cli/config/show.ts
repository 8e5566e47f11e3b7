import { findProject } from "../../app/project.ts";
import { UnknownAgentError } from "../../config/agent-named.ts";
import {
  type Origin,
  originsOfAgent,
  originsOfMaintenance,
  originsOfWatch,
} from "../../config/layers/origins.ts";
import type { Written } from "../../config/layers/read-sources.ts";
import { loadWritten } from "../../config/load.ts";
import { shortPath } from "../../display/path.ts";
import { oneLine, type Paint, paintFor } from "../../display/style.ts";
import { type Column, table } from "../../display/table.ts";

export interface ConfigShowOptions {
  config?: string;
  json?: boolean;
}

interface Group {
  title: string;
  values: Origin[];
}

/** Every value that holds, and where it was written. */
export async function configShow(agent: string | undefined, options: ConfigShowOptions): Promise<number> {
  const written = loadWritten(findProject(options));
  const agents = groupsOf(written, agent);
  const overall =
    agent === undefined
      ? { maintenance: originsOfMaintenance(written), watch: originsOfWatch(written) }
      : undefined;
  if (options.json) {
    const byName = Object.fromEntries(agents.map(({ title, values }) => [title, values]));
    console.log(JSON.stringify({ files: written.files, agents: byName, ...overall }));
    return 0;
  }
  const paint = paintFor(process.stdout, process.env);
  const groups = [...agents, ...Object.entries(overall ?? {}).map(([title, values]) => ({ title, values }))];
  console.log(groups.map((group) => print(group, paint)).join("\n\n"));
  return 0;
}

function groupsOf({ agents, path }: Written, name: string | undefined): Group[] {
  const wanted = agents.filter((each) => name === undefined || each.name === name);
  if (wanted.length > 0) return wanted.map((each) => ({ title: each.name, values: originsOfAgent(each) }));
  const known = agents.map((each) => each.name);
  throw new UnknownAgentError(name ?? "", known, path);
}

function print({ title, values }: Group, paint: Paint): string {
  const columns: Column<Origin>[] = [
    { title: title.toUpperCase(), text: ({ key }) => key },
    { title: "FROM", text: fromWhere, paint: ({ from }, text) => (from ? text : paint("dim", text)) },
    { title: "VALUE", text: ({ value }) => oneLine(inYaml(value)) },
  ];
  const width = process.stdout.isTTY ? process.stdout.columns : Number.MAX_SAFE_INTEGER;
  return table(values, columns, width).join("\n");
}

function fromWhere({ from }: Origin): string {
  return from ? `${shortPath(from.file)}:${from.line}` : "built in";
}

function inYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inYaml).join(", ")}]`;
  return typeof value === "string" ? value : JSON.stringify(value);
}
