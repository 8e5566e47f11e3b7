const LONGEST = 120;

/** The keys that say most about a tool call, best first. */
const TELLING = [
  "command",
  "file_path",
  "notebook_path",
  "path",
  "pattern",
  "url",
  "query",
  "description",
  "prompt",
];

/** One line that tells a person what a tool call does. */
export function summaryOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  for (const key of TELLING) {
    const value: unknown = Reflect.get(input, key);
    if (typeof value === "string" && value.trim() !== "") return oneLine(value);
  }
  const json = JSON.stringify(input);
  return json === "{}" ? "" : oneLine(json);
}

function oneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
