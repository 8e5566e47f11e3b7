import { counted } from "../util/figures.ts";
import { beforeFrames } from "../util/frame.ts";
import type { ChatService, PauseCode, SwitchReason } from "./events.ts";
import { agentNow, type Job } from "./job.ts";

/** What a job is about: the item that it took from a tracker, as that is called there, or else what it was asked. */
export function headline({
  workItem,
  prompt,
}: {
  workItem?: { id: string; title?: string; source?: string } | null;
  prompt: string;
}): string {
  const title = workItem?.source === undefined ? undefined : workItem.title?.trim();
  return workItem && title ? `${workItem.id}: ${title}` : beforeFrames(prompt);
}

/** A job that may not hand off again stops in the middle of its work. */
export function isOutOfHandoffs(code: PauseCode | null | undefined): boolean {
  return code === "max_handoffs";
}

export const OUT_OF_HANDOFFS = "paused, out of handoffs";

/** A status as people read it in a list. */
export function statusInWords(
  job: Pick<Job, "status" | "pauseCode" | "denied" | "asks" | "pauseRequested">,
): string {
  if (job.asks?.length) return `${job.status}, asks you`;
  if (job.pauseRequested) return `${job.status}, pausing`;
  if (job.status === "paused" && isOutOfHandoffs(job.pauseCode)) return OUT_OF_HANDOFFS;
  return job.status === "completed" && denials(job) > 0 ? `completed, ${denials(job)} denied` : job.status;
}

/** How many calls its rules did not allow, of those that count. */
export function denials({ denied = [] }: { denied?: readonly { times: number }[] }): number {
  return denied.reduce((sum, { times }) => sum + times, 0);
}

export const completedBut = (calls: number) =>
  `completed, but ${counted(calls, "tool call")} ${calls === 1 ? "was" : "were"} denied`;

/** Whose job it is, and who runs it, where that is another. */
export function agentInWords(job: Pick<Job, "agent" | "runsOn">): string {
  const now = agentNow(job);
  return now === job.agent ? job.agent : `${job.agent} → ${now}`;
}

/** Why another agent than its own runs it. */
export const SWITCHED: Record<SwitchReason, string> = {
  usage_limit: "at a usage limit",
  api_failing: "because the API kept failing",
  no_access: "at a lost sign-in",
  reset: "which can work again",
  manual: "by hand",
  not_configured: "because the other one is no longer configured",
};

/** As people call them. */
export const CHAT_SERVICES: Readonly<Record<ChatService, string>> = {
  slack: "Slack",
  discord: "Discord",
  terminal: "the terminal",
};
