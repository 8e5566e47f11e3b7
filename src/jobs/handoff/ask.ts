import type { BackgroundTask } from "../../agents/agent.ts";
import { isAccount, parseAccount } from "../../handoff/markdown.ts";
import type { Answer } from "../../handoff/write.ts";
import type { LiveSession } from "../run/live-session.ts";

/** How long a program may take to say that nothing follows a turn. */
export const SETTLING_MS = 5_000;

/** Waits until nothing of the session runs in the background, at most for the grace. Returns what still runs then. */
export async function letBackgroundFinish(
  live: LiveSession,
  graceMs: number,
  signal: AbortSignal,
): Promise<BackgroundTask[]> {
  const deadline = performance.now() + graceMs;
  while (live.quiet !== "quiet") {
    const settled = live.quiet === "settling" ? SETTLING_MS : Number.POSITIVE_INFINITY;
    const event = await live.next(Math.min(deadline - performance.now(), settled), signal);
    if (event?.type === "exit" || event === undefined) break;
  }
  return live.background;
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
