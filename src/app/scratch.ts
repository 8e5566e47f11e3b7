import { join } from "node:path";
import { makeOwnFolder } from "../files/own-folder.ts";
import type { Project } from "./project.ts";

export { scratchFolder } from "../files/scratch.ts";

/** Where what an agent's program keeps of jobs on the simulator stays, so that they can be resumed. */
export function simulatorFolder({ root }: Project): string {
  const own = join(root, ".baton");
  makeOwnFolder(own);
  const folder = join(own, "simulator");
  makeOwnFolder(folder);
  return folder;
}
