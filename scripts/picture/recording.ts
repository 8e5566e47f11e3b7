import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

export interface Size {
  columns: number;
  rows: number;
}

/** Runs a command in a terminal of its own and returns everything that it wrote there. */
export async function record(command: string[], { columns, rows }: Size): Promise<string> {
  const line = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const inTerminal = `stty columns ${columns} rows ${rows}; exec ${line}`;
  const { NO_COLOR: _, FORCE_COLOR: __, ...env } = process.env;
  const recorder = spawn("script", ["-qec", inTerminal, "/dev/null"], {
    env: { ...env, TERM: "xterm" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(recorder.stdout), once(recorder, "close")]);
  if (code !== 0) throw new Error(`${line} ended with code ${code}:\n${output}`);
  return output;
}
