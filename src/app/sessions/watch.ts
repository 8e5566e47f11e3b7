import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { agentNamed } from "../../config/agent-named.ts";
import type { Config } from "../../config/config.ts";
import { ConfigError } from "../../config/error.ts";
import { shortPath } from "../../display/path.ts";
import { tryLock } from "../../files/lock.ts";
import { parseAccount } from "../../handoff/markdown.ts";
import { askAgain } from "../../handoff/request.ts";
import { NoLongerAskedError, storeHandoff } from "../../sessions/handoff/submit.ts";
import { tidyDocuments } from "../../sessions/record/archive.ts";
import { isOnItsWay } from "../../sessions/record/handoff-questions.ts";
import { type Registry, userRegistry } from "../../sessions/record/registry.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { checkTimes } from "../../sessions/watch/check-times.ts";
import { type Stored, Watch } from "../../sessions/watch/watch.ts";
import type { WatchSettings } from "../../sessions/watch/watch-decision.ts";
import { messageOf } from "../../util/errors.ts";
import { UsageError } from "../usage-error.ts";
import { cycleOf } from "./cycle.ts";
import { writeFromFacts } from "./from-facts.ts";
import { handoffSettings } from "./handoff-settings.ts";
import { ProjectConfigs } from "./project-configs.ts";
import { lookUpJobs } from "./started-jobs.ts";
import { type KnownSession, ownSessions } from "./status.ts";
import { Upkeep } from "./upkeep.ts";

export interface WatchOptions {
  /** Looks once, and ends. */
  once: boolean;
  everyMs: number;
  /** Ends it. */
  signal: AbortSignal;
  /** The sessions that are open at its beginning. */
  begun: (sessions: readonly KnownSession[]) => void;
  /** What a person should know of a session, or of a project where the session is null. */
  tell: (of: { session: string | null; project: string }, what: string) => void;
}

const TIDY_MS = 6 * 60 * 60_000;

/** How long the settings of a project are taken to be the same. */
const SETTINGS_MS = 60_000;

/** Another process does. */
export class WatchedError extends UsageError {}

/** Watches all of a person's own sessions. Refused where another process does that already. */
export async function watchSessions({ once, everyMs, signal, begun, tell }: WatchOptions): Promise<void> {
  const registry = userRegistry();
  const state = dirname(registry.folder);
  using lock = await tryLock(join(state, "watch.lock"));
  if (!lock) throw new WatchedError("Another `baton watch`, or a fleet, is already watching your sessions.");
  const say: Say = ({ id, project }, what) => tell({ session: id, project }, what);
  const complainOf = unlessSaid(({ id }: OwnSession) => id, say);
  const aboutProject = (project: string, what: string) => tell({ session: null, project }, what);
  const complain = unlessSaid((project: string) => project, aboutProject);
  const configs = new ProjectConfigs(aboutProject);
  const watch = new Watch({
    registry,
    settingsOf: remembered(async (project) => settingsFrom(await configs.inUse(project))),
    cycle: (session) => started({ say, complain: complainOf }, session, signal),
    store: (session, answer) => stored(session, answer, { say, configs }),
    writeFromFacts: async ({ id }) => {
      const written = await writeFromFacts(id, { tell: true });
      return written && shortPath(written.documentPath);
    },
    say,
    checks: await checkTimes(join(state, "checks.json")),
  });
  const configOf = (project: string) => configs.readable(project);
  begun((await ownSessions()).sessions.filter(({ state }) => state === "open"));
  const upkeep = new Upkeep({ signal, configOf, tell: aboutProject, complain });
  let tidiedAt = 0;
  do {
    await watch.look();
    upkeep.look();
    if (Date.now() - tidiedAt > TIDY_MS) {
      tidiedAt = Date.now();
      await tidyUp(registry, configs, complain);
    }
    if (once) break;
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  } while (!signal.aborted);
  await Promise.all([watch.settled(), upkeep.settled()]);
}

type Complain = (project: string, problem: string) => void;

/** What is wrong with a project or a session is said once. */
function unlessSaid<T>(
  nameOf: (of: T) => string,
  complain: (of: T, problem: string) => void,
): typeof complain {
  const said = new Set<string>();
  return (of, problem) => {
    const key = `${nameOf(of)}\n${problem}`;
    if (said.has(key)) return;
    said.add(key);
    complain(of, problem);
  };
}

function settingsFrom(config: Config): WatchSettings {
  const { session, handoff } = agentNamed(config);
  return {
    enabled: handoff.enabled,
    threshold: session.threshold,
    warnAt: handoff.notifyUserAt,
    stallMs: session.stallTimeoutMs,
    orchestrator: config.watch,
  };
}

/** Documents of work that is over are put away, as those of jobs are by the jobs that come later. */
async function tidyUp(registry: Registry, configs: ProjectConfigs, complain: Complain): Promise<void> {
  for (const project of new Set((await registry.list()).map(({ project }) => project))) {
    try {
      const config = await configs.readable(project);
      if (config) await tidyDocuments(registry, agentNamed(config).handoff, new Date());
    } catch (error) {
      const why = messageOf(error);
      complain(project, `old handoff documents could not be archived: ${why}`);
    }
  }
}

/** A configuration is read again now and then: people change it while the watch runs. */
function remembered<T>(load: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const known = new Map<string, { at: number; value: Promise<T> }>();
  return (key) => {
    const found = known.get(key);
    if (found && Date.now() - found.at < SETTINGS_MS) return found.value;
    const value = load(key);
    known.set(key, { at: Date.now(), value });
    return value;
  };
}

type Say = (session: OwnSession, what: string) => void;

/** In this process: waiting for a prompt costs nothing, and the others are looked at meanwhile. */
async function started(
  { say, complain }: { say: Say; complain: Say },
  session: OwnSession,
  signal: AbortSignal,
): Promise<void> {
  cycleOf(session.id, { signal }).then(
    (ending) => {
      if (ending.outcome === "pending" || ending.outcome === "failed")
        say(session, `its handoff waits for you: ${ending.reason}`);
      if (ending.outcome === "taken-up" && isOnItsWay(session.handoff))
        say(session, `its handoff was interrupted, and ${ending.successor} has picked it up`);
    },
    (error: unknown) =>
      complain(
        session,
        error instanceof ConfigError
          ? "its handoff continues once the configuration can be read"
          : `its handoff could not continue: ${messageOf(error)}`,
      ),
  );
}

async function stored(
  session: OwnSession,
  answer: string,
  { say, configs }: { say: Say; configs: ProjectConfigs },
): Promise<Stored> {
  const config = await configs.inUse(session.project);
  const submission = await storeHandoff(session, parseAccount(answer), {
    registry: userRegistry(),
    handoff: await handoffSettings(session, config),
    env: ownEnvironment(),
    checkMessage: config.watch.message,
    lookUpJobs,
    onlyIfAsked: true,
  }).catch((error: unknown) => {
    if (error instanceof NoLongerAskedError) return undefined;
    throw error;
  });
  switch (submission?.status) {
    case "again":
      return { isStored: false, missing: askAgain(submission.missing, false) };
    case "stopped":
      say(session, submission.reason);
      return { isStored: false };
    case "stored":
      say(session, `its handoff is in ${shortPath(submission.documentPath)}`);
      return { isStored: true };
    case undefined:
      return { isStored: false };
  }
}
