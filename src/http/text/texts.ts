import { FLEET_TEXTS } from "./fleet.ts";
import { JOB_TEXTS } from "./jobs.ts";
import type { Texts } from "./listed.ts";
import { RECORD_TEXTS } from "./records.ts";

/** What has a text besides its JSON. */
export const TEXTS: Texts = { ...FLEET_TEXTS, ...JOB_TEXTS, ...RECORD_TEXTS };
