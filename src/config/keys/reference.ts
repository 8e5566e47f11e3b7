import type { Reader, Readers } from "../reader/reader.ts";
import { choicesOf } from "../reader/schema.ts";
import { alternatives } from "../reader/values.ts";
import { agent } from "./agent.ts";
import { agentFromFile, projectFile } from "./files.ts";
import { hookKeys } from "./hook.ts";

/** Every key, what it can be, what holds without it and what it means, as Markdown. */
export function reference(): string {
  return [
    table("At the top of `baton.yaml`", projectFile.keys),
    table("Of an agent", agent.keys),
    table("Of an agent in a file of its own", agentFromFile.keys),
    ...tablesBelow(agent.keys, ""),
    ...hookTables(),
    ...tablesBelow({ ...projectFile.keys, defaults: undefined }, ""),
  ].join("\n\n");
}

type Keys = Record<string, Reader<unknown> | undefined>;

/** A table for each map among these keys. Hooks have several, of their own. */
function tablesBelow(readers: Keys | undefined, path: string): string[] {
  return Object.entries(readers ?? {}).flatMap(([name, reader]) => {
    const keys = reader?.keys ?? reader?.values?.keys;
    const full = path === "" ? name : `${path}.${name}`;
    if (!keys) return [];
    const title = reader?.values ? `One of \`${full}\`` : `\`${full}\``;
    return [table(title, keys), ...tablesBelow(keys, full)];
  });
}

function hookTables(): string[] {
  const kinds: [string, Readers][] = Object.entries(hookKeys);
  const [, first = {}] = kinds[0] ?? [];
  const isCommon = (key: string) => kinds.every(([, keys]) => key in keys);
  const some = (keys: Readers, wanted: (key: string) => boolean) =>
    Object.fromEntries(Object.entries(keys).filter(([key]) => wanted(key)));
  return [
    table("A hook", some(first, isCommon)),
    ...kinds.map(([kind, keys]) =>
      table(
        `A hook of type \`${kind}\``,
        some(keys, (key) => !isCommon(key)),
      ),
    ),
  ];
}

function table(title: string, readers: Readers | undefined): string {
  const rows = Object.entries(readers ?? {}).map(([name, reader]) => {
    const { description = "", default: otherwise } = reader.schema;
    const cells = [`\`${name}\``, kindOf(reader), otherwise === undefined ? "" : `\`${written(otherwise)}\``];
    return row([...cells, description]);
  });
  return [
    `### ${title}`,
    "",
    row(["key", "what it can be", "default", "meaning"]),
    row(Array(4).fill("---")),
    ...rows,
  ].join("\n");
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function kindOf(reader: Reader<unknown>): string {
  const values = choicesOf(reader.schema);
  if (values) return alternatives(values.map((value) => `\`${value}\``));
  const items = reader.items && choicesOf(reader.items.schema);
  return items ? `a list of ${alternatives(items.map((item) => `\`${item}\``))}` : reader.expects;
}

/** As it would stand in the file. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  return typeof value === "string" ? value : JSON.stringify(value);
}
