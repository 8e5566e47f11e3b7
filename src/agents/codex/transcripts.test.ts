import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findTranscript } from "./transcripts.ts";

it("finds no transcript of a session that was killed before it had written anything", async () => {
  const home = mkdtempSync(join(tmpdir(), "baton-rollouts-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const day = join(home, "sessions", "2026", "11", "18");
  mkdirSync(day, { recursive: true });
  const path = join(day, "rollout-2026-11-18T15-08-18-one.jsonl");
  writeFileSync(path, "");
  expect(await findTranscript({ CODEX_HOME: home }, "one")).toBeUndefined();
  writeFileSync(path, "{}\n");
  expect(await findTranscript({ CODEX_HOME: home }, "one")).toBe(path);
});
