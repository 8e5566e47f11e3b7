import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { emptyJob } from "../../job/job.ts";
import { findProject } from "../project.ts";
import { refuseOver, resumable } from "./resumable.ts";

const compacted = { events: 120, at: "2026-03-01T00:00:00.000Z" };

it("refuses what is completed, and a failed job whose journal was compacted", () => {
  expect(() => refuseOver({ ...emptyJob("job-1"), status: "failed" })).not.toThrow();
  expect(() => refuseOver({ ...emptyJob("job-1"), status: "completed" })).toThrow(/nothing to resume/);
  expect(() => refuseOver({ ...emptyJob("job-1"), status: "failed", compacted })).toThrow(
    /journal of job-1 was compacted.*cannot be resumed.*baton run/s,
  );
});

it("resumes a job that continues a person's session with the ways of that session", async () => {
  const folder = await mkdtemp(join(tmpdir(), "baton-resumable-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "baton.yaml"), "agents: [{ name: coder }]\n");
  const ways = { folder, allowedTools: ["Bash(npm *)"], deniedTools: [] };
  const continues = { document: "/d.md", ways };
  const chosen = { model: "claude-opus-4-5", permissionMode: "acceptEdits" } as const;
  const closing = { outcome: "completed", text: "" } as const;
  const job = { ...emptyJob("job-1"), agent: "coder", status: "paused", chosen, closing, continues } as const;
  const { agent } = await resumable(job, findProject({}, folder), {});
  expect(agent).toMatchObject({ ...chosen, allowedTools: ways.allowedTools, workingDirectory: folder });
});
