import { ownCommand } from "../../app/own-program.ts";
import { type Finding, findingsIn } from "../../app/plugin/doctor.ts";
import { findProject } from "../../app/project.ts";
import { print, printJson } from "../../display/print.ts";
import { paintFor, printable } from "../../display/style.ts";
import { wrapped } from "../../display/width.ts";

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
  const signs = {
    ok: paint("green", "✓"),
    absent: paint("dim", "○"),
    warn: paint("yellow", "!"),
    fail: paint("red", "✗"),
  };
  const margin = Math.max(MARGIN, ...findings.map(({ name }) => name.length + 3));
  const width = process.stdout.isTTY ? process.stdout.columns - 1 : Number.MAX_SAFE_INTEGER;
  const baton = ownCommand();
  return findings.flatMap(({ name, state, found, fix = "" }) => {
    const said = rows(found, width - margin);
    const advice = fix === "" ? [] : rows(fix.replaceAll(TYPED, `${baton} `), width - margin - 2);
    return [
      `${signs[state]} ${name.padEnd(margin - 3)} ${said.join(`\n${" ".repeat(margin)}`)}`,
      ...advice.map((row, index) => `${" ".repeat(margin)}${index === 0 ? paint("dim", "→") : " "} ${row}`),
    ];
  });
}

const MARGIN = 17;

/** A command of Baton's, as in `baton init`. */
const TYPED = /(?<![\w./-])baton (?=[a-z])/g;

function rows(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => wrapped(printable(line), width));
}
