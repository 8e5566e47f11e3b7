import { join } from "node:path";
import { emptyAccount } from "../src/handoff/account.ts";
import { type DocumentHead, renderDocument } from "../src/handoff/document.ts";
import { storeDocument } from "../src/handoff/library.ts";
import type { JobEvent } from "../src/job/events.ts";
import { Journal } from "../src/jobs/journal.ts";
import { thisProcess } from "../src/processes/owner.ts";
import { claimJob } from "../src/store/claims.ts";
import { createJob } from "../src/store/jobs.ts";
import { openStore } from "../src/store/store.ts";

export interface HandedOff {
  id: string;
  epic?: string;
  /** When it was created, handed off and completed. */
  at: Date;
  handoffs?: number;
  /** Of every handoff. The first one is mended unless given. */
  outcome?: "written" | "from-facts";
  /** `open`: it paused, and is not over. */
  end?: "completed" | "failed" | "cancelled" | "open";
}

/** Puts a job with its handoffs on record, as if it had run, and says where the documents are. */
export async function handedOffJob(
  folder: string,
  { id, epic, at, handoffs = 1, outcome, end = "completed" }: HandedOff,
): Promise<string[]> {
  await using store = await openStore(join(folder, ".baton", "baton.db"));
  const created = { type: "job:created" as const, agent: "coder", prompt: `Do ${id}`, agentConfig: {} };
  await createJob(store, id, { ...created, ...(epic && { epic }) }, at);
  const claim = await claimJob(store, id, thisProcess(), at);
  await using journal = new Journal(store, claim, () => at);
  await journal.record({ type: "job:started", pid: 1, marker: "m" });
  const paths: string[] = [];
  for (let number = 1; number <= handoffs; number++) {
    const how = outcome ?? (number === 1 ? "mended" : "written");
    const head = headOf(id, number, at, how);
    const account = {
      ...emptyAccount(),
      goal: `Goal of ${id}`,
      nextSteps: [`Step ${number} with \`npm test\``],
    };
    const text = renderDocument({ head, account, facts: "None." });
    const documentPath = await storeDocument({ dir: join(folder, ".baton", "handoffs") }, at, text);
    paths.push(documentPath);
    for (const event of eventsOf(head, documentPath)) await journal.record(event);
  }
  if (end === "completed") await journal.record({ type: "job:completed", result: "Done" });
  if (end === "failed") await journal.record({ type: "job:failed", error: "No luck" });
  if (end === "cancelled") await journal.record({ type: "job:cancelled", message: "By you" });
  return paths;
}

function headOf(job: string, number: number, at: Date, outcome: DocumentHead["outcome"]): DocumentHead {
  return {
    job,
    agent: "coder",
    number,
    previous: null,
    created: at.toISOString(),
    reason: "threshold",
    source: outcome === "from-facts" ? "facts" : "agent",
    outcome,
    session: `session-${number}`,
    transcript: null,
    tokens: 180_000,
    window: 200_000,
    percent: 90,
    branch: null,
    head: null,
    checkpoint: null,
    checks: { complete: outcome === "written" ? "ok" : "mended" },
  };
}

function eventsOf({ job, number, session, source, outcome }: DocumentHead, documentPath: string): JobEvent[] {
  return [
    { type: "session:starting", session, ordinal: number, mode: number === 1 ? "fresh" : "continuation" },
    {
      type: "context:handoff:start",
      agentName: "coder",
      jobId: job ?? "",
      oldSessionId: session,
      usagePercent: 0.9,
      inputTokens: 180_000,
      contextWindow: 200_000,
      trigger: "threshold",
      handoffNumber: number,
    },
    {
      type: "handoff:stored",
      handoffNumber: number,
      session,
      source,
      outcome,
      checks: [{ name: "complete", ok: outcome === "written", missing: [] }],
      documentPath,
      durationMs: 1_000,
    },
  ];
}
