import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { widthOf } from "../src/display/width.ts";
import { type Runs, program as released } from "./harness.ts";

/** The program of Linux that gives another one a terminal. */
const SCRIPT = "script";

interface TerminalOptions {
  columns: number;
  /** What is typed, each once the text before it is on the screen. */
  typed?: [after: string, keys: string][];
  /** A command that is run in the same terminal afterwards. */
  afterwards?: string;
}

/** Runs `baton` on a terminal to its end. */
export async function onTerminal(
  { folder, env, program = released }: Runs,
  { columns, typed = [], afterwards = "true" }: TerminalOptions,
  args: string[],
): Promise<{ code: number | null; output: string }> {
  const quoted = [process.execPath, program, ...args].map((word) => `'${word}'`).join(" ");
  const line = `trap : INT; stty cols ${columns} && ${quoted}; code=$?; ${afterwards}; exit $code`;
  const child = spawn(SCRIPT, ["-qec", line, "/dev/null"], {
    cwd: folder,
    env: { ...env, TERM: "xterm-256color" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let output = "";
  let seen = 0;
  const open = [...typed];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    for (let next = open[0]; next && output.includes(next[0], seen); next = open[0]) {
      seen = output.indexOf(next[0], seen) + next[0].length;
      child.stdin.write(next[1]);
      open.shift();
    }
  });
  const [code] = await once(child, "close");
  return { code, output };
}

/** The rows of a terminal after each of the writes that it was sent, for what Baton sends: text, colours and erasing. */
export function* screens(output: string, columns: number): Generator<{ rows: string[]; cursor: number }> {
  let rows = [""];
  let row = 0;
  let column = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is made of them
  for (const [piece] of output.matchAll(/\u001b\[[\d;?]*[A-Za-z]|\r|\n|[^\u001b\r\n]+/g)) {
    if (piece === "\r") {
      column = 0;
      yield { rows: [...rows], cursor: row };
    } else if (piece === "\n") {
      row++;
      rows[row] ??= "";
    } else if (piece === "\u001b[J") {
      rows = [...rows.slice(0, row), (rows[row] ?? "").slice(0, column)];
    } else if (!piece.startsWith("\u001b")) {
      for (const { segment } of new Intl.Segmenter().segment(piece)) {
        if (column + widthOf(segment) > columns) {
          row++;
          column = 0;
        }
        rows[row] = (rows[row] ?? "").slice(0, column) + segment;
        column += widthOf(segment);
      }
    }
  }
  yield { rows, cursor: row };
}
