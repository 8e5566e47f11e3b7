import { FAULTS, type Fault, type JobReport, NOTES, type Note } from "./judge.ts";
import { PHASES, type Phase } from "./phase.ts";

/** What came of the kills in one phase. `jobs`: those with a kill in it. */
type Row = Record<"kills" | "jobs" | "completed" | Fault | Note, number>;
export type Tally = Record<Phase, Row>;

const COLUMNS = ["kills", "jobs", "completed", ...FAULTS, ...NOTES] as const;

export function tallyOf(reports: readonly JobReport[]): Tally {
  const rows = PHASES.map((phase): [Phase, Row] => {
    const struck = reports.filter(({ kills }) => kills.some((kill) => kill.phase === phase));
    const findings = reports.flatMap((report) => report.findings.filter((found) => found.phase === phase));
    const counted = [...FAULTS, ...NOTES].map((kind) => [
      kind,
      findings.filter((found) => found.kind === kind).length,
    ]);
    const kills = reports.flatMap((report) => report.kills.filter((kill) => kill.phase === phase)).length;
    const completed = struck.filter((report) => report.completed).length;
    return [phase, { kills, jobs: struck.length, completed, ...Object.fromEntries(counted) }];
  });
  return Object.fromEntries(rows) as Tally;
}

/** Why the campaign failed, one line each. Empty when all is well. */
export function verdictOf(reports: readonly JobReport[], wanted: number): string[] {
  const tally = tallyOf(reports);
  const kills = PHASES.reduce((sum, phase) => sum + tally[phase].kills, 0);
  const without = PHASES.filter((phase) => tally[phase].kills === 0);
  const faults = FAULTS.flatMap((kind) => {
    const count = PHASES.reduce((sum, phase) => sum + tally[phase][kind], 0);
    return count > 0 ? [`${kind}: ${count}`] : [];
  });
  const unfinished = reports.filter(({ completed }) => !completed).length;
  return [
    ...(kills < wanted ? [`only ${kills} of ${wanted} kills struck`] : []),
    ...without.map((phase) => `no kill struck while ${phase}`),
    ...(unfinished > 0 ? [`jobs not completed: ${unfinished}`] : []),
    ...faults,
  ];
}

export function tableOf(tally: Tally): string {
  const rows = PHASES.map((phase) => [phase, ...COLUMNS.map((column) => String(tally[phase][column]))]);
  const sums = COLUMNS.map((column) => String(PHASES.reduce((sum, phase) => sum + tally[phase][column], 0)));
  // A job counts in each phase in which it was hit, so that these have no sum.
  const all = [
    "all",
    ...sums.map((sum, index) => (/^(jobs|completed)$/.test(COLUMNS[index] ?? "") ? "" : sum)),
  ];
  const lines = [["", ...COLUMNS], ...rows, all];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths?.[0] ?? 0) : cell.padStart(widths?.[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** One line about a job in which something went wrong, and one for each thing. */
export function describe({ index, workspace, agent, kills, completed, findings }: JobReport): string[] {
  const wrong = findings.filter(({ kind }) => kind !== "scratch");
  if (completed && wrong.length === 0) return [];
  const hit = kills.map(({ victim, phase }) => `${victim} while ${phase}`).join(", ") || "nothing";
  const end = completed ? "" : ", not completed";
  return [
    `job ${index} (${workspace}, ${agent}; killed: ${hit})${end}`,
    ...wrong.map(({ kind, phase, what }) => `  ${kind} after a kill while ${phase}: ${what}`),
  ];
}
