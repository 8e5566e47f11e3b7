import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { bringTranscript, sessionsInside, shareTranscript } from "./box/sessions-inside.ts";
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

it("is one file in a container and outside, and no link of the agent's", async () => {
  const home = mkdtempSync(join(tmpdir(), "baton-rollouts-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const spec = { env: { CODEX_HOME: home }, cwd: home };
  const day = join(sessionsInside(spec.env, realpathSync(home)), "2026", "11", "18");
  mkdirSync(day, { recursive: true });
  const name = "rollout-2026-11-18T15-08-18-one.jsonl";
  const outside = join(home, "sessions", "2026", "11", "18", name);
  expect(await shareTranscript(spec, "one")).toBe(false);
  writeFileSync(join(day, name), "{}\n");
  expect(await shareTranscript(spec, "one")).toBe(true);
  appendFileSync(join(day, name), "{}\n");
  expect(readFileSync(outside, "utf8")).toBe("{}\n{}\n");

  rmSync(join(day, name));
  await bringTranscript({ ...spec, box: {} }, "one");
  expect(readFileSync(join(day, name), "utf8")).toBe("{}\n{}\n");

  const other = join(day, "rollout-2026-11-18T15-08-18-two.jsonl");
  symlinkSync(outside, other);
  expect(await findTranscript(spec.env, "two")).toBeUndefined();
});
