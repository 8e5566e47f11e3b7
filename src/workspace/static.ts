import { stat } from "node:fs/promises";
import { gitHead } from "./git.ts";

/** The folder that a job works in, the same through all its sessions. */
export interface Workspace {
  strategy: "static";
  path: string;
  branch?: string;
  /** The commit that the job began from. */
  base?: string;
}

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
