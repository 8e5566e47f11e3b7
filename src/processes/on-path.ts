import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Where a program is that can be called by its name alone. */
export function onPath(name: string, env: { PATH?: string | undefined }): string | undefined {
  return (env.PATH ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find(existsSync);
}

/** What to type for a program: its name where the shell finds it, its whole path where not. */
export function typedAs(name: string, program: string, env: { PATH?: string | undefined }): string {
  if (onPath(name, env) !== undefined) return name;
  return /^[\w./@+-]+$/.test(program) ? program : `'${program.replaceAll("'", "'\\''")}'`;
}
