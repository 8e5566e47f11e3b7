import { DEFAULTS } from "../defaults.ts";
import { exampleFix, key, listOf, type Reader, refuse, section, type ValueOf } from "../reader/reader.ts";
import { path, type WrittenPath, wholeNumber } from "../reader/values.ts";
import { room } from "./docker.ts";

export const fleet = section(
  {
    max_concurrent: key(
      wholeNumber(1, 4),
      "how many jobs `baton start` runs at once: in your own file, in all projects together; in a project's file, in that project",
      DEFAULTS.fleet.max_concurrent,
    ),
    min_free_disk: key(
      room,
      "nothing starts while a disk that jobs work on has less room; 0 means no floor",
      DEFAULTS.fleet.min_free_disk,
    ),
    min_free_memory: key(
      room,
      "nothing starts while less memory is available; 0 means no floor",
      DEFAULTS.fleet.min_free_memory,
    ),
  },
  "{ max_concurrent: 4 }",
);

export type FleetLayer = ValueOf<typeof fleet>;

/** That file is of no folder that a path could be relative to. */
const folder: Reader<WrittenPath> = {
  ...path("~/code/site"),
  read(spot, report) {
    const { value } = spot;
    const written = value.kind === "scalar" && typeof value.value === "string" ? value.value : "";
    if (/^[/~]/.test(written)) return path("~/code/site").read(spot, report);
    return refuse(spot, report, "a path that begins with / or ~", exampleFix(spot, "~/code/site"));
  },
};

/** In the user's own file alone. */
export const projects = listOf(folder, "[~/code/site, ~/code/shop]");

/** Of one agent. */
export const instances = section(
  {
    max_concurrent: key(
      wholeNumber(1, 2),
      "how many jobs of this agent `baton start` runs at once",
      DEFAULTS.instances.max_concurrent,
    ),
  },
  "{ max_concurrent: 2 }",
);
