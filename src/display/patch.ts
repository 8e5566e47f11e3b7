import { type Format, type Paint, printable } from "./style.ts";

/** A patch as git prints it, in the colours that people know. */
export function patchInColour(patch: string, paint: Paint): string {
  let isHead = false;
  return patch
    .trimEnd()
    .split("\n")
    .map((line) => {
      if (line.startsWith("diff ")) isHead = true;
      else if (line.startsWith("@@")) isHead = false;
      const format = isHead ? "bold" : formatOf(line);
      return format === undefined ? printable(line) : paint(format, printable(line));
    })
    .join("\n");
}

function formatOf(line: string): Format | undefined {
  if (line.startsWith("@@")) return "cyan";
  if (line.startsWith("+")) return "green";
  return line.startsWith("-") ? "red" : undefined;
}
