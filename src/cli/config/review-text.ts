import { indented } from "../../app/trust/gate.ts";
import type { Review } from "../../app/trust/review.ts";
import { shortPath } from "../../display/path.ts";
import { printable } from "../../display/style.ts";
import { counted } from "../../util/figures.ts";

const MOST_LINES_OF_A_FILE = 60;

/** Everything that the user is about to agree to. */
export function reviewText({ parts, files, agentFiles, state }: Review): string {
  const blocks = [
    ...parts.map(({ file, line, key, shown, trust }) => {
      const where = trust.state === "removed" ? shortPath(file) : `${shortPath(file)}:${line}`;
      return block(`${where}  ${key}`, trust, shown);
    }),
    ...files.map(({ path, by, shown, trust }) => {
      const of = `${shortPath(path)}  named by ${by.key}, ${counted(shown.trimEnd().split("\n").length, "line")}`;
      return block(shown === "" ? `${shortPath(path)}  named by ${by.key}, no text` : of, trust, shown, path);
    }),
    ...agentFiles.map(({ path, present, why, earlier }) => {
      if (!present) return heading(`${path}  cannot be trusted, and is never read: it ${why}`);
      const trust: Trust = earlier === undefined ? { state: "new" } : { state: "changed", earlier };
      return block(`${path}  read by the agent's program itself`, trust, present.shown, path);
    }),
    ...state.map(({ reason }) =>
      heading(
        `.baton  the jobs and documents in it: ${reason}. If you agree, they become yours: do so only if you moved them here, or made them with an earlier Baton.`,
      ),
    ),
  ];
  return `What this project's files would do, and you have not agreed to yet:\n\n${blocks.join("\n\n")}\n`;
}

type Trust = Review["parts"][number]["trust"];

function block(title: string, trust: Trust, shown: string, path?: string): string {
  switch (trust.state) {
    case "new":
    case "trusted":
      return [heading(title), ...body(shown, path)].join("\n");
    case "changed":
      return [`${heading(title)}  (changed)`, ...body(changedLines(trust.earlier, shown), path)].join("\n");
    case "removed":
      return [`${heading(title)}  (removed)`, ...body(changedLines(trust.earlier, ""), path)].join("\n");
  }
}

/** A name of a file may have line ends in it. */
function heading(title: string): string {
  return printable(title.replace(/[\r\n]+/g, " "));
}

/** Keys are shown in full: what is cut off could be what matters. Of a file its end can be looked at elsewhere. */
function body(text: string, path: string | undefined): string[] {
  if (text.trim() === "") return [];
  const lines = text.trimEnd().split("\n");
  if (path === undefined || lines.length <= MOST_LINES_OF_A_FILE) return [indented(lines.join("\n"))];
  const rest = counted(lines.length - MOST_LINES_OF_A_FILE, "more line");
  return [indented(lines.slice(0, MOST_LINES_OF_A_FILE).join("\n")), `      … ${rest}: ${shortPath(path)}`];
}

/** What is between the lines that both begin and end with. */
function changedLines(earlier: string, now: string): string {
  const before = earlier.trimEnd().split("\n");
  const after = now.trimEnd().split("\n");
  let first = 0;
  while (first < before.length && first < after.length && before[first] === after[first]) first += 1;
  let last = 0;
  while (
    last < before.length - first &&
    last < after.length - first &&
    before[before.length - 1 - last] === after[after.length - 1 - last]
  ) {
    last += 1;
  }
  const removed = before.slice(first, before.length - last).filter((line) => line !== "" || first > 0);
  const added = after.slice(first, after.length - last).filter((line) => line !== "" || first > 0);
  if (removed.length + added.length === 0) return "~ changed in something that is not shown";
  return [...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)].join("\n");
}
