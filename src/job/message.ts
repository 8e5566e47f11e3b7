import { inWords } from "../config/reader/duration.ts";
import type { Fact, Message } from "../hooks/message.ts";
import { percent } from "../util/figures.ts";
import { oneLine, printable } from "../util/printable.ts";
import { costInWords } from "./cost.ts";
import { describe, describeMilestone, type Milestone } from "./describe.ts";
import type { JobEvent } from "./events.ts";
import type { Job } from "./job.ts";
import { timeAtWork } from "./limits.ts";

/** What a person is told who sees nothing else of the job. `now`: when it happened. */
export function messageAbout(event: Milestone, job: Job, now: Date): Message {
  const { tone, title, text } = describeMilestone(event);
  return {
    tone,
    title: oneLine(`${job.agent}: ${title}`),
    facts: factsAbout(event, job, now).map((fact) => ({ ...fact, value: oneLine(fact.value) })),
    text: printable(event.type === "job:started" ? job.prompt : text).trim(),
  };
}

/** The same of whatever else people can be told of, in the words of every face. */
export function aboutEvent(event: JobEvent, job: Job): Message {
  const { tone, title, text } = describe(event) ?? { tone: "plain", title: event.type, text: "" };
  return {
    tone,
    title: oneLine(`${job.agent}: ${title}`),
    facts: sessionFacts(job).map((fact) => ({ ...fact, value: oneLine(fact.value) })),
    text: printable(text).trim(),
  };
}

function factsAbout(event: Milestone, job: Job, now: Date): Fact[] {
  switch (event.type) {
    case "job:started":
      return jobFacts(job, "running");
    case "job:completed":
    case "job:failed":
    case "job:paused":
    case "job:timeout":
    case "job:cancelled":
      return jobFacts(job, event.type.slice("job:".length), now);
    case "session:starting":
      return sessionFacts(job);
    case "context:warning":
      return [...sessionFacts(job), { label: "Model", value: modelOf(job, event.session) }];
    case "handoff:stored": {
      const handoff = job.handoffs.find(({ number }) => number === event.handoffNumber);
      const { percent: used = 0, isEstimate = false } = handoff ?? {};
      return [
        ...sessionFacts(job),
        ...(used > 0 ? [{ label: "Context", value: `${isEstimate ? "~" : ""}${percent(used)} used` }] : []),
        { label: "Document", value: event.documentPath },
      ];
    }
  }
}

function jobFacts(job: Job, outcome: string, endedAt?: Date): Fact[] {
  const { workItem, workspace } = job;
  const branch = branchOf(job);
  return [
    { label: "Agent", value: job.agent },
    { label: "Job", value: job.id },
    { label: "Outcome", value: outcome },
    ...(workItem
      ? [{ label: "Work item", value: [workItem.id, workItem.title].filter(Boolean).join(": ") }]
      : []),
    ...(endedAt ? [{ label: "Duration", value: inWords(timeAtWork(job, endedAt)) }] : []),
    { label: "Cost", value: costInWords(job) },
    { label: "Handoffs", value: String(job.handoffs.length) },
    ...(branch ? [{ label: "Branch", value: branch }] : []),
    ...(workspace?.proposal ? [pullRequest(workspace.proposal)] : []),
  ];
}

function sessionFacts(job: Job): Fact[] {
  const branch = branchOf(job);
  return [
    { label: "Agent", value: job.agent },
    { label: "Job", value: job.id },
    ...(branch ? [{ label: "Branch", value: branch }] : []),
  ];
}

/** Of a job without a worktree it is known only where the folder stood at the start. */
export function branchOf({ workspace }: Job): string | undefined {
  return workspace?.repo && workspace.branch ? workspace.branch : undefined;
}

export function modelOf({ sessions }: Job, session: string): string {
  return sessions.find(({ id }) => id === session)?.model ?? "unknown";
}

/** Longer ones would have to be cut, and lead nowhere. */
const LONGEST_LINK = 300;

function pullRequest(address: string): Fact {
  const url = URL.parse(address);
  const isLink = url !== null && /^https?:$/.test(url.protocol) && url.href.length <= LONGEST_LINK;
  return { label: "Pull request", ...(isLink ? { value: url.href, link: true } : { value: address }) };
}
