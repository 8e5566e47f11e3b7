import type { Job } from "../../job/job.ts";
import { statusInWords } from "../../job/status-words.ts";
import {
  changeConversation,
  conversationAt,
  conversationsOf,
  putConversation,
} from "../../store/conversations/conversations.ts";
import { AmbiguousJobError, JobNotFoundError } from "../../store/errors.ts";
import { findJob, getJob } from "../../store/jobs.ts";
import { messageOf } from "../../util/errors.ts";
import { counted, money, percent, tokens } from "../../util/figures.ts";
import { auditChat } from "../access/audit.ts";
import type { FleetProject } from "../fleet/projects.ts";
import { answerForPerson } from "../inbox/answer.ts";
import type { Attending } from "./attending.ts";
import type { Speaker } from "./bots.ts";
import { COMMANDS, type Command } from "./decide.ts";
import type { StoredEvent } from "./stored-event.ts";
import { queuedAgain } from "./upkeep.ts";
import { inLine } from "./words.ts";

interface Setting {
  where: FleetProject;
  speaker: Speaker;
  attending: Attending | undefined;
  now: Date;
}

/** Does what a person asked for in a conversation, and says what came of it. */
export async function obey(command: Command, event: StoredEvent, setting: Setting): Promise<string> {
  const { where, attending, now } = setting;
  const { store } = where;
  const { place } = event;
  // A skill without its name: which ones there are.
  if (command.name === "help" || command.name === "skill") return help(setting.speaker);
  if (command.name === "follow") return follow(command.text, event, setting);
  if (command.name === "answer") return answer(command.text, event, setting);
  const known = await conversationAt(store, place.key);
  const job = known?.job && known.endedAt === null ? await getJob(store, known.job) : undefined;
  if (!known || !job) return "There is no conversation here yet: write to me, and one begins.";
  switch (command.name) {
    case "status":
      return status(job, attending);
    case "sessions":
      return sessions(job);
    case "cost":
      return cost(job);
    case "stop":
      record(event, setting, { what: "!stop", target: job.id });
      return attending?.stop() ? "_I stop._" : "_There is nothing to stop: I do nothing at the moment._";
    case "handoff":
      if (!attending) return noHandoff(job);
      record(event, setting, { what: "!handoff", target: job.id });
      attending.handOff(command.text || undefined);
      return "_I continue in a fresh session, at the next step._";
    case "reset":
      record(event, setting, { what: "!reset", target: job.id });
      await changeConversation(store, known.key, { endedAt: now.toISOString() });
      attending?.end();
      return "_This conversation is over. The next message begins another._";
  }
}

/**
 * Whether a handoff has to wait for the session of a conversation at rest, which alone can say what matters: it is started for
 * that.
 */
export async function wakesFirst(event: StoredEvent, { where, attending, now }: Setting): Promise<boolean> {
  if (attending) return attending.isResting;
  const { store } = where;
  const known = await conversationAt(store, event.place.key);
  const job = known?.job && known.endedAt === null ? await getJob(store, known.job) : undefined;
  if (!job || job.sessions.length === 0 || job.pauseCode === "requested") return false;
  if (job.status === "running" || job.status === "completed") return false;
  if (job.status !== "queued")
    await queuedAgain(store, job.id, { message: "somebody wants a handoff of its conversation" }, now);
  return true;
}

function noHandoff({ id, pauseCode, status }: Job): string {
  if (pauseCode === "requested") return `_I was paused by hand. To have me back: \`baton resume ${id}\`._`;
  if (status === "running") return `_I work elsewhere. \`baton handoff ${id}\` asks me for it there._`;
  return "_There is nothing to hand off yet._";
}

function help({ service, agent }: Speaker): string {
  const commands = COMMANDS.map((command) => {
    const takes = "takes" in command ? ` ${command.takes}` : "";
    return `- \`!${command.name}${takes}\`: ${command.does}`;
  });
  const skills = service.skills.map(({ name, description }) =>
    description === undefined ? `- \`!skill ${name}\`` : `- \`!skill ${name}\`: ${inLine(description)}`,
  );
  const known = skills.length > 0 ? ["", "My skills:", ...skills] : [];
  return [
    `I am ${inLine(agent)}. Write to me in a thread; each thread is a conversation.`,
    ...commands,
    ...known,
  ].join("\n");
}

function status(job: Job, attending: Attending | undefined): string {
  const last = job.sessions.at(-1);
  const window = last?.contextWindow ? ` of ${tokens(last.contextWindow)}` : "";
  const full = last && last.peakTokens > 0 ? `, ${tokens(last.peakTokens)}${window} tokens` : "";
  const doing = job.tools.map(({ name, summary }) => inLine(`${name} ${summary}`));
  const how =
    attending === undefined
      ? job.status === "paused" && job.pauseCode === "awaiting"
        ? "at rest until you write"
        : statusInWords(job)
      : attending.conversation.isAwaited
        ? "waiting for you"
        : job.asks?.length
          ? "waiting for an answer"
          : "at work";
  return [
    `**${how}**`,
    ...(doing.length > 0 ? [`⏳ ${doing.join(", ")}`] : []),
    `Session ${last?.ordinal ?? 0}${full}; ${counted(job.handoffs.length, "handoff")}. Job \`${job.id}\`.`,
  ].join("\n");
}

function sessions(job: Job): string {
  const list = job.sessions.map(({ ordinal, id, turns, peakTokens, contextWindow, endReason }) => {
    const full = contextWindow ? ` (${percent((peakTokens / contextWindow) * 100)} of its window)` : "";
    return `${ordinal}. \`${id.slice(0, 8)}\` ${counted(turns, "turn")}${full}, ${endReason ?? "open"}`;
  });
  return list.join("\n") || "There is no session yet.";
}

export function cost(job: Job): string {
  const simulated = job.simulatedUsd ? `, ${money(job.simulatedUsd)} of it simulated` : "";
  return `${job.costBasis === "told" ? "" : "About "}${money(job.costUsd)}${simulated}, in ${counted(job.turns, "turn")}.`;
}

/** From now on what the job says is said in this thread too. */
async function follow(named: string, event: StoredEvent, setting: Setting): Promise<string> {
  const { place, service } = event;
  const { where, speaker, now } = setting;
  try {
    const job = await findJob(where.store, named.trim());
    const others = (await conversationsOf(where.store, job.id)).filter(({ kind }) => kind === "talk");
    if (others.some((each) => each.place.key !== place.key))
      return "_Others talk with that job, and what they say is theirs: it cannot be followed from here._";
    record(event, setting, { what: "!follow", target: job.id });
    await putConversation(where.store, {
      ...{ key: `${place.key}~${job.id}`, kind: "follow", place, service, agent: speaker.agent, job: job.id },
      ...{
        session: null,
        toldSeq: job.seq,
        lastAt: now.toISOString(),
        endedAt: null,
        live: [],
        status: null,
      },
    });
    return `_This thread hears what ${job.id} does. It is ${statusInWords(job)}._`;
  } catch (error) {
    if (!(error instanceof JobNotFoundError) && !(error instanceof AmbiguousJobError)) throw error;
    // Which ones there are is not for everybody to know.
    return "There is no such job. Say its whole id: `!follow <job>`";
  }
}

async function answer(text: string, event: StoredEvent, setting: Setting): Promise<string> {
  const [ask = "", ...words] = text.trim().split(/\s+/);
  if (ask === "" || words.length === 0) return "Name the ask and your answer: `!answer <ask> <text>`";
  return answerAs(event, setting, ask, { answer: "text", texts: [words.join(" ")] });
}

type Answer = { answer: "yes" | "no" } | { answer: "text"; texts: string[] };

/** A press of a button of ours. */
export async function pressed(
  { ask, says }: { ask: string; says: string },
  event: StoredEvent,
  setting: Setting,
): Promise<string | undefined> {
  const reply: Answer =
    says === "yes" || says === "no" ? { answer: says } : { answer: "text", texts: [says] };
  return (await answerAs(event, setting, ask, reply)) || undefined;
}

/** Only of the job of this conversation, by whom the user named, and once. What is answered shows in the message that asks. */
async function answerAs(event: StoredEvent, setting: Setting, ask: string, reply: Answer): Promise<string> {
  const { by, place } = event;
  const { where, speaker } = setting;
  const { approvers } = speaker.chat;
  const what = { yes: "approve", no: "deny", text: "answer" }[reply.answer];
  if (!approvers.includes(by.id)) {
    const who =
      approvers.length > 0
        ? `only ${approvers.join(", ")} can`
        : "nobody can in this channel: use `baton inbox` in a terminal";
    record(event, setting, { what, target: ask, outcome: "refused: not among the approvers" });
    return `_${inLine(by.name)} (${inLine(by.id)}) cannot answer this: ${who}._`;
  }
  const known = await conversationAt(where.store, place.key);
  const job = known?.job ? await getJob(where.store, known.job) : undefined;
  if (!job?.asks?.some((each) => each.ask === ask))
    return `_${ask} has already been answered, or no longer needs an answer._`;
  try {
    await answerForPerson(where.project, ask, { ...reply, by: `${by.name} (${by.id})` });
    record(event, setting, { what, target: ask });
    return "";
  } catch (error) {
    record(event, setting, { what, target: ask, outcome: `refused: ${messageOf(error)}` });
    return `_${inLine(messageOf(error))}_`;
  }
}

/** Puts on the audit trail what somebody did here. */
export function record(
  { service, by }: Pick<StoredEvent, "service" | "by">,
  { where }: Pick<Setting, "where">,
  deed: { what: string; target: string; outcome?: string },
): void {
  auditChat({ ...deed, who: `${service}:${by.id}`, project: where.project.root });
}
