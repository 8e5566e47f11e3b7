import { existsSync } from "node:fs";
import { namedOrNewest } from "../jobs/which.ts";
import { lookIntoOwnStore, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";

/** Where a person finds what a job did. */
export interface Place {
  job: string;
  kind: "pull request" | "folder";
  /** An address, or a path. */
  target: string;
}

/** Its pull request if it has one, else its folder. `folder`: that in any case. Of this machine's own store alone. */
export async function placeOf(
  project: Project,
  named: string | undefined,
  { folder = false }: { folder?: boolean },
): Promise<Place> {
  await using store = await lookIntoOwnStore(project);
  const { id, workspace } = await namedOrNewest(store, named);
  if (!workspace) throw new UsageError(`${id} has not started, so it has no folder yet.`);
  const { proposal, state, repo, path } = workspace;
  // Whatever else it were, a program would be started on it.
  if (!folder && proposal !== null && /^https?:\/\//.test(proposal)) {
    return { job: id, kind: "pull request", target: proposal };
  }
  const target = state === "removed" && repo !== null ? repo : path;
  if (!existsSync(target)) throw new UsageError(`The folder of ${id} is gone: ${target}`);
  return { job: id, kind: "folder", target };
}
