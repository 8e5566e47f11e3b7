import { configSchema } from "../../app/config/schema.ts";

/** For editors: they complete and check a baton.yaml by it. */
export async function printConfigSchema(): Promise<number> {
  console.log(JSON.stringify(configSchema(), undefined, 2));
  return 0;
}
