import { type AuditEntry, auditTrail } from "../../app/access/audit.ts";
import { findProject } from "../../app/project.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { shortDate } from "../../display/when.ts";
import { EXIT } from "../exit.ts";

export interface AuditOptions {
  config?: string;
  json?: boolean;
  limit: number;
  who?: string;
  what?: string;
  all?: boolean;
}

/** Who did what, the newest first; as JSON one to a line. */
export function audit(options: AuditOptions): number {
  const { limit, who, what, all = false } = options;
  const entries = auditTrail({
    limit,
    ...(who !== undefined && { who }),
    ...(what !== undefined && { what: what.split(",") }),
    ...(!all && { projects: [findProject(options).root] }),
  });
  if (options.json) for (const entry of entries) printJson(entry);
  else if (entries.length > 0)
    print(table(entries, columns(new Date()), tableWidth(process.stdout)).join("\n"));
  else if (who === undefined && what === undefined) printWords("Nobody has done anything yet.");
  else printWords("Nothing on the trail matches. See all of it with: baton audit --all");
  return EXIT.completed;
}

/** Its date is said already by the time. */
const JOB = /\bjob-\d{4}-\d\d-\d\d-(\w+)/g;

const columns = (now: Date): Column<AuditEntry>[] => [
  { title: "AT", text: ({ at }) => shortDate(at, now) },
  { title: "WHO", text: ({ who }) => who },
  { title: "WHAT", text: ({ what }) => what },
  { title: "ON", text: ({ target }) => target?.replace(JOB, "$1") ?? "" },
  { title: "FROM", text: ({ origin }) => origin ?? "", spare: 1 },
  { title: "OUTCOME", text: ({ outcome }) => outcome },
];
