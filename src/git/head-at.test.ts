import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { git } from "./git.ts";
import { headAt } from "./head-at.ts";

it("finds the commit that HEAD was at, whatever was committed since", async () => {
  const folder = await mkdtemp(join(tmpdir(), "baton-since-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  expect(await headAt(folder, "2026-01-01T00:00:00Z")).toBeUndefined();
  await git(folder, ["init", "-q", "-b", "main"]);
  for (const day of ["01", "02", "03"]) {
    const date = `2026-01-${day}T12:00:00Z`;
    const env = {
      GIT_COMMITTER_DATE: date,
      GIT_COMMITTER_NAME: "T",
      GIT_COMMITTER_EMAIL: "t@example.invalid",
    };
    const author = ["--author", "T <t@example.invalid>"];
    await git(folder, ["commit", "-q", "--allow-empty", "-m", day, ...author], { env });
  }
  const second = await git(folder, ["rev-parse", "HEAD~1"]);
  expect(await headAt(folder, "2026-01-03T11:59:59.000Z")).toBe(second);
  expect(await headAt(folder, "2025-12-31T00:00:00.000Z")).toBeUndefined();
});
