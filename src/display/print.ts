import { escapedJson } from "../util/printable.ts";
import { folded, screenWidth } from "./fold.ts";
import { onScreen } from "./style.ts";

/** The only way to this process's output for words: `test/printing.test.ts` holds that nothing else writes there. */
export function print(text = ""): void {
  console.log(onScreen(text));
}

/** Sentences, wrapped between words where a person reads them. */
export function printWords(text: string): void {
  print(folded(text, screenWidth(process.stdout)));
}

/** With its words wrapped, too. */
export function printError(text: string): void {
  console.error(onScreen(folded(text, screenWidth(process.stderr))));
}

/** Byte for byte, for a file or a program that reads it. Nothing of others' goes to a terminal like this. */
export function printBytes(bytes: Uint8Array): void {
  if (process.stdout.isTTY) throw new Error("what a terminal gets is cleaned");
  process.stdout.write(bytes);
}

/** For programs, and safe to look at. `--json` prints one value a line. */
export function printJson(value: unknown, indent?: number): void {
  console.log(escapedJson(value, indent));
}
