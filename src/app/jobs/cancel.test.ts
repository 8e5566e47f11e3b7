import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { temporaryFolder } from "../../../test/job-worktree.ts";
import { thisProcess } from "../../processes/owner.ts";
import { claimJob, releaseJob } from "../../store/claims.ts";
import { createJob } from "../../store/jobs.ts";
import { takeRequests } from "../../store/requests.ts";
import { openStore } from "../../store/store.ts";
import { cancelById } from "./cancel.ts";

it("asks again where the process that has the job has it anew", async () => {
  await using store = await openStore(join(await temporaryFolder(), "baton.db"));
  const id = "job-2026-01-01-abc123";
  const created = { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} } as const;
  await createJob(store, id, created, new Date());
  const claimedAt = (second: number) => claimJob(store, id, thisProcess(), new Date(second * 1_000));
  const isAsked = ({ attempt }: { attempt: number }) =>
    vi.waitFor(async () => expect(await takeRequests(store, id, attempt, new Date())).toHaveLength(1));
  const first = await claimedAt(1);
  const cancelling = cancelById(store, id);
  await isAsked(first);
  await releaseJob(store, id, first.attempt);
  const second = await claimedAt(2);
  await isAsked(second);
  await releaseJob(store, id, second.attempt);
  expect(await cancelling).toMatchObject({ status: "cancelled" });
});
