import { timingSafeEqual } from "node:crypto";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { costWithin } from "../../config/chosen.ts";
import type { Config } from "../../config/config.ts";
import { signature } from "../../hooks/webhook.ts";
import { newJobId } from "../../jobs/new-id.ts";
import { redactor } from "../../secrets/redact.ts";
import { digest } from "../../util/digest.ts";
import { framed, newTag } from "../../util/frame.ts";
import { DAY_MS } from "../../util/time.ts";
import type { Access } from "../access/access.ts";
import type { Principal } from "../access/principal.ts";
import { fireCalled, scheduleNamed } from "../fleet/schedules.ts";
import { trustedAgent } from "../jobs/ready.ts";
import { configOf, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import type { ServedProject, ServedProjects } from "./projects.ts";
import { isThere, leftFor } from "./start.ts";

/** Somebody calls a schedule. */
export interface Call {
  agent: string;
  schedule: string;
  /** JSON; empty: nothing was said. */
  text: string;
  /** What no other call has. Undefined: nobody can tell whether it comes again. */
  key: string | undefined;
  /** Whether the same call can come again at any time, and not only today. */
  isTimeless: boolean;
}

export interface Called {
  outcome: string;
  job?: string;
  reason?: string;
  /** It came before, and this is what became of it then. */
  isRepeated: boolean;
}

/** How much of what a caller says is told to the agent. */
const MOST_SAID = 16_000;

/** Starts a job of the schedule that is called, once for each call, however often it comes. */
export async function answerCall(
  { access, served, principal }: { access: Access; served: ServedProjects; principal: Principal },
  where: ServedProject,
  { agent: agentName, schedule: name, text, key: given, isTimeless }: Call,
): Promise<Called> {
  const { project, store } = where;
  const config = await configOf(project);
  const agent = await trustedAgent(config, agentName);
  const schedule = scheduleNamed(agent, name);
  refuseUncalled(config, agentName, schedule);
  const hook = `${project.root}\n${agentName}/${name}`;
  const id = newJobId();
  const key = given ?? id;
  const request = digest(text);
  const until = isTimeless ? null : new Date(Date.now() + DAY_MS);
  const before = access.beginDelivery({ hook, key, request, job: id, until });
  if (before && before.request !== request) {
    throw new UsageError(
      "A call with this x-baton-delivery said something else. Each call needs one of its own.",
    );
  }
  if (before?.outcome) {
    const { outcome, reason } = before;
    return { ...calledAs(before.job, { outcome, reason }), isRepeated: true };
  }
  const job = before?.job ?? id;
  const start = { project: project.root, job, request: null };
  if (before && (await isThere(where, job))) {
    access.willStart(principal, start);
    access.endDelivery({ hook, key }, QUEUED);
    return { ...calledAs(job, QUEUED), isRepeated: true };
  }
  try {
    const chosen = costWithin(await leftFor({ access, served, principal }), agent.limits);
    const says = told(text, config);
    const became = await fireCalled(
      { config, store },
      { agent, schedule },
      { id: job, says, chosen, now: new Date() },
    );
    if (became.outcome === "queued") access.willStart(principal, start);
    access.endDelivery({ hook, key }, became);
    return { ...calledAs(job, became), isRepeated: false };
  } catch (error) {
    // Another process may have answered the same call meanwhile.
    if (await isThere(where, job)) return { ...calledAs(job, QUEUED), isRepeated: true };
    access.dropDelivery({ hook, key });
    throw error;
  }
}

const QUEUED = { outcome: "queued", reason: null };

function calledAs(job: string, { outcome, reason }: { outcome: string; reason: string | null }) {
  return {
    outcome,
    ...(outcome === "queued" && { job }),
    ...(reason !== null && { reason }),
  };
}

function refuseUncalled(
  { webhooks }: Config,
  agent: string,
  { name, times, enabled }: ReturnType<typeof scheduleNamed>,
): void {
  if (times.kind !== "webhook") {
    throw new UsageError(
      `${name} of ${agent} runs by the clock. Only schedules of type: webhook can be called.`,
    );
  }
  if (!webhooks.enabled) {
    throw new UsageError(
      "No calls are taken. Add webhooks: { enabled: true } to baton.yaml, and agree to it: baton trust",
    );
  }
  if (!enabled) throw new UsageError(`${name} of ${agent} is off: enabled: false.`);
}

/** What a caller said, for the agent: other people's words, without secrets, and not without end. */
function told(text: string, { webhooks: { secretEnv } }: Config): string {
  if (text === "") return "Nothing was sent along with the call that started this job.";
  const env = ownEnvironment();
  const secret = secretEnv === undefined ? undefined : process.env[secretEnv];
  const redact = redactor({
    ...env,
    ...(secretEnv !== undefined && secret !== undefined && { [secretEnv]: secret }),
  });
  const said = redact(JSON.stringify(JSON.parse(text), null, 2));
  const rest = said.length - MOST_SAID;
  const shown = rest > 0 ? `${said.slice(0, MOST_SAID)}\n… (${rest} more characters were left out)` : said;
  return framed({
    kind: "webhook-call",
    source: "what was sent along with the call that started this job",
    text: shown,
    tag: newTag(),
  });
}

/** The schedules of a project that can be called, as `coder/deploy`. */
export async function callable(project: Project): Promise<string[]> {
  return (await configOf(project)).agents.flatMap((agent) =>
    agent.schedules.flatMap(({ name, times }) => (times.kind === "webhook" ? [`${agent.name}/${name}`] : [])),
  );
}

/** The project whose secret a call is signed with. `signed`: what the signature is of. */
export async function signedFor(
  served: ServedProjects,
  { agent, schedule, named }: { agent: string; schedule: string; named: string | undefined },
  { signed, given }: { signed: string; given: string },
): Promise<{ where: ServedProject; principal: Principal } | undefined> {
  for (const where of served.all) {
    if (named !== undefined && where.key !== named && where.name !== named) continue;
    const config = await configOf(where.project).catch(() => undefined);
    const { enabled = false, secretEnv } = config?.webhooks ?? {};
    const secret = enabled && secretEnv !== undefined ? process.env[secretEnv] : undefined;
    if (!secret || !isSame(given, signature(signed, secret))) continue;
    const isThere = config?.agents.some(
      ({ name, schedules }) => name === agent && schedules.some((each) => each.name === schedule),
    );
    if (isThere) return { where, principal: signer(where, `${agent}/${schedule}`) };
  }
  return undefined;
}

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Whoever knows the secret. */
function signer({ project }: ServedProject, hook: string): Principal {
  return {
    ...{ id: `signed:${hook}`, kind: "webhook", name: `signed for ${hook}`, scopes: [], hook },
    ...{ projects: [project.root], maxJobs: null, maxCostUsd: null, expiresAt: null },
  };
}
