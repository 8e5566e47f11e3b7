import type { BackgroundTask } from "../../agents/events.ts";
import { isAccount, parseAccount } from "../../handoff/markdown.ts";
import type { Answer } from "../../handoff/write.ts";
import { BackgroundRest } from "../run/background-rest.ts";
import type { LiveSession } from "../run/live-session.ts";
import type { JobAtWork } from "../run/phases.ts";

/** How long a program may take to say that nothing follows a turn. */
export const SETTLING_MS = 5_000;

/** What still runs in the background of a session that is about to end. `atRest`: it has done nothing for a while. */
export interface LeftRunning {
  tasks: BackgroundTask[];
  atRest: boolean;
}

/**
 * Waits until nothing of the session runs in the background, at most for the grace, and not for commands that do nothing
 * any more. Returns what still runs then.
 */
export async function letBackgroundFinish(
  live: LiveSession,
  graceMs: number,
  activity: JobAtWork["activity"],
  signal: AbortSignal,
): Promise<LeftRunning> {
  const deadline = performance.now() + graceMs;
  const rest = new BackgroundRest(() => activity(live.mark), graceMs);
  while (live.quiet !== "quiet") {
    const event = await live.next(Math.min(deadline - performance.now(), patienceWith(live, rest)), signal);
    if (event?.type === "exit") break;
    if (event !== undefined) continue;
    if (performance.now() >= deadline || live.quiet === "settling") break;
    if (live.quiet === "commands" && (await rest.isReached()))
      return { tasks: live.background, atRest: true };
  }
  return { tasks: live.background, atRest: false };
}

function patienceWith({ quiet }: LiveSession, rest: BackgroundRest): number {
  if (quiet === "settling") return SETTLING_MS;
  return quiet === "commands" ? rest.intervalMs : Number.POSITIVE_INFINITY;
}

/** Asks the live session for its account: by Baton's tool, or in Markdown where it does not use that. */
export async function askSession(
  live: LiveSession,
  text: string,
  patienceMs: number,
  signal: AbortSignal,
): Promise<Answer> {
  const deadline = performance.now() + patienceMs;
  const said: string[] = [];
  live.inbox.expect(() => live.session.stopAtBoundary());
  live.send({ text, verbatim: true });
  try {
    for (;;) {
      const event = await live.next(deadline - performance.now(), signal);
      if (event === undefined) return nothing("the session did not answer in time", true);
      if (event.type === "exit") return nothing("the agent program ended before it answered", true);
      if (event.type === "text" && event.subagent === undefined) said.push(event.text);
      if (event.type !== "turn:end") continue;
      const account = live.inbox.collect();
      if (account) return { kind: "account", account };
      switch (event.outcome.kind) {
        case "completed":
          return accountIn(said, event.outcome.text);
        case "out-of-context":
          return nothing("there was no room left in the window to write it", true);
        case "limited":
        case "failed":
        case "no-access":
        case "max-turns":
          return nothing(event.outcome.message, true);
        case "stopped":
        case "interrupted":
          return nothing("the turn was stopped before the account was complete", false);
      }
    }
  } finally {
    if (signal.aborted) live.inbox.callOff();
    else live.inbox.collect();
  }
}

function accountIn(said: string[], final: string): Answer {
  const account = [final, ...said.toReversed(), said.join("\n\n")].find(isAccount);
  if (account !== undefined) return { kind: "account", account: parseAccount(account) };
  const empty = final.trim() === "" && said.every((text) => text.trim() === "");
  return nothing(
    empty ? "the answer was empty" : "the answer did not have the sections that were asked for",
    false,
  );
}

function nothing(why: string, final: boolean): Answer {
  return { kind: "nothing", why, final };
}
