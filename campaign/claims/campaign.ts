import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { git, openBare } from "../../src/git/git.ts";
import { parseRecord } from "../../src/sources/claims/record.ts";
import { claimRef } from "../../src/sources/claims/ref-name.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { isTaken, listItems } from "../../src/store/work-items.ts";
import { startGitHub } from "../../test/github-server.ts";
import { addOrigin, beginRepository, git as inTest } from "../../test/repository.ts";
import { pick, randomFrom } from "../random.ts";
import { type ClaimsVerdict, judgeClaims, type Said, type Struck } from "./judge.ts";
import { DELIVERED, LABELS } from "./orders.ts";
import { type Strike, strike, Worker } from "./processes.ts";

const FLEETS = ["one", "two"];
const WORKERS = 3;
const REPO = "acme/app";
/** Of all strikes. */
const STRIKES = { worker: 8, fleet: 1, asleep: 1 };

interface ClaimsCampaign {
  /** A folder for it alone. */
  top: string;
  items: number;
  kills: number;
  seed: number;
  leaseMs: number;
  /** What one item takes. */
  workMs: readonly [number, number];
  /** Before a worker looks again that found nothing to take. */
  idleMs: readonly [number, number];
  signal: AbortSignal;
  say: (line: string) => void;
}

type ClaimsReport = ClaimsVerdict & { strikes: Record<Strike, number>; seconds: number };

/** Two fleets of three processes each, one remote and one tracker whose reads lag, while processes are killed. */
export async function claimsCampaign(options: ClaimsCampaign): Promise<ClaimsReport> {
  const { top, items, kills, seed, leaseMs, workMs, idleMs, signal, say } = options;
  const began = performance.now();
  const random = randomFrom(seed);
  const log = join(top, "log.jsonl");
  writeFileSync(log, "");
  const latencyMs = () => Math.random() * 15;
  await using github = await startGitHub({ lagMs: 60, latencyMs, limit: 1e9, contentPerMinute: 1e9 });
  const collaborators = Object.fromEntries(FLEETS.map((name) => [name, "write" as const]));
  const repo = github.repo(REPO, { collaborators: { alice: "write", ...collaborators } });
  for (let item = 1; item <= items; item++) {
    repo.open({ title: `Item ${item}`, by: "alice", labels: [LABELS.ready] });
  }
  const { folders, remote } = await makeFolders(top);
  await using stores = await openStores(folders);
  const workers = folders.flatMap((folder, fleet) => {
    const login = FLEETS[fleet] ?? "";
    const token = github.accounts.token(login);
    return Array.from({ length: WORKERS }, (_, number) => {
      const place = { folder, api: github.url, repo: REPO, log, compiled: join(top, "compiled") };
      const pace = { leaseMs, workMs, idleMs, failShare: 0.05 };
      return new Worker({ name: `${login}-${number}`, ...place, ...pace }, { fleet, token });
    });
  });
  const numbers = Array.from({ length: items }, (_, index) => index + 1);
  const isMarked = (number: number) =>
    repo.issue(number).labels.some((label) => label === LABELS.ready || label === LABELS.inProgress);
  const finished = () => numbers.filter((number) => !isMarked(number)).length;
  const isOver = async () => finished() === items && (await stores.taken()).length === 0;
  const struck: Struck[] = [];
  const strikes: Record<Strike, number> = { worker: 0, fleet: 0, asleep: 0 };
  const again: Promise<void>[] = [];
  try {
    const [first, ...others] = workers;
    await first?.start();
    await Promise.all(others.map((worker) => worker.start()));
    let aimed = 0;
    while (!signal.aborted) {
      const killed = struck.filter(({ how }) => how === "killed").length;
      say(`${finished()} of ${items} items, ${killed} of ${kills} kills`);
      if (killed >= kills && (await isOver())) break;
      const ahead = killed / Math.max(kills, 1) - finished() / items;
      await sleep(ahead > 0 ? 100 + random() * 300 : random() * 100);
      if (killed + aimed >= kills || ahead > 0.1) continue;
      const what = pick<Strike>(random, STRIKES);
      strikes[what]++;
      aimed++;
      let isOpen = true;
      const hit = (ones: Struck[]) => {
        struck.push(...ones);
        if (isOpen) aimed--;
        isOpen = false;
      };
      // Whoever only sleeps holds up nobody else.
      if (what === "asleep") hit([]);
      again.push(strike(what, { workers, random, leaseMs, struck: hit }));
    }
    await Promise.all(again);
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
  }
  const lines = readFileSync(log, "utf8").split("\n").filter(Boolean);
  const said = lines.map((line): Said => JSON.parse(line));
  const verdict = judgeClaims(said, struck, {
    items: numbers.map(String),
    deliveries: new Map(
      numbers.map((number) => [
        String(number),
        repo.issue(number).comments.filter(({ body }) => body.startsWith(DELIVERED)).length,
      ]),
    ),
    states: await statesAt(remote, `github:${new URL(github.url).host}/${REPO}`, numbers),
    taken: await stores.taken(),
    marked: numbers.filter(isMarked).map(String),
  });
  return { ...verdict, strikes, seconds: Math.round((performance.now() - began) / 1_000) };
}

async function makeFolders(top: string): Promise<{ folders: string[]; remote: string }> {
  const remote = join(top, "remote.git");
  const folders = FLEETS.map((name) => join(top, name));
  for (const [index, folder] of folders.entries()) {
    if (index === 0) {
      mkdirSync(folder);
      writeFileSync(join(folder, "baton.yaml"), "");
      await beginRepository(folder);
      await addOrigin(folder, remote);
    } else await inTest(top, "clone", "-q", "--template=", remote, folder);
  }
  return { folders, remote };
}

async function openStores(folders: readonly string[]) {
  const stores: Store[] = [];
  for (const folder of folders) stores.push(await openStore(join(folder, ".baton", "baton.db")));
  return {
    /** What a store says that somebody has. */
    taken: async () =>
      (await Promise.all(stores.map((store) => listItems(store))))
        .flat()
        .filter(isTaken)
        .map(({ item }) => item),
    [Symbol.asyncDispose]: async () => {
      for (const store of stores) await store.close();
    },
  };
}

/** What the remote itself says of each item. */
async function statesAt(
  remote: string,
  source: string,
  numbers: readonly number[],
): Promise<Map<string, string>> {
  openBare(remote);
  const states = new Map<string, string>();
  for (const number of numbers) {
    const ref = claimRef(source, String(number));
    const text = await git(remote, ["log", "-1", "--format=%B", ref, "--"]).catch(() => "");
    const record = parseRecord(text);
    if (record) states.set(String(number), record.state);
  }
  return states;
}
