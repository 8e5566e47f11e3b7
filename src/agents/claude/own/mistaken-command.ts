import { fromJson, isFields } from "../../../util/json.ts";

const COMMAND = "Unknown command: ";
const REST = "Args from unknown skill: ";

/**
 * What a person typed right behind a command of Baton's and sent with it: the program took both for another command, said
 * that it knows none of that name, and kept no more of it than that. `lines`: of the transcript.
 */
export function wordsTakenForCommand(command: string, lines: readonly string[]): string | undefined {
  const said = lines.flatMap((line) => (line.includes('"informational"') ? (contentOf(line) ?? []) : []));
  const at = said.findLastIndex((text) => text.startsWith(COMMAND + command));
  const first = said[at]?.slice(COMMAND.length + command.length);
  if (!first) return undefined;
  const next = said[at + 1];
  return next?.startsWith(REST) ? `${first} ${next.slice(REST.length)}` : first;
}

function contentOf(line: string): string | undefined {
  const entry = fromJson(line);
  const isOne = isFields(entry) && entry.type === "system" && entry.subtype === "informational";
  return isOne && typeof entry.content === "string" ? entry.content : undefined;
}
