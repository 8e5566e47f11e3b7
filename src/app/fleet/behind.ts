import { join } from "node:path";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { stateFolder } from "../../files/state-folder.ts";
import { startBehind } from "../background.ts";
import { refuseToDetach } from "../jobs/background/start.ts";
import type { Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { FLEET_RUNS } from "./news.ts";

/** A fleet in the background. What `--json` prints of it: its keys are a promise to users. */
export interface DetachedFleet {
  pid: number;
  log: string;
  projects: string[];
}

/** With which Baton ends that was asked for something that it does not do. */
const REFUSED = 2;

/** Starts a fleet in a process that outlives this one and its terminal, and returns once it runs. */
export async function startFleetBehind(
  projects: readonly Project[],
  { config, options = [] }: { config?: string; options?: readonly string[] },
): Promise<DetachedFleet> {
  refuseToDetach();
  const log = join(stateFolder(), "background", "fleet.log");
  const roots = projects.map(({ root }) => root);
  const [only, ...others] = projects;
  const begun = await startBehind(
    {
      args: [
        "start",
        ...roots.flatMap((root) => ["-C", root]),
        ...(config !== undefined && only?.configPath && others.length === 0
          ? ["--config", only.configPath]
          : []),
        ...options,
      ],
      cwd: roots[0] ?? process.cwd(),
      env: ownEnvironment(),
      log,
    },
    (line) => (line.startsWith(FLEET_RUNS) ? line : undefined),
  );
  if ("pid" in begun) return { pid: begun.pid, log, projects: roots };
  const why = begun.printed.replace(/^baton: /, "") || `its process ended with code ${begun.code}`;
  throw begun.code === REFUSED ? new UsageError(why) : new Error(why);
}
