import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { AgentSession } from "../src/agents/agent.ts";
import { TranscriptReader } from "../src/agents/claude/transcript/reader.ts";
import { claudeModels } from "../src/agents/claude/windows.ts";
import { AccountInbox } from "../src/handoff/account-inbox.ts";
import { FactCollector } from "../src/handoff/collect.ts";
import { noFacts } from "../src/handoff/facts.ts";
import { jobId } from "../src/job/id.ts";
import { Journal } from "../src/jobs/journal.ts";
import { LiveSession } from "../src/jobs/run/live-session.ts";
import { sessionMark } from "../src/processes/marks.ts";
import { thisProcess } from "../src/processes/owner.ts";
import { claimJob } from "../src/store/claims.ts";
import { createJob } from "../src/store/jobs.ts";
import { openStore, type Store } from "../src/store/store.ts";
import { type Measure, median, timed } from "./measure.ts";
import { parseLines, transcriptsIn } from "./transcripts.ts";

const ROUNDS = 15;
const WARM_UP_ROUNDS = 5;

/** Real transcripts as a job hears them, every event that belongs in the journal durable, against parsing each line. */
export async function measureTrackerJournal(folder?: string): Promise<Measure> {
  const { files, megabytes } = await transcriptsIn(folder);
  const root = await mkdtemp(join(tmpdir(), "baton-bench-"));
  try {
    await using store = await openStore(join(root, "baton.db"));
    const journaling: number[] = [];
    const parsing: number[] = [];
    let events = 0;
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      let parsed = 0;
      let journaled = 0;
      events = 0;
      for (const file of files) {
        parsed += await timed(() => parseLines(file));
        await using journal = await newJournal(store);
        journaled += await timed(() => hear(file, journal));
        events += journal.job.seq;
      }
      if (round < 0) continue;
      parsing.push(parsed);
      journaling.push(journaled);
    }
    return {
      name: "tracker-journal",
      value: median(journaling) / median(parsing),
      unit: "ratio",
      limit: 3,
      detail: {
        compared: "tracker and durable journal over real transcripts / JSON.parse of the same lines",
        journalMs: median(journaling),
        parseMs: median(parsing),
        events,
        megabytes,
        files: files.length,
        rounds: ROUNDS,
      },
    };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function newJournal(store: Store): Promise<Journal> {
  const now = new Date();
  const id = jobId(now, randomBytes(6));
  await createJob(store, id, { type: "job:created", agent: "coder", prompt: "Go", agentConfig: {} }, now);
  return new Journal(store, await claimJob(store, id, thisProcess(), now), () => new Date());
}

async function hear(file: string, journal: Journal): Promise<void> {
  const live = new LiveSession(recorded(file), {
    models: claudeModels,
    record: (event) => journal.append(event),
    facts: new FactCollector("/", noFacts("")),
    mark: sessionMark(""),
    inbox: new AccountInbox(),
  });
  const never = new AbortController().signal;
  while ((await live.next(Number.POSITIVE_INFINITY, never))?.type !== "exit");
  await journal.flush();
  if (live.context.turns === 0)
    throw new Error(`${file} holds no response: it is not a Claude Code transcript.`);
}

/** A session that has run: all that is left of it is what it did. */
function recorded(file: string): AgentSession {
  const nothing = async () => undefined;
  return {
    id: basename(file, ".jsonl"),
    events: { [Symbol.asyncIterator]: () => new TranscriptReader(file).read() },
    send() {},
    stopAtBoundary() {},
    goOn() {},
    interrupt: nothing,
    letCompact: async () => false,
    contextUsage: nothing,
    costSoFar: nothing,
    close: nothing,
  };
}
