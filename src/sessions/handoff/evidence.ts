import { folderOf } from "../../agents/claude/own/transcript.ts";
import { headAt } from "../../git/head-at.ts";
import type { Facts } from "../../handoff/facts.ts";
import type { HandoffParts } from "../../handoff/make.ts";
import type { Redact } from "../../secrets/redact.ts";
import { keptFacts } from "../record/kept-facts.ts";
import type { Registry } from "../record/registry.ts";
import type { OwnSession } from "../record/session.ts";
import { readSession, type Told } from "./session-facts.ts";

/** What a machine knows of a session, for its account to be held against. */
export interface Evidence extends Told {
  place: HandoffParts["place"];
}

interface EvidenceOptions {
  registry: Registry;
  redact: Redact;
  checkMessage: string;
}

/** `chain`: the session and those before it. What they knew is known still. */
export async function evidenceOf(
  [session, parent, ...older]: readonly [OwnSession, ...OwnSession[]],
  { registry, redact, checkMessage }: EvidenceOptions,
): Promise<Evidence> {
  const { transcript, project } = session;
  const cwd = await folderNamedFrom(session);
  const first = older.at(-1) ?? parent ?? session;
  const earlier = parent && (await factsOf(parent, { registry, redact, checkMessage }));
  const [told, base] = await Promise.all([
    readSession({ cwd, transcript }, { earlier, checkMessage, redact }),
    headAt(cwd, first.startedAt),
  ]);
  return {
    facts: redact(told.facts),
    context: told.context,
    place: { cwd, root: project, ...(base !== undefined && { base }) },
  };
}

/** An agent that went into another folder still names files from the one that it was started in. */
async function folderNamedFrom({ cwd, transcript }: OwnSession): Promise<string> {
  return (transcript && (await folderOf(transcript).catch(() => undefined))) || cwd;
}

async function factsOf(
  session: OwnSession,
  { registry, redact, checkMessage }: EvidenceOptions,
): Promise<Facts> {
  return (
    (await keptFacts(registry, session.id)) ?? (await readSession(session, { checkMessage, redact })).facts
  );
}
