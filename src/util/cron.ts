import { createRequire } from "node:module";
import type { Cron } from "croner";

/** Loaded where there is an expression to read: every command reads configurations, and most of them have none. */
type Croner = typeof import("croner");
let croner: Croner | undefined;

/** As a calculator: nothing runs by it. Throws with the reason where it is no expression of five fields. */
export function readCron(expression: string, timezone?: string): Cron {
  croner ??= loaded();
  return new croner.Cron(expression, { mode: "5-part", paused: true, ...(timezone && { timezone }) });
}

/** At once: what reads a configuration does not wait. */
function loaded(): Croner {
  return createRequire(import.meta.url)("croner");
}
