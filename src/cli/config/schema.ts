import { configSchema } from "../../app/config/schema.ts";
import { printJson } from "../../display/print.ts";

/** For editors: they complete and check a baton.yaml by it. */
export async function printConfigSchema(): Promise<number> {
  printJson(configSchema(), 2);
  return 0;
}
