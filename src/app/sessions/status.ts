import { userRegistry } from "../../sessions/record/registry.ts";
import { type OwnSession, programIsGone } from "../../sessions/record/session.ts";

export interface KnownSessions {
  /** In all projects, the newest first. Of ended ones only those whose handoff waits for somebody. */
  sessions: OwnSession[];
  /** And those whose work they continue, so that old and new session can be found from each other. */
  linked: OwnSession[];
}

/** A person's own sessions, as far as they are of interest. */
export async function ownSessions(): Promise<KnownSessions> {
  const known = await userRegistry().list();
  const sessions = known.filter(isOfInterest);
  return { sessions, linked: withEarlier(sessions, known) };
}

type SessionState = "ended" | "gone" | "open";

export function stateOf(session: OwnSession): SessionState {
  if (session.ended) return "ended";
  return programIsGone(session) ? "gone" : "open";
}

/** What `--json` prints: its keys are a promise to users. */
export function sessionView(session: OwnSession) {
  const { id, kind, role, project, cwd, transcript, pane, parent, startedAt, seenAt, figure, handoff } =
    session;
  return {
    id,
    kind,
    role,
    state: stateOf(session),
    project,
    cwd,
    transcript,
    ...(pane && { pane }),
    ...(parent !== null && { parent }),
    startedAt,
    seenAt,
    context: figure,
    handoff,
    ...(session.report && { report: session.report }),
  };
}

function isOfInterest({ ended, handoff }: OwnSession): boolean {
  if (ended !== null && handoff?.state === "pending" && handoff.outlived && handoff.wentOn) return false;
  return ended === null || ["stored", "clearing", "pending", "failed"].includes(handoff?.state ?? "");
}

function withEarlier(sessions: readonly OwnSession[], known: readonly OwnSession[]): OwnSession[] {
  const ids = new Set(sessions.map(({ id }) => id));
  for (let before = 0; before < ids.size; ) {
    before = ids.size;
    for (const { id, handoff } of known) {
      if (handoff?.state === "taken-up" && ids.has(handoff.successor)) ids.add(id);
    }
  }
  return known.filter(({ id }) => ids.has(id));
}
