import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import type { AgentConfig } from "../../config/config.ts";
import { percentUsed } from "../../context/tracker.ts";
import { lock } from "../../files/lock.ts";
import type { Account } from "../../handoff/account.ts";
import { FactCollector } from "../../handoff/collect.ts";
import { parseDocument } from "../../handoff/document.ts";
import type { Facts } from "../../handoff/facts.ts";
import { isFile } from "../../handoff/history.ts";
import type { Announced } from "../../handoff/library.ts";
import { syncFolder } from "../../handoff/library.ts";
import {
  type Draft,
  draftFromAccount,
  draftHandoff,
  type Origin,
  type Stored,
  storeDraft,
} from "../../handoff/make.ts";
import { renderAccount } from "../../handoff/markdown.ts";
import { documentTextOrNone } from "../../handoff/read-document.ts";
import { redactor } from "../../secrets/redact.ts";
import { chainOf } from "../record/chain.ts";
import { hasHadAccount, isAskedSince, tellsNothingNow } from "../record/handoff-questions.ts";
import {
  asked,
  askedAgain,
  type HandoffPlace,
  isAsked,
  placeOf,
  type SessionHandoff,
  stopped,
  stored,
  withFacts,
} from "../record/handoff-state.ts";
import type { LookUpJobs } from "../record/job-worker.ts";
import { keepFacts } from "../record/kept-facts.ts";
import type { Registry } from "../record/registry.ts";
import type { OwnSession } from "../record/session.ts";
import { workerTable } from "../record/workers.ts";
import { type Evidence, evidenceOf } from "./evidence.ts";
import { isEmpty } from "./session-facts.ts";

export interface StoreOptions {
  registry: Registry;
  /** Of the agent of the project. */
  handoff: AgentConfig["handoff"];
  /** Secrets in it are taken out of all that is stored. */
  env: Record<string, string>;
  /** What `baton watch` sends orchestrators: it is not a person's word. */
  checkMessage: string;
  /** Of jobs that an orchestrator started. */
  lookUpJobs: LookUpJobs;
  /** The file in which the account was written, and which becomes the document. */
  announced?: Announced;
  /** Refuses unless the session is still asked as it was given here: it may have handed over by itself. */
  onlyIfAsked?: boolean;
  signal?: AbortSignal;
}

/**
 * What became of an account. `again`: it falls short, nothing is stored, and the next one will be completed from facts. `stopped`: the
 * document is stored, but the session must not end before a person has seen to something.
 */
export type Submission =
  | { status: "stored"; number: number; documentPath: string; mended: string | null; warnings: string[] }
  | { status: "again"; missing: string[] }
  | { status: "stopped"; number: number; documentPath: string; reason: string };

class NothingToHandOffError extends Error {
  override readonly name = "NothingToHandOffError";

  constructor() {
    super("Nothing to hand off yet: nothing was said or done in this session. Continue the work.");
  }
}

class AlreadyHandedOverError extends Error {
  override readonly name = "AlreadyHandedOverError";

  constructor() {
    super("This session was handed over and is being cleared. Do nothing more: end your turn.");
  }
}

class CancelledError extends Error {
  override readonly name = "CancelledError";

  constructor() {
    super("The user has cancelled this handoff. Do not submit it: continue the work, or end your turn.");
  }
}

/** Somebody else was quicker. */
export class NoLongerAskedError extends Error {
  override readonly name = "NoLongerAskedError";

  constructor() {
    super("This session is no longer asked for this handoff. Ask again if another one is wanted.");
  }
}

/** Records that the session is asked for its handoff, and returns the number that it gets. */
export async function askForHandoff(
  registry: Registry,
  session: OwnSession,
  { trigger, focus }: Pick<HandoffPlace, "trigger" | "focus">,
): Promise<number> {
  const [, parent] = await chainOf(registry, session);
  const after = await registry.update(session.id, (known = session) => {
    if (known.handoff?.state === "clearing") throw new AlreadyHandedOverError();
    const place = { ...placeOf(known.handoff, parent?.handoff), trigger, ...(focus && { focus }) };
    return { ...known, handoff: asked(place, new Date().toISOString()) };
  });
  return after?.handoff?.number ?? 1;
}

/**
 * Checks the account of a person's session against its transcript and its folder, and stores it. Whatever the answer
 * says is on disk before it is given.
 */
export async function storeHandoff(
  given: OwnSession,
  account: Account,
  options: StoreOptions,
): Promise<Submission> {
  const { registry, signal = new AbortController().signal } = options;
  using _lock = await lock(registry.beside("locks", given.id), signal);
  const session = await withTranscript((await registry.find(given.id)) ?? given);
  if (options.onlyIfAsked && !isAskedSince(session.handoff, given.handoff?.at))
    throw new NoLongerAskedError();
  if (session.handoff?.state === "clearing") throw new AlreadyHandedOverError();
  // What they say afterwards may ask for one after all.
  if (session.handoff?.state === "cancelled" && !session.handoff.told) throw new CancelledError();
  const { place, parts, warnings } = await partsOf(session, options);
  const { facts } = parts;
  if (session.transcript !== null && isEmpty(facts)) throw new NothingToHandOffError();

  const second = hasHadAccount(session.handoff);
  const received = await draftFromAccount(parts, account, second);
  if ("missing" in received) {
    const { missing } = received;
    const again = askedAgain(place, missing, new Date().toISOString(), session.handoff);
    await setHandoff(registry, session, again);
    return { status: "again", missing };
  }

  const { written } = received.draft;
  const mended = written.reason;
  const same = await sameOnDisk(session.handoff, written.account);
  if (same) return { status: "stored", ...same, mended, warnings };
  const onDisk = await storeWithFacts(session, received.draft, options);
  const { documentPath, created, conflict: reason } = onDisk;
  const at = created.toISOString();
  if (reason !== undefined) {
    await setHandoff(registry, session, stopped(place, documentPath, reason, at));
    return { status: "stopped", number: place.number, documentPath, reason };
  }
  await setHandoff(registry, session, stored(place, documentPath, at));
  return { status: "stored", number: place.number, documentPath, mended, warnings };
}

/** Why a document is made without the agent. */
const WITHOUT_AGENT = "the agent did not submit it before its window was full";

/**
 * Stores a document without the session's account: what a machine knows of it. Undefined where the session has handed over
 * after all, or where there is nothing to tell. The session continues, and may still submit its own.
 */
export async function storeFromFacts(
  id: string,
  options: StoreOptions,
): Promise<{ number: number; documentPath: string } | undefined> {
  const { registry, signal = new AbortController().signal } = options;
  using _lock = await lock(registry.beside("locks", id), signal);
  const known = await registry.find(id);
  if (!known || !tellsNothingNow(known.handoff)) return undefined;
  const session = await withTranscript(known);
  const { place, parts, turns } = await partsOf(session, options);
  if (isEmpty(parts.facts)) return undefined;
  const isAskedFor = isAsked(session.handoff);
  const origin = isAskedFor ? parts.origin : { ...parts.origin, reason: "overflow" as const };
  const nobody = { kind: "nobody", why: WITHOUT_AGENT, byHook: false } as const;
  const draft = await draftHandoff({ ...parts, origin }, nobody);
  const { documentPath, created } = await storeWithFacts(session, draft, options);
  const fromFacts = { documentPath, turns };
  await setHandoff(registry, session, withFacts(session.handoff, place, fromFacts, created.toISOString()));
  return { number: place.number, documentPath };
}

/** What is known of a session's handoff before there is an account. */
async function partsOf(
  session: OwnSession,
  { registry, handoff: config, env, checkMessage, announced }: StoreOptions,
) {
  const [, ...earlier] = await chainOf(registry, session);
  const known = placeOf(session.handoff, earlier[0]?.handoff);
  // One that is announced again under its name has taken the place of the one before.
  const place = known.previous === announced?.path ? { ...known, previous: null } : known;
  const warnings = session.transcript === null ? [WITHOUT_TRANSCRIPT] : [];
  const redact = redactor(env);
  const evidence = await evidenceOf([session, ...earlier], { registry, redact, checkMessage });
  const parts = {
    origin: originOf(session, place, evidence),
    config,
    place: evidence.place,
    facts: evidence.facts,
    background: { tasks: [], atRest: false },
    redact,
    warn: (message: string) => warnings.push(message),
  };
  return { place, parts, warnings, turns: evidence.context.turns };
}

async function storeWithFacts(session: OwnSession, draft: Draft, options: StoreOptions): Promise<Stored> {
  const { registry, announced } = options;
  const { facts } = draft.parts;
  return storeDraft(await withWorkers(session, draft, options), {
    ...(announced && { announced }),
    now: () => new Date(),
    record: () => keepFacts(registry, session.id, withProgress(session, facts, draft.written.account)),
  });
}

/** What is on record may have been moved or deleted since. */
async function withTranscript(session: OwnSession): Promise<OwnSession> {
  const { transcript } = session;
  return { ...session, transcript: transcript !== null && (await isFile(transcript)) ? transcript : null };
}

const WITHOUT_TRANSCRIPT =
  "The transcript of this session was not found, so the account was only checked against its folder.";

function originOf(
  session: OwnSession,
  { number, previous, trigger }: HandoffPlace,
  { context }: Evidence,
): Origin {
  return {
    job: null,
    project: basename(session.project),
    agent: session.program,
    number,
    previous,
    reason: trigger,
    session: session.id,
    parent: session.parent,
    transcript: session.transcript,
    tokens: context.tokens,
    window: context.window?.tokens ?? 0,
    percent: Math.round((percentUsed(context) ?? 0) * 10) / 10,
  };
}

/** An account that was sent twice is stored once. */
async function sameOnDisk(
  handoff: SessionHandoff | null,
  account: Account,
): Promise<{ number: number; documentPath: string } | undefined> {
  if (handoff?.state !== "stored") return undefined;
  const { number, documentPath } = handoff;
  const before = parseDocument(documentTextOrNone(documentPath)).account;
  const isSame = renderAccount(withoutWorkers(before)) === renderAccount(withoutWorkers(account));
  return isSame ? { number, documentPath } : undefined;
}

const WORKERS = "Active Workers";

/** The table of an orchestrator's workers, by machine: what it remembers of them may be old. */
async function withWorkers(
  session: OwnSession,
  draft: Draft,
  { registry, lookUpJobs }: StoreOptions,
): Promise<Draft> {
  if (session.role !== "orchestrator") return draft;
  const { written } = draft;
  const table = { title: WORKERS, text: await workerTable(registry, session, lookUpJobs) };
  const account = { ...written.account, extra: [...withoutWorkers(written.account).extra, table] };
  return { ...draft, written: { ...written, account } };
}

function withoutWorkers(account: Account): Account {
  const isTable = (title: string) => title.toLowerCase() === WORKERS.toLowerCase();
  return { ...account, extra: account.extra.filter(({ title }) => !isTable(title)) };
}

function withProgress({ cwd }: OwnSession, facts: Facts, { progress }: Account): Facts {
  const collector = new FactCollector(cwd, facts);
  collector.addProgress(progress);
  return collector.facts();
}

async function setHandoff(registry: Registry, session: OwnSession, handoff: SessionHandoff): Promise<void> {
  await registry.update(session.id, (known = session) => ({ ...known, handoff }));
  const file = await open(join(registry.folder, `${session.id}.json`), "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(registry.folder);
}
