import type { BackgroundTask } from "../../agents/agent.ts";
import type { Account } from "../../handoff/account.ts";
import type { FactCollector } from "../../handoff/collect.ts";
import type { HandoffTrigger } from "../../handoff/document.ts";
import { checksOnRecord, type DocumentHead, renderDocument } from "../../handoff/document.ts";
import type { WorkspaceFacts } from "../../handoff/facts.ts";
import { renderFacts } from "../../handoff/facts-section.ts";
import { earlierDocument } from "../../handoff/history.ts";
import { judge } from "../../handoff/judge.ts";
import { storeDocument } from "../../handoff/library.ts";
import { updateLivingDocument } from "../../handoff/living.ts";
import { askAgain, handoffRequest } from "../../handoff/request.ts";
import { type Template, templateInUse } from "../../handoff/template.ts";
import { type Answer, writeAccount } from "../../handoff/write.ts";
import type { ContextFigures } from "../../job/events.ts";
import { askSession } from "./ask.ts";
import type { LiveSession } from "./live-session.ts";
import type { JobContext } from "./running-job.ts";

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
  /** Without an account of the session's own there is to be no handoff. */
  ownAccountOnly?: boolean;
  /** Made meanwhile. */
  checkpoint: Promise<string | undefined>;
  startedAt: Date;
}

/** The session was asked for its account, and gave none. */
class NoAccountError extends Error {
  override readonly name = "NoAccountError";

  constructor(why: string | null) {
    super(why ?? "the session gave no account");
  }
}

/** Has the account written and checked, and puts the document on disk and on record. Nothing of the session is needed then. */
export async function makeHandoff(context: HandoverContext, parts: HandoverParts): Promise<void> {
  const { config, job, redact, now, record } = context;
  const [template, transcript, previous] = await Promise.all([
    templateInUse(config.handoff.templatePath, (message) => context.append({ type: "warning", message })),
    context.agent.findTranscript({ sessionId: parts.session, env: context.env }),
    earlierDocument(job().handoffs.at(-1)?.documentPath),
  ]);
  const facts = redact(parts.collector.facts());
  const shown = (account: Account, workspace: WorkspaceFacts) =>
    renderFacts({ facts, account, workspace, transcript: transcript ?? null, background: parts.background });
  const base = job().workspace?.base;
  const yardstick = {
    cwd: context.cwd,
    ...(base && { base }),
    facts,
    shown,
    redact,
    extra: template.extra,
    window: parts.figures.window,
    budgetPercent: config.handoff.budgetPercent,
  };

  const written = await writeAccount({
    ask: parts.answers && asker(context, parts, parts.answers, template),
    why: parts.why ?? "the window overflowed, so the session could write nothing any more",
    facts,
    extra: template.extra,
    ...(previous && { earlier: previous.account }),
    judge: (account) => judge(account, yardstick),
  });
  if (parts.ownAccountOnly && written.outcome === "from-facts") throw new NoAccountError(written.reason);
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
