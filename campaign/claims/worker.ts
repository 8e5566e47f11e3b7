import { appendFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { newJobId } from "../../src/jobs/new-id.ts";
import type { Claim } from "../../src/sources/claims/claim.ts";
import { Claims } from "../../src/sources/claims/claims.ts";
import { ClaimLostError } from "../../src/sources/claims/errors.ts";
import { GitRegister } from "../../src/sources/claims/git-register.ts";
import { openGitHub } from "../../src/sources/github/open.ts";
import { type Item, SourceError } from "../../src/sources/source.ts";
import { createJob } from "../../src/store/jobs.ts";
import { openStore } from "../../src/store/store.ts";
import { listItems, noteItem } from "../../src/store/work-items.ts";
import type { Said, What } from "./judge.ts";
import { DELIVERED, LABELS, type WorkerOrders } from "./orders.ts";

// One of several processes of a fleet: takes items, works on them for a moment and delivers, until it is killed.

const orders: WorkerOrders = JSON.parse(process.argv[2] ?? "{}");
const { signal } = new AbortController();
const source = openGitHub(
  { repo: orders.repo, apiUrl: orders.api, labels: LABELS, auth: { kind: "token", env: "CLAIMS_TOKEN" } },
  process.env,
);
await using store = await openStore(`${orders.folder}/.baton/baton.db`);
await using claims = new Claims({
  ...{ store, source: source.name, leaseMs: orders.leaseMs, serverTime: () => source.serverTime },
  register: new GitRegister({ root: orders.folder, remote: "origin", source: source.name }),
});

function say(what: What, item: string, job: string, epoch = 0): void {
  const said: Said = { at: Date.now(), worker: orders.name, pid: process.pid, what, item, job, epoch };
  appendFileSync(orders.log, `${JSON.stringify(said)}\n`);
  process.send?.(what);
}

const between = ([shortest, longest]: readonly [number, number]) =>
  shortest + Math.random() * (longest - shortest);

/** The tracker is told what it is to show. Written down before and after, so that a kill between them leaves nothing wrong. */
async function mark(id: string, shown: "taken" | "delivered" | "ready"): Promise<void> {
  await noteItem(store, { source: source.name, item: id }, { mark: shown, marked: null });
  await tell(id, shown);
}

async function tell(id: string, shown: string | null): Promise<void> {
  const item = await source.read(id, signal);
  if (item && shown === "taken") await source.markTaken(item, signal);
  // Another process may have said late that it is ready again.
  if (item && shown === "delivered") await source.markReleased(item, { failed: false, ready: false }, signal);
  if (item && shown === "ready") await source.markReleased(item, { failed: false, ready: true }, signal);
  await noteItem(store, { source: source.name, item: id }, { marked: shown });
}

const isDelivered = async (id: string) =>
  (await source.read(id, signal))?.comments.some(({ text }) => text.startsWith(DELIVERED)) ?? false;

async function work(claim: Claim, job: string): Promise<void> {
  const { item, epoch } = claim;
  say("begins", item, job, epoch);
  try {
    await mark(item, "taken");
    await sleep(between(orders.workMs), undefined, { signal: claim.lost });
    const isFailed = Math.random() < orders.failShare;
    const isToDeliver = !isFailed && !(await isDelivered(item));
    // Also where nothing is delivered: whoever was overtaken meanwhile has lost it, and did not work to the end.
    await claim.confirm();
    if (isToDeliver) {
      say("delivers", item, job, epoch);
      const path = `/repos/${orders.repo}/issues/${item}/comments`;
      const body = { body: `${DELIVERED}${job}, claim ${epoch}` };
      await source.connection.ask({ method: "POST", path, body, once: true, signal });
    }
    say("ends", item, job, epoch);
    await claim.end(isFailed ? "failed" : "done");
    say(isFailed ? "failed" : "done", item, job, epoch);
    await mark(item, isFailed ? "ready" : "delivered");
    say("told", item, job, epoch);
  } catch (error) {
    const isLost = claim.lost.aborted || error instanceof ClaimLostError;
    say(isLost ? "loses" : "ends", item, job, epoch);
    if (isLost) return;
    if (!(error instanceof SourceError)) throw error;
    await claim.end("released");
  }
}

/** What a killed process of this fleet left: its jobs, and what the tracker was not told any more. */
async function continueOthers(): Promise<void> {
  for (const { item, job } of await claims.recover()) {
    const claim = await claims.resume(job);
    if (claim) await work(claim, job);
    else say("is overtaken", item, job);
  }
  for (const { item, state, mark, marked } of await listItems(store, { source: source.name })) {
    if (mark !== marked && ["done", "failed", "released", "free"].includes(state)) {
      await tell(item, state === "done" ? "delivered" : mark === "taken" ? null : mark);
    }
  }
}

/** Those that are ready, and those that only look taken. */
function candidates(items: readonly Item[]): Item[] {
  const wanted = items.filter(({ isOpen, isReady, isMarkedTaken }) => isOpen && (isReady || isMarkedTaken));
  return wanted.sort((a, b) => Number(b.isReady) - Number(a.isReady) || Number(a.id) - Number(b.id));
}

let items: Item[] = [];

async function takeOne(): Promise<boolean> {
  const poll = await source.poll(signal);
  if (poll.kind === "items") items = poll.items;
  const wanted = candidates(items).slice(0, 12);
  const standing = await claims.look(wanted.map(({ id }) => id));
  for (const { id } of wanted) {
    const look = standing.get(id);
    if (look?.kind === "done") await tell(id, "delivered");
    if (look?.kind !== "free") continue;
    const job = newJobId();
    say("tries", id, job);
    const answer = await claims.claim({ source: source.name, item: id, job, agent: "coder" });
    if (answer.kind !== "claimed") continue;
    const { claim } = answer;
    say("claims", id, job, claim.epoch);
    if (!(await source.read(id, signal))?.isOpen || (await isDelivered(id))) {
      await claim.end("done");
      await mark(id, "delivered");
      continue;
    }
    const created = { type: "job:created", agent: "coder", prompt: `Issue ${id}`, agentConfig: {} } as const;
    try {
      await createJob(store, job, created, new Date());
    } catch (error) {
      await claim.end("released");
      throw error;
    }
    await work(claim, job);
    return true;
  }
  return false;
}

flushCompileCache();
say("starts", "", "");
process.once("disconnect", () => process.exit());
for (;;) {
  try {
    await continueOthers();
    if (!(await takeOne())) await sleep(between(orders.idleMs));
  } catch (error) {
    say("stumbles", "", String(error).slice(0, 300));
    await sleep(100);
  }
}
