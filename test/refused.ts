import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parseDocument } from "yaml";
import { ConfigError } from "../src/config/error.ts";
import { configSchema } from "../src/config/keys/files.ts";
import { parseConfig } from "../src/config/layers/parse.ts";

/** A file that is wrong in a way that people's files are; `says` is all that they read then. */
export interface Refusal {
  wrong: string;
  file: string;
  says: string;
  /** Why an editor that goes by the schema does not see it. */
  unseen?: string;
}

/** `WRONG` is a secret as far as messages go. */
const ENV = { EMPTY: "", WRONG: "hush" };

export function refusal(text: string): string {
  try {
    parseConfig(text, join(process.cwd(), "baton.yaml"), "/home/someone", ENV);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "accepted";
}

const accepts = new Ajv2020({ strictTypes: false }).compile(configSchema());

/** What is not YAML in the first place is no matter for the schema. */
export function passesSchema(text: string): boolean {
  const document = parseDocument(text, { stringKeys: true });
  if (document.errors.length > 0 || document.warnings.length > 0) return false;
  return accepts(document.toJS());
}
