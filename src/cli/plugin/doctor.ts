import { type Finding, findingsIn } from "../../app/plugin/doctor.ts";
import { findProject } from "../../app/project.ts";
import { paintFor } from "../../display/style.ts";

export interface DoctorOptions {
  config?: string;
  json?: boolean;
}

export async function doctor(options: DoctorOptions): Promise<number> {
  const findings = await findingsIn(findProject(options));
  if (options.json) console.log(JSON.stringify(findings));
  else print(findings);
  return findings.some(({ state }) => state === "fail") ? 1 : 0;
}

function print(findings: Finding[]): void {
  const paint = paintFor(process.stdout, process.env);
  const signs = { ok: paint("green", "✓"), warn: paint("yellow", "!"), fail: paint("red", "✗") };
  for (const { name, state, found, fix } of findings) {
    console.log(`${signs[state]} ${name.padEnd(14)} ${found.replaceAll("\n", "\n                 ")}`);
    if (fix) console.log(`                 ${paint("dim", "→")} ${fix}`);
  }
}
