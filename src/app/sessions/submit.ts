import { basename, resolve } from "node:path";
import { agentNamed } from "../../config/agent-named.ts";
import { ConfigError, problemInALine } from "../../config/error.ts";
import { configWithoutFile } from "../../config/without-file.ts";
import type { Account } from "../../handoff/account.ts";
import { parseDocument } from "../../handoff/document.ts";
import type { Announced } from "../../handoff/library.ts";
import { announceAgain, askAgain, handoffRequest } from "../../handoff/request.ts";
import { templateInUse } from "../../handoff/template.ts";
import { overlong } from "../../handoff/tools.ts";
import type { Submission } from "../../sessions/handoff/submit.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { documentInside, type Refusal } from "../handoffs/inside.ts";
import { UsageError } from "../usage-error.ts";
import { handoffSettings } from "./handoff-settings.ts";
import { agentOf, callingSession, foldersOf, type Served } from "./served.ts";
import { lookUpJobs } from "./started-jobs.ts";

export { ALWAYS_LOADED } from "../../agents/claude/own/server-tools.ts";
/** The shape of an account as an agent sends it, and the account that is in it. */
export { accountFrom, accountShape } from "../../handoff/tools.ts";

/** Who continues: a session in the same pane, at once or when the person speaks; one that is started elsewhere; or one that the person starts. */
export type WhatFollows = "here" | "waits-here" | "elsewhere" | "by-person" | "by-clear";

export type Submitted =
  | (Extract<Submission, { status: "stored" }> & { follows: WhatFollows })
  | (Extract<Submission, { status: "again" }> & { request: string })
  | Extract<Submission, { status: "stopped" }>;

/** Has the account of the calling session checked and stored. */
export async function submitHere(served: Served, account: Account): Promise<Submitted> {
  const tooLong = overlong(account);
  if (tooLong !== undefined) throw new UsageError(tooLong);
  return submit(served, await callingSession(served), account);
}

interface Announcement {
  /** The project's folder, or its name. */
  project: string;
  document: string;
  /** Where the session runs, as it says itself. */
  kind: OwnSession["kind"];
}

/** The same with a document that was written by other means. It stays in its file, and becomes the handoff's. */
export async function announceHere(
  served: Served,
  { project, document, kind }: Announcement,
): Promise<Submitted | Refusal> {
  refuseOtherProject(served, project);
  const found = await documentInside(await foldersOf(served), document);
  if ("refused" in found) return found;
  const session = await callingSession(served);
  await served.registry.update(session.id, (known = session) => ({ ...known, kind }));
  const { livingDocument } = await handoffSettings(session, await served.config());
  // That one is written anew at every handoff, so it can be nobody's document for good.
  const isLiving = livingDocument && resolve(served.root, livingDocument.path) === found.path;
  const { account } = parseDocument(found.text);
  const submitted = await submit(served, { ...session, kind }, account, isLiving ? undefined : found);
  return submitted.status === "again"
    ? { ...submitted, request: announceAgain(submitted.missing, found.path) }
    : submitted;
}

/** Begins a handoff of the calling session, and returns what to ask it for. */
export async function requestHere(
  served: Served,
  focus: string,
): Promise<{ number: number; request: string }> {
  const session = await callingSession(served);
  const { handoff } = await agentOf(served);
  const { extra } = await templateInUse(handoff, () => {});
  const { askForHandoff } = await import("../../sessions/handoff/submit.ts");
  const number = await askForHandoff(served.registry, session, { trigger: "agent", ...(focus && { focus }) });
  return { number, request: handoffRequest({ extra, byAgent: true, ...(focus && { focus }) }) };
}

async function submit(
  served: Served,
  session: OwnSession,
  account: Account,
  announced?: Announced,
): Promise<Submitted> {
  const problems: string[] = [];
  const config = await served.config().catch((error: unknown) => {
    // What the agent has written is stored all the same. Nothing is cleared before the file is in order.
    if (!(error instanceof ConfigError)) throw error;
    problems.push(`The configuration cannot be read, so the defaults apply: ${problemInALine(error)}`);
    return configWithoutFile(served.root);
  });
  const { env } = agentNamed(config);
  const handoff = await handoffSettings(session, config);
  const { storeHandoff } = await import("../../sessions/handoff/submit.ts");
  const submission = await storeHandoff(session, account, {
    registry: served.registry,
    handoff,
    env: { ...served.env, ...env },
    checkMessage: config.watch.message,
    lookUpJobs,
    signal: served.signal,
    ...(announced && { announced }),
  });
  switch (submission.status) {
    case "stored":
      return {
        ...submission,
        warnings: [...problems, ...submission.warnings],
        follows: whatFollows(session, handoff.autoContinue),
      };
    case "again":
      return { ...submission, request: askAgain(submission.missing, true) };
    case "stopped":
      return submission;
  }
}

function whatFollows({ kind, pane, handoff }: OwnSession, autoContinue: boolean): WhatFollows {
  if (kind !== "cli" || !autoContinue) return "by-person";
  if (handoff?.atRest) return pane ? "waits-here" : "by-clear";
  return pane ? "here" : "elsewhere";
}

function refuseOtherProject({ root }: Served, project: string): void {
  if (project === basename(root) || resolve(root, project) === root) return;
  throw new UsageError(
    `This server serves ${root} and no other project. Call it from a session in ${project}.`,
  );
}
