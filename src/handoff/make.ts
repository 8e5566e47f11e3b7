import { join } from "node:path";
import type { AgentConfig } from "../config/config.ts";
import { NoRoomError } from "../files/no-room.ts";
import type { Redact } from "../secrets/redact.ts";
import type { Account } from "./account.ts";
import { appendixName } from "./appendix/appendix.ts";
import {
  checksOnRecord,
  type DocumentHead,
  type HandoffDocument,
  type HandoffSource,
  renderDocument,
} from "./document.ts";
import type { Facts, WorkspaceFacts } from "./facts.ts";
import { type FactsSection, renderFacts, type ShownFacts } from "./facts-section.ts";
import { earlierAccount } from "./history.ts";
import { instructions } from "./instructions.ts";
import { judge, type Yardstick } from "./judge.ts";
import {
  type Announced,
  type StoredAppendix,
  stamp,
  storeAnnounced,
  storeBeside,
  storeDocument,
} from "./library.ts";
import { updateLivingDocument } from "./living/living.ts";
import { type Template, templateInUse } from "./template.ts";
import { completedText } from "./text/announced.ts";
import { type Answer, type Judged, receiveAccount, type Written, writeAccount } from "./write.ts";

/** What the head of a document says before there is an account. */
export type Origin = Omit<
  DocumentHead,
  "created" | "source" | "outcome" | "branch" | "head" | "checkpoint" | "checks" | "appendix"
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
  /** The file in which its author wrote it, and in which it stays. */
  announced?: Announced;
  /** Its folder takes no more: whoever keeps the document can store it later. */
  keep?: (unstored: Unstored) => Promise<void>;
}

/** A document that is written and not on disk. Redacted. */
export interface Unstored {
  document: HandoffDocument;
  /** The sections of the user's template. */
  order: string[];
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
export async function storeDraft(
  draft: Draft,
  { now, checkpoint, begin, ...storing }: Storing,
): Promise<Stored> {
  const { parts, template, written } = draft;
  const created = now();
  const facts = shown(parts, written.account, written.workspace, created);
  const appendix = facts.appendix ?? undefined;
  const document: HandoffDocument = {
    head: {
      ...headOf(draft, created, (await checkpoint) ?? null),
      ...(appendix !== undefined && { appendix: nameOfAppendix(parts, created, appendix) }),
    },
    account: written.account,
    facts: facts.text,
    ...(appendix !== undefined && { appendix }),
    instructions: instructions({
      folder: parts.place.root ?? parts.place.cwd,
      hasLinks: written.account.links.length > 0,
      subagents: parts.facts.subagents,
      subagentsEnd: parts.origin.job !== null,
    }),
  };
  begin?.();
  return storeUnstored({ document: parts.redact(document), order: template.order }, parts, storing);
}

/** The same for a document whose folder took no more when it was written. */
export async function storeUnstored(
  unstored: Unstored,
  { config, place, redact }: Pick<HandoffParts, "config" | "place" | "redact">,
  { record, keep, announced }: Pick<Storing, "record" | "keep" | "announced">,
): Promise<Stored> {
  const { document, order } = unstored;
  const created = new Date(document.head.created);
  let documentPath: string;
  try {
    const appendix = appendixOf(document);
    if (announced && appendix) await storeBeside(config, appendix);
    documentPath = announced
      ? await storeAnnounced(announced, redact(completedText(announced.text, document)))
      : await storeDocument(config, created, redact(renderDocument(document, order)), appendix);
  } catch (error) {
    if (error instanceof NoRoomError) await keep?.(unstored);
    throw error;
  }
  await record(documentPath, created);
  const conflict =
    config.livingDocument &&
    (await updateLivingDocument(place.root ?? place.cwd, config.livingDocument, document, {
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
    shown: (account, workspace) => shown(parts, account, workspace, NO_TIME).text,
    redact,
    extra: template.extra,
    window: origin.window,
    budgetPercent: config.budgetPercent,
  };
  const held = (account: Account): Promise<Judged> => judge(account, yardstick);
  return { template, facts, extra: template.extra, judge: held };
}

/** Of a document that is not stored yet: its length is what counts. */
const NO_TIME = new Date(0);

function shown(
  parts: HandoffParts,
  account: Account,
  workspace: WorkspaceFacts,
  created: Date,
): FactsSection {
  const { facts, origin, background, config } = parts;
  const { transcript, job } = origin;
  const appendixPath = (text: string) => join(config.dir, nameOfAppendix(parts, created, text));
  return renderFacts({
    facts,
    account,
    workspace,
    transcript,
    background,
    subagentsEnd: job !== null,
    appendixPath,
  });
}

function nameOfAppendix({ origin }: HandoffParts, created: Date, text: string): string {
  return appendixName(stamp(created), `${origin.session}/${origin.number}`, text);
}

function appendixOf({ head, appendix }: HandoffDocument): StoredAppendix | undefined {
  return head.appendix === undefined || appendix === undefined
    ? undefined
    : { name: head.appendix, text: appendix };
}

function headOf({ parts, written, source }: Draft, created: Date, checkpoint: string | null): DocumentHead {
  const { job, project, epic, item, item_url, agent, number, previous, reason, session, parent } =
    parts.origin;
  const { transcript, tokens, window, percent } = parts.origin;
  const { git } = written.workspace;
  return {
    job,
    ...(project !== undefined && { project }),
    ...(epic !== undefined && { epic }),
    ...(item !== undefined && { item }),
    ...(item_url !== undefined && { item_url }),
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
