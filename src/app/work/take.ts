import { costWithin } from "../../config/chosen.ts";
import { recordable } from "../../config/recordable.ts";
import type { Waiting } from "../../fleet/admission.ts";
import { newJobId } from "../../jobs/new-id.ts";
import { type ItemWait, whyNot, whyNotRead } from "../../sources/choose.ts";
import type { Claim, ClaimAnswer } from "../../sources/claims/claim.ts";
import { nameAmong } from "../../sources/names.ts";
import type { Item, ItemDetails } from "../../sources/source.ts";
import { createQueuedJob } from "../../store/queue.ts";
import type { Store } from "../../store/store.ts";
import { noteItem } from "../../store/work-items.ts";
import { newTag } from "../../util/frame.ts";
import { given } from "../../util/given.ts";
import { MINUTE_MS } from "../../util/time.ts";
import type { Line, Lines } from "./lines.ts";
import { itemPrompt } from "./prompt.ts";
import { leftTooOften } from "./report.ts";
import { seenNow } from "./seen.ts";

/** An item that would be taken if its agent had a slot for it. */
export interface Candidate extends Waiting {
  line: Line;
  item: Item;
}

interface Begun {
  candidate: Candidate;
  over: Promise<void>;
  /** It has a job since this round. */
  since?: number;
}

/** Items that are being taken, or have just been: each needs a slot, also where its job is not yet seen in the queue. */
export class Takings {
  readonly #begun = new Map<string, Begun>();
  #round = 0;

  get all(): ReadonlyMap<string, Candidate> {
    return new Map([...this.#begun].map(([key, { candidate }]) => [key, candidate]));
  }

  /** `taken`: resolves with whether it has a job, and never rejects. */
  begin(key: string, candidate: Candidate, taken: Promise<boolean>): void {
    const begun: Begun = { candidate, over: Promise.resolve() };
    begun.over = taken.then((hasJob) => {
      if (hasJob) begun.since = this.#round;
      else this.#begun.delete(key);
    });
    this.#begun.set(key, begun);
  }

  /** The queue was read. A job that came while it was read is in what is read the next time. */
  nextRound(): void {
    this.#round++;
    for (const [key, { since }] of this.#begun)
      if (since !== undefined && this.#round - since > 1) this.#begun.delete(key);
  }

  async ended(): Promise<void> {
    await Promise.all([...this.#begun.values()].map(({ over }) => over));
  }
}

/** How long an item is left to whoever has it, where that is not known. */
const HELD_MS = MINUTE_MS;

/** `isLeft`: somebody had it, and left it without an end. */
export type Taken =
  | { job: string; claim: Claim; item: Item; isLeft: boolean }
  | { why: ItemWait; forMs?: number };

interface Taking {
  store: Store;
  lines: Pick<Lines, "claimsOf" | "feeds">;
  /** Of the configuration that says so. */
  configPath: string | undefined;
  priority?: number;
  /** More than this the job may not cost, whatever is configured. */
  mostUsd?: number;
  /** A person wants it: whose words it holds, and whom it is assigned to, they have seen. */
  byPerson?: true;
  signal: AbortSignal;
  now: Date;
}

/**
 * Claims an item that may be taken, reads it anew, and puts a job for it into the queue. Whatever is killed in between, the claim
 * is on record with the id of a job, and without that job it is given up again.
 */
export async function takeItem(
  line: Line,
  item: Pick<Item, "id" | "isReady">,
  taking: Taking,
): Promise<Taken> {
  const { agent, feed } = line;
  const { store, lines, signal, now } = taking;
  const read = async () => {
    const details = await feed.source.read(item.id, signal);
    // What a killed fleet left has lost its label already.
    return details && !item.isReady ? { ...details, isReady: true } : details;
  };
  // A claim may stand in the item itself, for people to see, and changes it: there is none of what is not taken.
  const refused = whyNotNow(await read(), line, taking);
  if (refused) return { why: refused };
  const job = newJobId();
  const claims = await lines.claimsOf(line);
  const source = feed.source.name;
  const answer = await claims.claim({ source, item: item.id, job, agent: agent.name }, signal);
  if (answer.kind !== "claimed") return notClaimed(answer, item, now);
  const { claim, attempts, left } = answer;
  try {
    const found = await read();
    const why = whyNotNow(found, line, taking);
    if (!why && found && left && attempts >= line.config.attempts && !taking.byPerson) {
      await markHopeless(found, line, { attempts, claim, signal });
      await claim.end("released");
      return { why: HOPELESS };
    }
    if (why || !found) {
      await claim.end("released");
      return { why: why ?? GONE };
    }
    const seen = seenNow(found, line.config, { serverTime: feed.source.serverTime, now: new Date() });
    await noteItem(store, { source, item: item.id }, { seen });
    await createJob(job, line, found, taking);
    return { job, claim, item: found, isLeft: left };
  } catch (error) {
    await claim.end("released").catch(() => {});
    throw error;
  }
}

/** It may be what ends those who work on it. */
async function markHopeless(
  item: Item,
  { feed: { source }, config }: Line,
  { attempts, claim, signal }: { attempts: number; claim: Claim; signal: AbortSignal },
): Promise<void> {
  await claim.confirm();
  await source.markReleased(item, { failed: true, ready: false }, signal);
  await claim.confirm();
  const text = leftTooOften({ attempts, most: config.attempts });
  await source.report(item, { marker: `baton:left:${claim.epoch}`, text }, signal);
}

const HOPELESS: ItemWait = { code: "failed", text: "it was left without an end too often" };

const GONE: ItemWait = { code: "closed", text: "it is gone" };

/** Why it would not be taken, by what its tracker says of it now. */
export function whyNotNow(
  details: ItemDetails | undefined,
  { config }: Pick<Line, "config">,
  { byPerson }: Pick<Taking, "byPerson">,
): ItemWait | undefined {
  if (!details) return GONE;
  if (!byPerson) return whyNot(details, config) ?? whyNotRead(details, config);
  if (!details.isOpen) return { code: "closed", text: "it is closed" };
  return whyNotRead({ ...details, readyBy: { by: { name: "", trusted: true }, at: "" } }, config);
}

async function createJob(
  id: string,
  { agent, schedule, config, feed }: Line,
  item: ItemDetails,
  { store, lines, configPath, priority = 0, mostUsd, now }: Taking,
): Promise<void> {
  const others = lines.feeds.map(({ source }) => source);
  const asked = schedule?.prompt ?? agent.defaultPrompt;
  const chosen = costWithin(mostUsd, agent.limits);
  await createQueuedJob(
    store,
    id,
    {
      type: "job:created",
      agent: agent.name,
      prompt: itemPrompt(asked, item, config, newTag()),
      ...(configPath !== undefined && { configPath }),
      workItem: {
        ...{ id: item.id, title: item.title.slice(0, 500), url: item.url, source: feed.source.name },
        ...given({ name: nameAmong(others, feed.source, item) }),
      },
      ...(schedule && { schedule: schedule.name }),
      ...(chosen.maxCostUsd !== undefined && { chosen }),
      agentConfig: recordable(agent),
    },
    { priority },
    now,
  );
}

function notClaimed(
  answer: Exclude<ClaimAnswer, { kind: "claimed" }>,
  { id }: Pick<Item, "id">,
  now: Date,
): Taken {
  switch (answer.kind) {
    case "done": {
      const text = `it was delivered before: baton work release ${id} has it worked on again`;
      return { why: { code: "delivered", text } };
    }
    case "held": {
      const { by, until } = answer;
      const forMs = until ? Math.max(1_000, until.getTime() - now.getTime()) : HELD_MS;
      return { why: { code: "held", text: `${by} has it` }, forMs };
    }
    case "unreachable":
      throw new Error(`It could not be claimed: ${answer.why}`);
  }
}
