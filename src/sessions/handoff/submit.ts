import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentConfig } from "../../config/config.ts";
import { type ContextState, percentUsed } from "../../context/tracker.ts";
import { lock } from "../../files/lock.ts";
import type { Account } from "../../handoff/account.ts";
import { FactCollector } from "../../handoff/collect.ts";
import { checksOnRecord, type DocumentHead, parseDocument, renderDocument } from "../../handoff/document.ts";
import type { Facts } from "../../handoff/facts.ts";
import { isFile } from "../../handoff/history.ts";
import { storeDocument, syncFolder } from "../../handoff/library.ts";
import { updateLivingDocument } from "../../handoff/living.ts";
import { renderAccount } from "../../handoff/markdown.ts";
import { templateInUse } from "../../handoff/template.ts";
import { receiveAccount, type Written } from "../../handoff/write.ts";
import { redactor } from "../../secrets/redact.ts";
import { chainOf } from "../record/chain.ts";
import {
  asked,
  askedAgain,
  type HandoffPlace,
  hasHadAccount,
  isAskedSince,
  placeOf,
  type SessionHandoff,
  stopped,
  stored,
} from "../record/handoff-state.ts";
import { keepFacts } from "../record/kept-facts.ts";
import type { Registry } from "../record/registry.ts";
import type { OwnSession } from "../record/session.ts";
import { workerTable } from "../record/workers.ts";
import { evidenceOf } from "./evidence.ts";
import { isEmpty } from "./session-facts.ts";

export interface StoreOptions {
  registry: Registry;
  /** Of the agent of the project. */
  handoff: AgentConfig["handoff"];
  /** Secrets in it are taken out of all that is stored. */
  env: Record<string, string>;
  /** What `baton watch` sends orchestrators: it is not a person's word. */
  checkMessage: string;
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
    super("Nothing to hand off yet: nothing was said or done in this session. Go on with the work.");
  }
}

class AlreadyHandedOverError extends Error {
  override readonly name = "AlreadyHandedOverError";

  constructor() {
    super("This session was handed over and is being cleared. Do nothing more: end your turn.");
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
  const { registry, handoff: config, env, signal = new AbortController().signal } = options;
  using _lock = await lock(registry.beside("locks", given.id), signal);
  const session = await withTranscript((await registry.find(given.id)) ?? given);
  if (options.onlyIfAsked && !isAskedSince(session.handoff, given.handoff?.at))
    throw new NoLongerAskedError();
  if (session.handoff?.state === "clearing") throw new AlreadyHandedOverError();
  const [, ...earlier] = await chainOf(registry, session);
  const place = placeOf(session.handoff, earlier[0]?.handoff);
  const warnings = session.transcript === null ? [WITHOUT_TRANSCRIPT] : [];
  const template = await templateInUse(config.templatePath, (message) => warnings.push(message));
  const redact = redactor(env);
  const evidence = await evidenceOf([session, ...earlier], {
    registry,
    redact,
    template,
    budgetPercent: config.budgetPercent,
    checkMessage: options.checkMessage,
  });
  const { facts, context, shown, judge } = evidence;
  if (session.transcript !== null && isEmpty(facts)) throw new NothingToHandOffError();

  const second = hasHadAccount(session.handoff);
  const received = await receiveAccount(account, { facts, extra: template.extra, judge, second });
  if ("missing" in received) {
    const { missing } = received;
    await setHandoff(registry, session, askedAgain(place, missing, new Date().toISOString()));
    return { status: "again", missing };
  }

  const mended = received.written.reason;
  const same = await sameOnDisk(session.handoff, received.written.account);
  if (same) return { status: "stored", ...same, mended, warnings };
  const written = await withWorkers(registry, session, received.written);
  const created = new Date();
  const document = {
    head: headFor(session, place, written, context, created),
    account: written.account,
    facts: shown(written.account, written.workspace),
  };
  const text = redact(renderDocument(document, template.order));
  const documentPath = await storeDocument(config.dir, created, text);
  await keepFacts(registry, session.id, withProgress(session, facts, written.account));
  const reason =
    config.livingDocument &&
    (await updateLivingDocument(session.project, config.livingDocument, redact(document), created));
  const at = created.toISOString();
  if (reason !== undefined) {
    await setHandoff(registry, session, stopped(place, documentPath, reason, at));
    return { status: "stopped", number: place.number, documentPath, reason };
  }
  await setHandoff(registry, session, stored(place, documentPath, at));
  return { status: "stored", number: place.number, documentPath, mended, warnings };
}

/** What is on record may have been moved or deleted since. */
async function withTranscript(session: OwnSession): Promise<OwnSession> {
  const { transcript } = session;
  return { ...session, transcript: transcript !== null && (await isFile(transcript)) ? transcript : null };
}

const WITHOUT_TRANSCRIPT =
  "The transcript of this session was not found, so the account was only checked against its folder.";

function headFor(
  session: OwnSession,
  { number, previous, trigger }: HandoffPlace,
  { outcome, workspace, checks }: Written,
  context: ContextState,
  created: Date,
): DocumentHead {
  return {
    job: null,
    agent: session.program,
    number,
    previous,
    created: created.toISOString(),
    reason: trigger,
    source: "agent",
    outcome,
    session: session.id,
    parent: session.parent,
    transcript: session.transcript,
    tokens: context.tokens,
    window: context.window?.tokens ?? 0,
    percent: Math.round((percentUsed(context) ?? 0) * 10) / 10,
    branch: workspace.git?.branch ?? null,
    head: workspace.git?.head ?? null,
    checkpoint: null,
    checks: checksOnRecord(checks),
  };
}

/** An account that was sent twice is stored once. */
async function sameOnDisk(
  handoff: SessionHandoff | null,
  account: Account,
): Promise<{ number: number; documentPath: string } | undefined> {
  if (handoff?.state !== "stored") return undefined;
  const { number, documentPath } = handoff;
  const before = parseDocument(await readFile(documentPath, "utf8").catch(() => "")).account;
  const isSame = renderAccount(withoutWorkers(before)) === renderAccount(withoutWorkers(account));
  return isSame ? { number, documentPath } : undefined;
}

const WORKERS = "Active Workers";

/** The table of an orchestrator's workers, by machine: what it remembers of them may be old. */
async function withWorkers(registry: Registry, session: OwnSession, written: Written): Promise<Written> {
  if (session.role !== "orchestrator") return written;
  const { account } = written;
  const table = { title: WORKERS, text: await workerTable(registry, session) };
  return { ...written, account: { ...account, extra: [...withoutWorkers(account).extra, table] } };
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
