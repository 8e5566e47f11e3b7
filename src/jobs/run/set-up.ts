import type { MaintenanceConfig } from "../../config/config.ts";
import { configuredSecrets } from "../../config/configured-secrets.ts";
import { FactCollector } from "../../handoff/collect.ts";
import { type Facts, noFacts } from "../../handoff/facts.ts";
import { HANDOFF_LIMITS } from "../../handoff/limits.ts";
import type { JobEvent } from "../../job/events.ts";
import { agentNow } from "../../job/job.ts";
import { spentBy } from "../../job/limits.ts";
import { activityOf } from "../../processes/activity.ts";
import type { Mark } from "../../processes/marks.ts";
import { ourMark } from "../../processes/own-mark.ts";
import { growingRedactor } from "../../secrets/redact.ts";
import { messageOf } from "../../util/errors.ts";
import { shortLine } from "../../util/frame.ts";
import { workspaceEnvironment, workspaceSection } from "../../workspace/worktrees/environment.ts";
import { sharedLimits } from "../account-limits.ts";
import { Asks } from "../asks/asks.ts";
import { asksPerson } from "../asks/asks-person.ts";
import { BudgetWatch } from "../budgets.ts";
import { capReached } from "../caps.ts";
import { Crew, type Runner } from "../crew/crew.ts";
import { ledgerOf } from "../end/janitor.ts";
import type { HandoffRequests } from "../handoff/handoff-requests.ts";
import { JobHooks } from "../hooks/job-hooks.ts";
import type { Journal } from "../journal.ts";
import { MessageQueue } from "../messages/queue.ts";
import { restingOn } from "../resting.ts";
import { LifeSigns } from "../watchdog/life-signs.ts";
import type { Conversation } from "./conversation.ts";
import { JobBoxes } from "./job-boxes.ts";
import { Sessions } from "./job-sessions.ts";
import { Leg } from "./leg.ts";
import type { ClaimedJob, JobAtWork, SetUpJob } from "./phases.ts";
import type { Prestarted } from "./prestart.ts";
import { callsOf } from "./recorded-calls.ts";
import { endEarlierAttempts } from "./spec.ts";
import { strategyFor, workspaceJob } from "./workspaces.ts";

export function claimedJob({
  journal,
  config,
  agent,
  env,
  signal,
  now,
  cleanup,
  standIns = [],
  join,
  item,
}: Pick<ClaimedJob, "journal" | "config" | "agent" | "env" | "signal" | "now"> &
  Partial<Pick<ClaimedJob, "standIns" | "join" | "item">> & {
    cleanup?: MaintenanceConfig["worktreeCleanup"] | undefined;
  }): ClaimedJob {
  const { redact, learn: learnSecrets } = growingRedactor({ ...configuredSecrets(config, env), ...env });
  for (const runner of standIns) learnSecrets(secretsOf(runner, env));
  const append = (event: JobEvent) => journal.append(redact(event));
  const record = (event: JobEvent) => journal.record(redact(event));
  const job = () => journal.job;
  const strategy = strategyFor(config, ledgerOf(journal.store, cleanup));
  const boxes = new JobBoxes({ journal, job, append, signal });
  const who = { config, agent, env, standIns, join };
  const launchIn = (folder: string) => boxes.launchIn(who, folder);
  const hooks = new JobHooks({ config, redact, env, store: journal.store.path, job, append, now, launchIn });
  return {
    ...who,
    journal,
    item,
    strategy,
    boxes,
    hooks,
    job,
    redact,
    learnSecrets,
    append,
    record,
    signal,
    now,
  };
}

/** What another agent knows that the job's own does not, by names that tell whose it is. */
function secretsOf({ config, env }: Runner, known: Record<string, string>): Record<string, string> {
  const all = Object.entries({ ...configuredSecrets(config, env), ...env });
  const others = all.filter(([name, value]) => known[name] !== value);
  return Object.fromEntries(others.map(([name, value]) => [`${config.name}.${name}`, value]));
}

/** Makes sure that nothing of an earlier owner still works in the folder, then makes the job ours. */
export async function takeOver({ journal, job, append }: ClaimedJob): Promise<void> {
  const { id, marker } = job();
  if (marker !== null) await endEarlierAttempts({ job: id, attempt: journal.attempt });
  append({ type: "job:started", pid: process.pid, marker: ourMark.value });
}

export async function setUpJob(claimed: ClaimedJob): Promise<SetUpJob> {
  const { journal, config, strategy, boxes, job, redact, append, now } = claimed;
  const isNew = job().workspace === null;
  const workspace = await strategy.setup(
    workspaceJob(journal, {
      ...claimed,
      named: Object.keys(config.env),
      runSetup: (options) => boxes.setUp(claimed, options),
    }),
  );
  const workItem = job().workItem ?? undefined;
  if (isNew && workItem) await sayWhoRests(claimed, workItem.id);
  const workspaceEnv = workspaceEnvironment(config.workspace.envPrefix, workspace, workItem);
  const env = { ...claimed.env, ...workspaceEnv };
  await boxes.open(claimed, workspace.path);
  const store = journal.store.path;
  const launchIn = (folder: string) => boxes.launchIn(claimed, folder);
  const hooks = new JobHooks({ config, redact, env, store, job, append, now, launchIn });
  return { ...claimed, env, hooks, workspace, workspaceEnv };
}

/** Work that another job has begun on the same item would be forgotten. */
async function sayWhoRests({ journal, job, append }: ClaimedJob, workItem: string): Promise<void> {
  const other = await restingOn(journal.store, { agent: job().agent, workItem });
  if (!other) return;
  const message = `${other.id} has begun ${workItem} too and is ${other.status}: what it did is kept. Continue it with \`baton resume ${other.id}\`, or end it with \`baton cancel ${other.id}\`.`;
  append({ type: "warning", message });
}

export interface Participants {
  requests: HandoffRequests;
  /** The program of the first session, started ahead. */
  prestarted: Prestarted | undefined;
  conversation: Conversation | undefined;
}

/** Has what the sessions of a job need, whoever runs them. */
export async function readyForWork(
  setUp: SetUpJob,
  { requests, prestarted, conversation }: Participants,
): Promise<JobAtWork> {
  const { journal, workspace, agent, config, env, hooks, job, redact, append, record, signal, now } = setUp;
  const { parent } = job();
  const forked = parent?.by === "fork" ? parent : undefined;
  await conversation?.ready(workspace.path);
  const place = workspaceSection(workspace, job().workItem ?? undefined, forked);
  const about = [place, conversation?.about].filter((part) => part !== undefined);
  const whereabouts = about.length > 0 ? about.join("\n\n") : undefined;
  const isAttended = conversation !== undefined;
  const shared = {
    cwd: workspace.path,
    ...(whereabouts !== undefined && { whereabouts }),
    ...(conversation && { tools: conversation.tools }),
    reports: job().startedBy !== undefined,
    facts: new FactCollector(workspace.path, await factsSoFar(journal)),
    job,
    redact,
    append,
    record,
    signal,
  };
  const asks = await Asks.of({
    ...{ journal, job, redact, append, record, now },
    ...(conversation?.permit && { atScreen: conversation.permit }),
  });
  prestarted?.askBy?.(asks.permitFor(config.approvals));
  const messages = await MessageQueue.of(journal);
  const hasMessage = () => messages.isDue("boundary");
  const activity = (mark: Mark) => activityOf(mark, () => performance.now());
  const lifeSigns = (mark: Mark) => {
    const signs = new LifeSigns(mark, workspace.path);
    return () => signs.look();
  };
  const spent = () => spentBy(job(), journal.now());
  const warn = (message: string) => append({ type: "warning", message, about: "budget" });
  const recordedCalls = async (session: string) =>
    callsOf(session, await journal.all("tool:start"), await journal.all("tool:end"));
  const atWork = (runner: Runner): JobAtWork => {
    const isOwn = runner.config.name === config.name;
    const who = { ...runner, env: { ...runner.env, ...setUp.workspaceEnv } };
    if (!isOwn) setUp.learnSecrets(secretsOf(who, env));
    const person = {
      permit: asks.permitFor(who.config.approvals),
      get allowed() {
        return asks.allowed;
      },
    };
    const isAsked = asksPerson(who.config, isAttended);
    const setting = {
      ...shared,
      ...who,
      ...(isAsked && { person }),
      openBox: () => setUp.boxes.open(runner, workspace.path),
    };
    const sessions = new Sessions({
      ...setting,
      appendHeard: (event) => journal.append(event),
      recordedCalls,
      prestarted: isOwn ? prestarted : undefined,
      ...(conversation && { overhear: conversation.overhear }),
    });
    const budgets = new BudgetWatch(who.config.budgets, { journal, now: () => journal.now(), warn });
    return {
      ...setting,
      crew,
      hooks,
      sessions,
      limits: sharedLimits(who, { journal, now, warn }),
      messages,
      asks,
      isAttended,
      now,
      activity,
      capReached: () => capReached(who.config.limits, spent(), budgets),
      newLeg(live, continues) {
        live.inbox.onRequest((reason) => requests.request("agent", reason));
        live.inbox.onReport(async (status) => {
          const line = shortLine(status, HANDOFF_LIMITS.report);
          await record({ type: "job:reported", session: live.id, status: line });
          return REPORTED;
        });
        const isPauseWanted = () => job().pauseRequested ?? false;
        const asked = {
          isAttended,
          ...(isAsked && { asks }),
          hasMessage,
          isPauseWanted,
          onTroubleNear: () => void crew.standBy(),
        };
        const limits = { config: who.config, spent, budgets };
        return new Leg(live, continues, { ...shared, ...asked, ...limits, activity, lifeSigns });
      },
    };
  };
  const crew: Crew = new Crew({
    job,
    runners: [{ config, agent, env }, ...setUp.standIns],
    join: setUp.join,
    atWork: (runner) => atWork(runner),
    now,
  });
  await whoRunsIt(setUp, crew);
  return crew.current();
}

/** An agent that ran the job and cannot any more, by the configuration as it is now, leaves it to the job's own. */
async function whoRunsIt({ job, record }: SetUpJob, crew: Crew): Promise<void> {
  const { agent: to } = job();
  const from = agentNow(job());
  try {
    await crew.join(from);
  } catch (error) {
    const reason = "not_configured" as const;
    await record({ type: "agent:switched", from, to, reason, message: messageOf(error) });
  }
}

const REPORTED = {
  ok: true,
  text: "On record: the orchestrator sees it in its list of workers. Continue the work.",
};

/** Facts are cumulative, also over jobs where one goes on from the document of another. */
async function factsSoFar(journal: Journal): Promise<Facts> {
  const { job } = journal;
  const isHandedOver = job.handoffs.length > 0 || job.pendingHandoff?.unstored;
  const known = isHandedOver && (await journal.latest("facts:collected"));
  const created = job.continues && (await journal.latest("job:created"));
  const facts = known ? known.facts : (created?.continues?.facts ?? noFacts(job.prompt));
  if (job.sessions.length === 0) return facts;
  const said = (await journal.all("message:sent")).flatMap(({ kind, text }) =>
    kind === "said" ? [text] : [],
  );
  return { ...facts, messages: [...new Set([...facts.messages, ...said])] };
}
