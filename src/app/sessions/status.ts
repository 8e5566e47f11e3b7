import { ownEnvironment } from "../../agents/own-environment.ts";
import type { TodoFact } from "../../handoff/facts.ts";
import { redactor } from "../../secrets/redact.ts";
import { handoffTokens } from "../../sessions/hooks/moment.ts";
import { userRegistry } from "../../sessions/record/registry.ts";
import { type OwnSession, programIsGone } from "../../sessions/record/session.ts";
import { paneNames } from "../../sessions/terminal/tmux.ts";
import { compactionOf, figureOf } from "../../sessions/watch/figure.ts";
import { UsageError } from "../usage-error.ts";

export { handoffInWords, isKept } from "../../sessions/record/handoff-words.ts";

/** A session with what a person knows it by. */
export interface KnownSession extends OwnSession {
  state: SessionState;
  /** Its own, or that of the session whose work it continues. */
  title?: string;
  /** What the person said last. */
  prompt?: string;
  todos: readonly TodoFact[];
  /** As people name it: `work:2.0`. */
  paneName?: string;
}

export interface KnownSessions {
  /** In all projects, the newest first. Of ended ones only those whose handoff waits for somebody. */
  sessions: KnownSession[];
  /** And those whose work they continue, so that old and new session can be found from each other. */
  linked: KnownSession[];
}

/** A person's own sessions, as far as they are of interest. */
export async function ownSessions(): Promise<KnownSessions> {
  const known = (await userRegistry().list()).map(readAgain);
  const sessions = known.filter(isOfInterest);
  const name = await panesOf(sessions);
  const about = describedBy(known, name);
  return { sessions: sessions.map(about), linked: withEarlier(sessions, known).map(about) };
}

/** The one that is meant by its id or the beginning of that. */
export async function ownSessionNamed(named: string): Promise<KnownSession> {
  const known = (await userRegistry().list()).map(readAgain);
  const found = known.filter(({ id }) => id.startsWith(named));
  const session = found.length === 1 ? found[0] : found.find(({ id }) => id === named);
  if (session) return describedBy(known, await panesOf([session]))(session);
  throw new UsageError(
    found.length > 1
      ? `"${named}" matches ${found.length} sessions: ${found.map(({ id }) => id).join(", ")}.`
      : `No session ${named} is registered. \`baton status\` lists them.`,
  );
}

type SessionState = "ended" | "gone" | "open";

function stateOf(session: OwnSession): SessionState {
  if (session.ended) return "ended";
  return programIsGone(session) ? "gone" : "open";
}

/** Hooks run at every step of a session, but its transcript is newer still, and so it is where they are missing. */
function readAgain(session: OwnSession): OwnSession {
  if (session.ended) return session;
  const { figure, reading } = figureOf(session, session.settings?.configuredWindow);
  return { ...session, figure: figure ?? session.figure, reading: reading ?? session.reading };
}

function describedBy(
  known: readonly OwnSession[],
  paneName: (session: OwnSession) => string | undefined,
): (session: OwnSession) => KnownSession {
  const redact = redactor(ownEnvironment());
  const byId = new Map(known.map((session) => [session.id, session]));
  const titleOf = ({ reading, parent }: OwnSession, seen: ReadonlySet<string>): string | undefined => {
    const before = parent === null || seen.has(parent) ? undefined : byId.get(parent);
    return reading?.about?.title ?? (before && titleOf(before, new Set([...seen, before.id])));
  };
  return (session) => {
    const { todos, prompt } = session.reading?.about ?? {};
    const [title, name] = [titleOf(session, new Set([session.id])), paneName(session)];
    return {
      ...session,
      state: stateOf(session),
      ...(title !== undefined && { title: redact(title) }),
      ...(prompt !== undefined && { prompt: redact(prompt) }),
      todos: redact(todos?.todos ?? []),
      ...(name !== undefined && { paneName: name }),
    };
  };
}

async function panesOf(
  sessions: readonly OwnSession[],
): Promise<(session: OwnSession) => string | undefined> {
  const open = sessions.filter(({ ended }) => ended === null);
  const sockets = [...new Set(open.flatMap(({ pane }) => pane?.socket ?? []))];
  const names = new Map(
    await Promise.all(sockets.map(async (socket) => [socket, await paneNames(socket)] as const)),
  );
  return ({ pane }) => (pane ? names.get(pane.socket)?.get(pane.id) : undefined);
}

/** What `--json` prints: its keys are a promise to users. */
export function sessionView(session: KnownSession) {
  const { id, kind, role, state, project, cwd, transcript, pane, paneName, parent, startedAt, seenAt } =
    session;
  const { figure, handoff, report, title, prompt, todos } = session;
  const handoffAt = markOf(session);
  return {
    id,
    kind,
    role,
    state,
    ...(title !== undefined && { title }),
    ...(prompt !== undefined && { prompt }),
    project,
    cwd,
    transcript,
    ...(pane && { pane: { ...pane, ...(paneName !== undefined && { name: paneName }) } }),
    ...(parent !== null && { parent }),
    startedAt,
    seenAt,
    context: figure,
    ...(handoffAt !== undefined && { handoffAt }),
    handoff,
    ...(todos.length > 0 && { todos }),
    ...(report && { report }),
  };
}

/** The tokens at which its work is handed over. Undefined where it is not, or nothing of it is known yet. */
function markOf(session: OwnSession): number | undefined {
  const { figure, reading, settings } = session;
  if (!figure || !settings) return undefined;
  const compactsAt = compactionOf(figure, process.env);
  return handoffTokens(session, { settings, figured: { figure, reading }, compactsAt, refusesAt: undefined });
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
