import { DEFAULTS } from "../defaults.ts";
import { key, section, type ValueOf } from "../reader/reader.ts";
import { wholeNumber } from "../reader/values.ts";

export const fleet = section(
  {
    max_concurrent: key(
      wholeNumber(1, 4),
      "how many jobs `baton start` runs at once: in your own file, in all projects together; in a project's file, in that project",
      DEFAULTS.fleet.max_concurrent,
    ),
  },
  "{ max_concurrent: 4 }",
);

export type FleetLayer = ValueOf<typeof fleet>;

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
