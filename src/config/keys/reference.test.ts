import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { configSchema } from "./files.ts";
import { reference } from "./reference.ts";

const root = join(import.meta.dirname, "../../..");

/** When one of these fails: npm run docs */
it("is what the page of the configuration ends with", () => {
  const page = readFileSync(join(root, "docs/configuration.md"), "utf8");
  expect(unpadded(page.slice(page.indexOf("\n### At the top")))).toBe(unpadded(`\n${reference()}\n`));
});

/** The formatter makes the columns of a table equally wide. */
function unpadded(text: string): string {
  return text.replace(/ {2,}/g, " ").replace(/-{3,}/g, "---");
}

it("goes with a schema that is shipped", () => {
  expect(JSON.parse(readFileSync(join(root, "schema/baton.schema.json"), "utf8"))).toEqual(configSchema());
});

it("says of every key what it means", () => {
  const rows = reference()
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  expect(rows.length).toBeGreaterThan(100);
  expect(rows.filter((row) => row.endsWith("|  |"))).toEqual([]);
});
