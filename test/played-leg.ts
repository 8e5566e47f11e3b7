import { vi } from "vitest";
import type { Leg } from "../src/jobs/run/leg.ts";
import type { LegEnd } from "../src/jobs/run/leg-end.ts";
import { firstLeg, playedJob, type Setting } from "./played-job.ts";

/** A session that was told the request. */
export async function atWork(setting: Setting = {}) {
  const played = playedJob(setting);
  const leg = await firstLeg(played);
  return { ...played, leg };
}

/** The leg under way, and how it ended if it did. All that was played is heard. */
export async function running(leg: Leg) {
  const seen: { end?: LegEnd } = {};
  const run = leg.run();
  void run.then(
    (end) => {
      seen.end = end;
    },
    () => {},
  );
  await heard();
  return { run, seen };
}

/** Lets everything that can happen now happen. */
export const heard = () => vi.advanceTimersByTimeAsync(0);
