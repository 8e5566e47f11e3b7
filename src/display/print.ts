import { escapedJson } from "../util/printable.ts";
import { onScreen } from "./style.ts";

/** The only way to this process's output for words: `test/printing.test.ts` holds that nothing else writes there. */
export function print(text = ""): void {
  console.log(onScreen(text));
}

export function printError(text: string): void {
  console.error(onScreen(text));
}

/** For programs, and safe to look at. `--json` prints one value a line. */
export function printJson(value: unknown, indent?: number): void {
  console.log(escapedJson(value, indent));
}
