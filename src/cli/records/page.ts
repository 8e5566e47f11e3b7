import { spawnSync } from "node:child_process";
import { print } from "../../display/print.ts";
import { onScreen } from "../../display/style.ts";

/** Prints a text, through the user's pager where it is longer than the screen. Which one that is their environment says alone. */
export function page(text: string): void {
  const { rows = 24, isTTY } = process.stdout;
  const pager = process.env.PAGER ?? "less";
  if (!isTTY || pager.trim() === "" || text.split("\n").length < rows || !shownBy(pager, text)) print(text);
}

/** False where there is no such program. */
function shownBy(pager: string, text: string): boolean {
  const { status } = spawnSync("sh", ["-c", pager], {
    input: `${onScreen(text)}\n`,
    stdio: ["pipe", "inherit", "inherit"],
    env: { LESS: "FRX", ...process.env },
  });
  return status !== NOT_FOUND;
}

const NOT_FOUND = 127;
