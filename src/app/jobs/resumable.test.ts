import { expect, it } from "vitest";
import { emptyJob } from "../../job/job.ts";
import { refuseOver } from "./resumable.ts";

const compacted = { events: 120, at: "2026-03-01T00:00:00.000Z" };

it("refuses what is completed, and a failed job whose journal was compacted", () => {
  expect(() => refuseOver({ ...emptyJob("job-1"), status: "failed" })).not.toThrow();
  expect(() => refuseOver({ ...emptyJob("job-1"), status: "completed" })).toThrow(/nothing to resume/);
  expect(() => refuseOver({ ...emptyJob("job-1"), status: "failed", compacted })).toThrow(
    /journal of job-1 was compacted.*cannot be resumed.*baton run/s,
  );
});
