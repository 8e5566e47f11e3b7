import { type Finding, findingsIn } from "../../app/plugin/doctor.ts";
import { findProject } from "../../app/project.ts";
import { print, printJson } from "../../display/print.ts";
import { paintFor } from "../../display/style.ts";

export interface DoctorOptions {
  config?: string;
  json?: boolean;
}

export async function doctor(options: DoctorOptions): Promise<number> {
  const findings = await findingsIn(findProject(options));
  if (options.json) printJson(findings);
  else for (const line of linesOf(findings)) print(line);
  return findings.some(({ state }) => state === "fail") ? 1 : 0;
}

function linesOf(findings: Finding[]): string[] {
  const paint = paintFor(process.stdout, process.env);
  const signs = { ok: paint("green", "✓"), warn: paint("yellow", "!"), fail: paint("red", "✗") };
  return findings.flatMap(({ name, state, found, fix }) => [
    `${signs[state]} ${name.padEnd(14)} ${found.replaceAll("\n", "\n                 ")}`,
    ...(fix ? [`                 ${paint("dim", "→")} ${fix.replaceAll("\n", `\n${" ".repeat(19)}`)}`] : []),
  ]);
}
