import { type AuditEntry, auditTrail } from "../../app/access/audit.ts";
import { findProject } from "../../app/project.ts";
import { print, printJson } from "../../display/print.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { longDate } from "../../display/when.ts";
import { EXIT } from "../exit.ts";

export interface AuditOptions {
  config?: string;
  json?: boolean;
  limit: number;
  who?: string;
  all?: boolean;
}

/** Who did what, the newest first; as JSON one to a line. */
export function audit(options: AuditOptions): number {
  const { limit, who, all = false } = options;
  const entries = auditTrail({
    limit,
    ...(who !== undefined && { who }),
    ...(!all && { projects: [findProject(options).root] }),
  });
  if (options.json) for (const entry of entries) printJson(entry);
  else if (entries.length === 0) print("Nobody has done anything yet.");
  else print(table(entries, COLUMNS, tableWidth(process.stdout)).join("\n"));
  return EXIT.completed;
}

const COLUMNS: Column<AuditEntry>[] = [
  { title: "AT", text: ({ at }) => longDate(at) },
  { title: "WHO", text: ({ who }) => who },
  { title: "WHAT", text: ({ what }) => what },
  { title: "ON", text: ({ target }) => target ?? "" },
  { title: "FROM", text: ({ origin }) => origin ?? "", spare: 1 },
  { title: "OUTCOME", text: ({ outcome }) => outcome },
];
