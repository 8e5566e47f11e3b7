import { stat } from "node:fs/promises";
import { gitHead } from "./state.ts";
import type { Workspace } from "./workspace.ts";

class WorkspaceMissing extends Error {
  override readonly name = "WorkspaceMissing";

  constructor(path: string) {
    super(`The job's folder ${path} is not there.\nBring it back, or set working_directory in baton.yaml.`);
  }
}

/** Uses the configured folder as it is. */
export async function setUpStatic(path: string): Promise<Workspace> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) throw new WorkspaceMissing(path);
  const { branch, head } = await gitHead(path);
  return { strategy: "static", path, ...(branch && { branch }), ...(head && { base: head }) };
}
