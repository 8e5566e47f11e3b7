import { configValues } from "../../app/config/show.ts";
import { findProject } from "../../app/project.ts";
import type { Origin } from "../../config/layers/origins.ts";
import { shortPath } from "../../display/path.ts";
import { print, printJson } from "../../display/print.ts";
import { oneLine, type Paint, paintFor } from "../../display/style.ts";
import { type Column, table } from "../../display/table.ts";

export interface ConfigShowOptions {
  config?: string;
  json?: boolean;
}

interface Group {
  name: string;
  values: Origin[];
}

/** Every value that holds, and where it was written. */
export async function configShow(agent: string | undefined, options: ConfigShowOptions): Promise<number> {
  const { files, agents, ...overall } = configValues(findProject(options), agent);
  if (options.json) {
    const byName = Object.fromEntries(agents.map(({ name, values }) => [name, values]));
    printJson({ files, agents: byName, ...overall });
    return 0;
  }
  const paint = paintFor(process.stdout, process.env);
  const others = Object.entries(overall).map(([name, values]) => ({ name, values }));
  const groups = [...agents, ...others];
  print(groups.map((group) => inColumns(group, paint)).join("\n\n"));
  return 0;
}

function inColumns({ name, values }: Group, paint: Paint): string {
  const columns: Column<Origin>[] = [
    { title: name.toUpperCase(), text: ({ key }) => key },
    { title: "FROM", text: fromWhere, paint: ({ from }, text) => (from ? text : paint("dim", text)) },
    { title: "VALUE", text: ({ value }) => oneLine(inYaml(value)) },
  ];
  const width = process.stdout.isTTY ? process.stdout.columns : Number.MAX_SAFE_INTEGER;
  return table(values, columns, width).join("\n");
}

function fromWhere({ from }: Origin): string {
  if (!from) return "built in";
  const file = shortPath(from.file);
  return from.line === 0 ? `default of ${file}` : `${file}:${from.line}`;
}

function inYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inYaml).join(", ")}]`;
  return typeof value === "string" ? value : JSON.stringify(value);
}
