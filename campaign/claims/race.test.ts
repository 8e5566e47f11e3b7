import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { claimsCampaign } from "./campaign.ts";

it("lets six processes of two fleets work off five items, each once, though some are killed", {
  tags: ["slow"],
  timeout: 180_000,
}, async ({ signal }) => {
  const top = await mkdtemp(join(tmpdir(), "baton-claims-race-"));
  try {
    const small = { items: 5, kills: 2, seed: 1 };
    // Long enough for a busy machine, and whoever waits for the lease of a dead one looks seldom.
    const pace = { leaseMs: 6_000, workMs: [20, 100], idleMs: [300, 600] } as const;
    const { problems, done, claims } = await claimsCampaign({
      ...small,
      ...pace,
      say: () => {},
      top,
      signal,
    });
    expect(problems).toEqual([]);
    expect(done).toBe(5);
    expect(claims).toBeGreaterThanOrEqual(5);
  } finally {
    await rm(top, { recursive: true, force: true, maxRetries: 5 });
  }
});
