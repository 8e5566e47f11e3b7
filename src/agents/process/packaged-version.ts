import { readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fromJson, isFields } from "../../util/json.ts";

/** Of a program, by the npm package that it is in, without starting it. Undefined where it is in none of this name, or behind a script of the user's. */
export async function packagedVersion(program: string, name: string): Promise<string | undefined> {
  const file = await realpath(program).catch(() => program);
  for (let folder = dirname(file), below = ""; folder !== below; below = folder, folder = dirname(folder)) {
    const found = fromJson(await readFile(join(folder, "package.json"), "utf8").catch(() => ""));
    if (isFields(found) && found.name === name && typeof found.version === "string") return found.version;
  }
  return undefined;
}

export function isOlder(version: string, than: string): boolean {
  const [ours, theirs] = [version, than].map((each) =>
    each.split(".").map((part) => Number.parseInt(part, 10)),
  );
  for (const [index, part] of (theirs ?? []).entries()) {
    const difference = (ours?.[index] ?? 0) - part;
    if (difference !== 0) return difference < 0;
  }
  return false;
}
