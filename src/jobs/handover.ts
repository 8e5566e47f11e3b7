import { readFile } from "node:fs/promises";
import type { Agent, BackgroundTask, SessionSpec } from "../agents/agent.ts";
import type { AgentConfig } from "../config/config.ts";
import { handoffRequest } from "../handoff/continuation.ts";
import { documentBody, isAccount, renderDocument } from "../handoff/document.ts";
import type { FactCollector } from "../handoff/facts.ts";
import { storeDocument } from "../handoff/library.ts";
import { gitState } from "../workspace/git.ts";
import type { ContextFigures, HandoffTrigger, JobEvent } from "./events.ts";
import type { Job } from "./job.ts";
import type { LiveSession } from "./live-session.ts";
import type { Redact } from "./redact.ts";

/** What the parts of a handoff need to know of the job they belong to. */
export interface HandoverContext {
  agent: Agent;
  config: AgentConfig;
  spec: Pick<SessionSpec, "cwd" | "env">;
  job: () => Job;
  record: (event: JobEvent) => Promise<void>;
  redact: Redact;
  now: () => Date;
  signal: AbortSignal;
}

type Account = { text: string } | { missing: string };

/** Waits until nothing of the session runs in the background, at most for the grace that was configured. */
export async function letBackgroundFinish(
  live: LiveSession,
  { config, signal }: HandoverContext,
): Promise<BackgroundTask[]> {
  const deadline = Date.now() + config.session.backgroundGraceMs;
  while (live.quiet !== "quiet") {
    const settled = live.quiet === "settling" ? SETTLING_MS : Number.POSITIVE_INFINITY;
    const event = await live.next(Math.min(deadline - Date.now(), settled), signal);
    if (event?.type === "exit" || event === undefined) break;
  }
  return live.background;
}

/** How long a program may take to say that nothing follows a turn. */
export const SETTLING_MS = 5_000;

/** Asks the live session for its account of the work. */
export async function askForAccount(live: LiveSession, context: HandoverContext): Promise<Account> {
  const { config, signal } = context;
  const deadline = Date.now() + config.handoff.timeoutMs;
  const said: string[] = [];
  live.send({ text: handoffRequest(), verbatim: true });
  for (;;) {
    const event = await live.next(deadline - Date.now(), signal);
    if (event === undefined) return { missing: "the session did not answer in time" };
    if (event.type === "exit") return { missing: "the agent program ended before it answered" };
    if (event.type === "text" && event.subagent === undefined) said.push(event.text);
    if (event.type !== "turn:end") continue;
    switch (event.outcome.kind) {
      case "completed":
        return accountIn(said, event.outcome.text);
      case "out-of-context":
        return { missing: "there was no room left in the window to write it" };
      case "limited":
      case "failed":
      case "max-turns":
        return { missing: event.outcome.message };
      case "stopped":
      case "interrupted":
        return { missing: "the turn was stopped before the account was complete" };
    }
  }
}

function accountIn(said: string[], final: string): Account {
  const account = [final, ...said.toReversed(), said.join("\n\n")].find(isAccount);
  if (account !== undefined) return { text: account };
  const empty = final.trim() === "" && said.every((text) => text.trim() === "");
  return {
    missing: empty ? "the answer was empty" : "the answer did not have the sections that were asked for",
  };
}

export interface HandoverParts {
  session: string;
  facts: FactCollector;
  figures: ContextFigures;
  trigger: HandoffTrigger;
  background: BackgroundTask[];
  account: Account;
  startedAt: Date;
}

/** Puts the document on disk and then on record. From here on nothing of the old session is needed. */
export async function storeHandoff(context: HandoverContext, parts: HandoverParts): Promise<void> {
  const { agent, config, spec, record, redact, now } = context;
  const job = context.job();
  const number = job.pendingHandoff?.number ?? job.handoffs.length + 1;
  const previous = job.handoffs.at(-1);
  const source = "text" in parts.account ? "agent" : "facts";
  const [git, transcript, earlier] = await Promise.all([
    gitState(spec.cwd, job.workspace?.base ?? undefined),
    agent.findTranscript({ sessionId: parts.session, env: spec.env }),
    source === "facts" && previous
      ? readFile(previous.documentPath, "utf8").catch(() => undefined)
      : undefined,
  ]);
  const created = now();
  const text = renderDocument({
    head: {
      job: job.id,
      agent: job.agent,
      number,
      ...(previous && { previous: previous.documentPath }),
      created: created.toISOString(),
      reason: parts.trigger,
      source,
      session: parts.session,
      ...(transcript && { transcript }),
      tokens: parts.figures.tokens,
      window: parts.figures.window,
      percent: parts.figures.percent,
    },
    request: job.prompt,
    ...("text" in parts.account && { account: parts.account.text }),
    ...(earlier && { earlier: documentBody(earlier) }),
    facts: parts.facts.facts(git),
    background: parts.background,
  });
  const documentPath = await storeDocument(config.handoff.dir, created, redact(text));
  await record({
    type: "handoff:stored",
    handoffNumber: number,
    session: parts.session,
    source,
    ...("missing" in parts.account && { reason: parts.account.missing }),
    documentPath,
    durationMs: created.getTime() - parts.startedAt.getTime(),
  });
}
