// Writes what is generated from the readers of the configuration: its schema and its reference.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configSchema } from "../src/config/keys/files.ts";
import { reference } from "../src/config/keys/reference.ts";

const root = join(import.meta.dirname, "..");
mkdirSync(join(root, "schema"), { recursive: true });
writeFileSync(join(root, "schema/baton.schema.json"), `${JSON.stringify(configSchema(), undefined, 2)}\n`);

const page = join(root, "docs/configuration.md");
const [before] = readFileSync(page, "utf8").split(/(?<=<!-- Below: written by npm run docs\. -->\n)/);
writeFileSync(page, `${before}\n${reference()}\n`);
