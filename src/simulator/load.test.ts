import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadScenario, ScenarioError } from "./load.ts";
import { scenarios } from "./scenarios/index.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-scenario-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, source: string): string {
  writeFileSync(join(folder, name), source);
  return name;
}

it.each(Object.keys(scenarios))("finds %s by its name", async (name) => {
  expect((await loadScenario(name)).name).toBe(name);
});

it("loads the user's own file, as a value or as a function that makes one", async () => {
  const value = file(
    "own.ts",
    `const name: string = "own"; export default { name, summary: "s", steps: [{ say: "hi" }] };`,
  );
  expect(await loadScenario(value, folder)).toEqual({ name: "own", summary: "s", steps: [{ say: "hi" }] });
  const maker = file("maker.js", `export default () => ({ name: "made", summary: "s" });`);
  expect((await loadScenario(maker, folder)).name).toBe("made");
});

it.each([
  ["a name that nothing has", "nonsense", /no scenario "nonsense".*steady, talk, limits, flaky, overflow/],
  ["a file without a default export", source("none.js", "export const a = 1;"), /none\.js is not a scenario/],
  ["a misspelt key", source("typo.js", `export default { name: "a", summary: "b", step: [] };`), /step/],
  [
    "a fault that does not exist",
    source("fault.js", `export default { name: "a", summary: "b", steps: [{ fault: { kind: "fire" } }] };`),
    /steps/,
  ],
  [
    "a file that throws",
    source("throws.js", `throw new Error("boom");`),
    /throws\.js cannot be loaded: Error: boom/,
  ],
])("refuses %s and says why", async (_, given, message) => {
  const name = typeof given === "string" ? given : file(given.name, given.text);
  const failure = await loadScenario(name, folder).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ScenarioError);
  expect(String(failure)).toMatch(message);
});

function source(name: string, text: string) {
  return { name, text };
}
