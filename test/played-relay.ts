import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Agent } from "../src/agents/agent.ts";
import type { JobEvent, JournalEvent } from "../src/job/events.ts";
import type { Job } from "../src/job/job.ts";
import { Journal } from "../src/jobs/journal.ts";
import { newJob } from "../src/jobs/new-job.ts";
import { Conversation, type Wish } from "../src/jobs/run/conversation.ts";
import { type RelayOptions, runJob } from "../src/jobs/run/relay.ts";
import { jobEnvironment } from "../src/jobs/run/spec.ts";
import { thisProcess } from "../src/processes/owner.ts";
import { claimJob } from "../src/store/claims.ts";
import { openStore, type Store } from "../src/store/store.ts";
import { temporaryFolder } from "./job-worktree.ts";
import { type Changes, configIn, PROMPT } from "./played-job.ts";
import { type Part, PlayedAgent } from "./played-session.ts";

export interface RelayedJob {
  id: string;
  folder: string;
  store: Store;
  /** Records what an earlier owner of the job saw, and gives the job up. */
  lived(...events: JobEvent[]): Promise<void>;
  /** Runs it to its end with an agent that plays these parts. */
  run(parts: Part[], options?: RunOptions): Promise<Relayed>;
}

interface RunOptions
  extends Partial<Pick<RelayOptions, "control" | "conversation" | "env" | "standIns" | "join" | "now">> {
  /** Told each event when it is durable. */
  on?: (event: JournalEvent, running: Running) => unknown;
  /** Where transcripts of earlier sessions are. */
  transcripts?: Record<string, string>;
  /** What its program cannot do. */
  abilities?: Partial<Agent["abilities"]>;
}

interface Running {
  agent: PlayedAgent;
  stop: AbortController;
}

interface Relayed extends Running {
  job: Job;
  events: JournalEvent[];
}

/** A job on record that nobody runs yet, in a folder of its own. */
export async function relayedJob(
  { folder, config: changes, continues }: { folder?: string; config?: Changes; continues?: string } = {},
  known?: Store,
): Promise<RelayedJob> {
  const place = folder ?? (await temporaryFolder());
  const config = configIn(place, changes);
  const store = known ?? (await openStore(join(place, ".baton", "baton.db")));
  if (!known) onTestFinished(() => store.close());
  const origin = continues === undefined ? {} : { continues: { document: continues } };
  const id = await newJob(store, origin, config, PROMPT);
  const now = () => new Date();
  const claimed = async () => new Journal(store, await claimJob(store, id, thisProcess(), now()), now);
  return {
    id,
    folder: place,
    store,
    async lived(...events) {
      await using journal = await claimed();
      for (const event of events) journal.append(event);
    },
    async run(parts, { on, transcripts = {}, abilities, ...options } = {}) {
      await using journal = await claimed();
      const agent = new PlayedAgent(...parts);
      for (const [session, path] of Object.entries(transcripts)) agent.transcripts.set(session, path);
      agent.abilities = { ...agent.abilities, ...abilities };
      const stop = new AbortController();
      const events: JournalEvent[] = [];
      journal.subscribe((event) => {
        events.push(event);
        on?.(event, { agent, stop });
      });
      const own = { PATH: process.env.PATH ?? "" };
      const env = jobEnvironment(own, config, { job: id, attempt: journal.attempt });
      const job = await runJob({ journal, config, agent, env, signal: stop.signal, ...options });
      return { agent, stop, job, events };
    },
  };
}

/** A person who wants these things, one after the other, each time they are waited for. */
export function personWith(...wishes: Wish[]): Conversation {
  const person: Conversation = new Conversation({
    overhear() {},
    onAwaited() {
      const wish = wishes.shift();
      if (wish) person.want(wish);
    },
    onTakenUp() {},
    permit: async () => ({ answer: "no" }),
  });
  return person;
}
