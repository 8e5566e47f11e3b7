import { access, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { BackgroundTask } from "../agents/agent.ts";
import type { Account } from "../handoff/account.ts";
import { check, citedPaths } from "../handoff/checks.ts";
import type { FactCollector } from "../handoff/collect.ts";
import { checksOnRecord, type DocumentHead, parseDocument, renderDocument } from "../handoff/document.ts";
import type { Facts, WorkspaceFacts } from "../handoff/facts.ts";
import { renderFacts } from "../handoff/facts-section.ts";
import { storeDocument } from "../handoff/library.ts";
import { updateLivingDocument } from "../handoff/living.ts";
import { askAgain, handoffRequest } from "../handoff/request.ts";
import { NO_TEMPLATE, readTemplate, type Template, TemplateUnreadableError } from "../handoff/template.ts";
import { type Answer, type Judged, writeAccount } from "../handoff/write.ts";
import { gitState } from "../workspace/state.ts";
import { askSession } from "./ask.ts";
import type { JobContext } from "./context.ts";
import type { ContextFigures, HandoffTrigger } from "./events.ts";
import type { HandoffRecord } from "./job.ts";
import type { LiveSession } from "./live-session.ts";

/** What a handoff needs to know of the job it belongs to. Its signal also calls the handoff off. */
export interface HandoverContext extends Omit<JobContext, "sessions" | "facts" | "newLeg" | "hooks"> {
  /** From here on the handoff cannot be called off any more. */
  onStoring: () => void;
}

export interface HandoverParts {
  session: string;
  number: number;
  collector: FactCollector;
  figures: ContextFigures;
  trigger: HandoffTrigger;
  focus?: string;
  background: BackgroundTask[];
  /** The session that can still be asked. */
  answers?: LiveSession;
  /** Why none can. */
  why?: string;
  byHook?: boolean;
  /** Made meanwhile. */
  checkpoint: Promise<string | undefined>;
  startedAt: Date;
}

const TOKEN_CHARACTERS = 4;
const WINDOW_IF_UNKNOWN = 200_000;

/** Has the account written and checked, and puts the document on disk and on record. Nothing of the session is needed then. */
export async function makeHandoff(context: HandoverContext, parts: HandoverParts): Promise<void> {
  const { config, job, redact, now, record } = context;
  const [template, transcript, previous] = await Promise.all([
    templateFor(context),
    context.agent.findTranscript({ sessionId: parts.session, env: context.env }),
    earlierDocument(job().handoffs.at(-1)),
  ]);
  const facts = redact(parts.collector.facts());
  const shown = (account: Account, workspace: WorkspaceFacts) =>
    renderFacts({ facts, account, workspace, transcript: transcript ?? null, background: parts.background });
  const judge = (account: Account) =>
    judged(context, account, { facts, shown, window: parts.figures.window, extra: template.extra });

  const written = await writeAccount({
    ask: parts.answers && asker(context, parts, parts.answers, template),
    why: parts.why ?? "the window overflowed, so the session could write nothing any more",
    facts,
    extra: template.extra,
    ...(previous && { earlier: previous.account }),
    judge,
  });
  const created = now();
  const ownSource = written.outcome === "from-facts" ? "facts" : "agent";
  const source = parts.byHook ? "hook" : ownSource;
  const head: DocumentHead = {
    job: job().id,
    agent: job().agent,
    number: parts.number,
    previous: previous?.path ?? null,
    created: created.toISOString(),
    reason: parts.trigger,
    source,
    outcome: written.outcome,
    session: parts.session,
    transcript: transcript ?? null,
    ...parts.figures,
    branch: written.workspace.git?.branch ?? null,
    head: written.workspace.git?.head ?? null,
    checkpoint: (await parts.checkpoint) ?? null,
    checks: checksOnRecord(written.checks),
  };
  const document = { head, account: written.account, facts: shown(written.account, written.workspace) };
  const text = redact(renderDocument(document, template.order));
  context.signal.throwIfAborted();
  context.onStoring();
  const documentPath = await storeDocument(config.handoff.dir, created, text);
  parts.collector.addProgress(written.account.progress);
  const known = redact(parts.collector.facts());
  context.append({ type: "facts:collected", handoffNumber: parts.number, facts: known });
  await record({
    type: "handoff:stored",
    handoffNumber: parts.number,
    session: parts.session,
    source,
    outcome: written.outcome,
    checks: written.checks,
    ...(written.reason !== null && { reason: written.reason }),
    documentPath,
    durationMs: created.getTime() - parts.startedAt.getTime(),
  });
  if (config.handoff.livingDocument) {
    const warning = await updateLivingDocument(
      context.cwd,
      config.handoff.livingDocument,
      redact(document),
      created,
    );
    if (warning) context.append({ type: "warning", message: warning });
  }
}

function asker(context: HandoverContext, parts: HandoverParts, live: LiveSession, template: Template) {
  return async (shortfalls: readonly string[]): Promise<Answer> => {
    const again = shortfalls.length > 0;
    await context.record({
      type: "handoff:asked",
      session: parts.session,
      handoffNumber: parts.number,
      ...(again && { again: [...shortfalls] }),
    });
    const request = { byTool: true, extra: template.extra, ...(parts.focus && { focus: parts.focus }) };
    const text = again ? askAgain(shortfalls, true) : handoffRequest(request);
    return askSession(live, text, context.config.handoff.timeoutMs, context.signal);
  };
}

/** A template that has gone since the job began must not stop the work. */
async function templateFor({ config, append }: HandoverContext): Promise<Template> {
  try {
    return await readTemplate(config.handoff.templatePath);
  } catch (error) {
    if (!(error instanceof TemplateUnreadableError)) throw error;
    append({ type: "warning", message: error.message });
    return NO_TEMPLATE;
  }
}

/** What an account is held against. */
interface Yardstick {
  facts: Facts;
  shown: (account: Account, workspace: WorkspaceFacts) => string;
  /** Of the next session. */
  window: number;
  extra: readonly string[];
}

async function judged(
  { cwd, job, redact, config }: HandoverContext,
  given: Account,
  { facts, shown, window, extra }: Yardstick,
): Promise<Judged> {
  const account = redact(given);
  const secrets = JSON.stringify(given) === JSON.stringify(account) ? 0 : 1;
  const named = [
    ...citedPaths(account),
    ...facts.files.flatMap(({ path, change }) => (change ? [path] : [])),
  ];
  const [git, missing] = await Promise.all([
    gitState(cwd, job().workspace?.base ?? undefined),
    notThere(cwd, [...new Set(named)]),
  ]);
  const workspace: WorkspaceFacts = { git: git ?? null, missing };
  const characters = JSON.stringify(account).length + shown(account, workspace).length;
  const budget = {
    most: Math.round(((window || WINDOW_IF_UNKNOWN) * config.handoff.budgetPercent) / 100),
    takes: Math.round(characters / TOKEN_CHARACTERS),
  };
  return { account, workspace, checks: check({ account, facts, workspace, extra, budget, secrets }) };
}

async function notThere(cwd: string, paths: string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      access(resolve(cwd, path)).then(
        () => [],
        () => [path],
      ),
    ),
  );
  return found.flat();
}

/** What the handoff before this one said, for the case that the agent can say nothing any more. */
async function earlierDocument(
  handoff: HandoffRecord | undefined,
): Promise<{ path: string; account: Account } | undefined> {
  if (!handoff) return undefined;
  const text = await readFile(handoff.documentPath, "utf8").catch(() => "");
  return { path: handoff.documentPath, account: parseDocument(text).account };
}
