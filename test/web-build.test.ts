import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isOld } from "../scripts/web.ts";

it("builds the dashboard again once anything it is made of is newer, or gone", () => {
  const dir = mkdtempSync(join(tmpdir(), "baton-web-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  expect(isOld(dir)).toBe(true);
  const source = join(dir, "words.ts");
  writeFileSync(source, "");
  utimesSync(source, 1, 1);
  writeFileSync(join(dir, "made-of.json"), JSON.stringify([source]));
  expect(isOld(dir)).toBe(false);
  const later = new Date(Date.now() + 60_000);
  utimesSync(source, later, later);
  expect(isOld(dir)).toBe(true);
  rmSync(source);
  expect(isOld(dir)).toBe(true);
});
