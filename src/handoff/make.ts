import type { AgentConfig } from "../config/config.ts";
import type { Redact } from "../secrets/redact.ts";
import type { Account } from "./account.ts";
import {
  checksOnRecord,
  type DocumentHead,
  type HandoffDocument,
  type HandoffSource,
  renderDocument,
} from "./document.ts";
import type { Facts, WorkspaceFacts } from "./facts.ts";
import { renderFacts, type ShownFacts } from "./facts-section.ts";
import { earlierAccount } from "./history.ts";
import { judge, type Yardstick } from "./judge.ts";
import { storeDocument } from "./library.ts";
import { updateLivingDocument } from "./living.ts";
import { type Template, templateInUse } from "./template.ts";
import { type Answer, type Judged, receiveAccount, type Written, writeAccount } from "./write.ts";

/** What the head of a document says before there is an account. */
export type Origin = Omit<
  DocumentHead,
  "created" | "source" | "outcome" | "branch" | "head" | "checkpoint" | "checks"
>;

/** What is known of a handoff before there is an account: of a job's, or of one of a person's own session. */
export interface HandoffParts {
  origin: Origin;
  config: Pick<
    AgentConfig["handoff"],
    "templatePath" | "templateWithin" | "budgetPercent" | "dir" | "within" | "livingDocument"
  >;
  /** Where the work is. The living document is in `root`, or in `cwd` where that is all. */
  place: Pick<Yardstick, "cwd" | "root" | "base">;
  facts: Facts;
  background: ShownFacts["background"];
  redact: Redact;
  /** Hears what a person should know. */
  warn: (message: string) => void;
}

/** Where an account comes from that is asked for. Where nobody can be asked, the facts stand in. */
export type AccountSource =
  | { kind: "session"; ask: (shortfalls: readonly string[], template: Template) => Promise<Answer> }
  | { kind: "nobody"; why: string; byHook: boolean };

/** A handoff with its account. Nothing of it is stored. */
export interface Draft {
  parts: HandoffParts;
  template: Template;
  written: Written;
  source: HandoffSource;
}

/** What its owner does while a draft is stored. */
export interface Storing {
  now: () => Date;
  /** Made meanwhile. */
  checkpoint?: Promise<string | undefined>;
  /** Throws where the handoff is not wanted any more. After it nothing stops the storing. */
  begin?: () => void;
  /** The document is on disk. The facts, and where it is, are durable when this resolves. */
  record: (documentPath: string, created: Date) => Promise<void>;
}

export interface Stored {
  documentPath: string;
  created: Date;
  /** Why the living document is not up to date, if so. */
  conflict: string | undefined;
}

/** Has the account written and checked. */
export async function draftHandoff(parts: HandoffParts, from: AccountSource): Promise<Draft> {
  const [bench, earlier] = await Promise.all([benchFor(parts), earlierAccount(parts.origin.previous)]);
  const { template } = bench;
  const written = await writeAccount({
    from: from.kind === "nobody" ? from : { ask: (shortfalls) => from.ask(shortfalls, template) },
    ...bench,
    ...(earlier && { earlier }),
  });
  const own = written.outcome === "from-facts" ? "facts" : "agent";
  return { parts, template, written, source: from.kind === "nobody" && from.byHook ? "hook" : own };
}

/** The same for an account that comes by itself. The first one that falls short is not completed: `missing` says what to add. */
export async function draftFromAccount(
  parts: HandoffParts,
  account: Account,
  isSecond: boolean,
): Promise<{ missing: string[] } | { draft: Draft }> {
  const bench = await benchFor(parts);
  const received = await receiveAccount(account, { ...bench, second: isSecond });
  if ("missing" in received) return received;
  return { draft: { parts, template: bench.template, written: received.written, source: "agent" } };
}

/** Stores the document, has it recorded, then brings the living document up to date. */
export async function storeDraft(draft: Draft, { now, checkpoint, begin, record }: Storing): Promise<Stored> {
  const { parts, template, written } = draft;
  const { config, place, redact } = parts;
  const created = now();
  const document: HandoffDocument = {
    head: headOf(draft, created, (await checkpoint) ?? null),
    account: written.account,
    facts: shown(parts, written.account, written.workspace),
  };
  const text = redact(renderDocument(document, template.order));
  begin?.();
  const documentPath = await storeDocument(config, created, text);
  await record(documentPath, created);
  const conflict =
    config.livingDocument &&
    (await updateLivingDocument(place.root ?? place.cwd, config.livingDocument, redact(document), {
      now: created,
      redact,
    }));
  return { documentPath, created, conflict };
}

/** What an account is held against. */
async function benchFor(parts: HandoffParts) {
  const { config, origin, place, facts, redact } = parts;
  const template = await templateInUse(config, parts.warn);
  const yardstick: Yardstick = {
    ...place,
    facts,
    shown: (account, workspace) => shown(parts, account, workspace),
    redact,
    extra: template.extra,
    window: origin.window,
    budgetPercent: config.budgetPercent,
  };
  const held = (account: Account): Promise<Judged> => judge(account, yardstick);
  return { template, facts, extra: template.extra, judge: held };
}

function shown(
  { facts, origin, background }: HandoffParts,
  account: Account,
  workspace: WorkspaceFacts,
): string {
  return renderFacts({ facts, account, workspace, transcript: origin.transcript, background });
}

function headOf({ parts, written, source }: Draft, created: Date, checkpoint: string | null): DocumentHead {
  const { job, agent, number, previous, reason, session, parent } = parts.origin;
  const { transcript, tokens, window, percent } = parts.origin;
  const { git } = written.workspace;
  return {
    job,
    agent,
    number,
    previous,
    created: created.toISOString(),
    reason,
    source,
    outcome: written.outcome,
    session,
    ...(parent !== undefined && { parent }),
    transcript,
    tokens,
    window,
    percent,
    branch: git?.branch ?? null,
    head: git?.head ?? null,
    checkpoint,
    checks: checksOnRecord(written.checks),
  };
}
