import { access } from "node:fs/promises";

/** False also where it cannot be told: for what may be destroyed, ask `ifMissing` instead. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
