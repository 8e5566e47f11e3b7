import { describe, expect, it } from "vitest";
import type { JobEvent, JournalEvent } from "./events.ts";
import { emptyJob, type Job } from "./job.ts";
import { asCause, causesOf, standing } from "./why.ts";

const job = (of: Partial<Job>): Job => ({ ...emptyJob("job-1"), ...of });
const event = (of: JobEvent): JournalEvent => ({ ...of, seq: 1, at: "", job: "job-1", attempt: 1 });
const typesOf = (of: Partial<Job>) => causesOf(job(of)).map(({ types }) => types);

describe("why a job is what it is", () => {
  it("has at most three events for every status, the last of which made it so", () => {
    for (const status of ["completed", "failed", "paused", "cancelled", "interrupted", "queued"] as const) {
      const types = typesOf({ status });
      expect(types.length).toBeLessThanOrEqual(3);
      expect(types.at(-1)).toEqual([`job:${status}`]);
    }
    expect(typesOf({ status: "running" })).toHaveLength(3);
    expect(typesOf({ status: "waiting" }).at(-1)).toContain("limit:waiting");
    expect(typesOf({ status: "created" })).toEqual([["job:created"]]);
  });

  it("says of a queued job what it was before", () => {
    const waits = (from: Job["status"]) => ({
      status: "queued" as const,
      queued: { at: "", priority: 0, from },
    });
    expect(typesOf(waits("interrupted"))).toEqual([["job:interrupted"], ["job:queued"]]);
    expect(typesOf(waits("created"))).toEqual([["job:created"], ["job:queued"]]);
  });

  it("looks for what leads to each kind of pause", () => {
    expect(typesOf({ status: "paused", pauseCode: "api_failing" })[1]).toContain("retry");
    expect(typesOf({ status: "paused", pauseCode: "hook" })[1]).toEqual(["hook"]);
    expect(typesOf({ status: "paused", pauseCode: "max_handoffs" })[1]).toEqual(["handoff:stored"]);
  });

  it("takes a failed tool for the trouble before a failure, and one that went well for none", () => {
    const [, trouble] = causesOf(job({ status: "failed" }));
    const end = (ok: boolean) =>
      event({ type: "tool:end", session: "s", id: "t", ok, output: "no such file" });
    expect(trouble && asCause(trouble, end(false))?.told.text).toBe("no such file");
    expect(trouble && asCause(trouble, end(true))).toBeUndefined();
  });

  it("says who says that the work is done, and when a wait ends", () => {
    expect(standing(job({ status: "completed" }), String)).toBe("The agent says that the work is done.");
    const waiting = { until: 17, message: "limit" };
    expect(standing(job({ status: "waiting", waiting }), String)).toBe("It continues by itself at 17.");
    expect(standing(job({ status: "paused" }), String)).toBeUndefined();
  });
});
