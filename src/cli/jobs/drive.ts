import { Control, type Conversation } from "../../app/jobs/control.ts";
import { eventsSoFar } from "../../app/jobs/follow.ts";
import type { ReadyJob } from "../../app/jobs/ready-job.ts";
import { driveJob } from "../../app/jobs/run.ts";
import { reachOf } from "../../app/reach.ts";
import type { AgentConfig } from "../../config/config.ts";
import { jsonScreen, peopleScreen, type Screen } from "../../display/screen.ts";
import { paintFor } from "../../display/style.ts";
import type { Job } from "../../job/job.ts";
import type { Journal } from "../../jobs/journal.ts";
import { hasKeyboard, listenForEscape } from "./keyboard.ts";
import { listenForSignals } from "./signals.ts";

interface DriveOptions {
  json: boolean;
  /** A person who takes part, at a screen and a keyboard of their own. */
  attended?: Attended;
}

interface Attended {
  conversation: Conversation;
  control: Control;
  /** Aborted when they end the job. */
  signal: AbortSignal;
  screen(journal: Journal): Screen;
}

/** Runs a job in this process until it ends, showing it as it goes: a new one from its first event. */
export async function drive(ready: ReadyJob, { json, attended }: DriveOptions): Promise<Job> {
  const { store, config, job: id, resumed } = ready;
  const control = attended?.control ?? new Control();
  using endings = listenForSignals(control.ending);
  const signal = AbortSignal.any([endings.signal, ...(attended ? [attended.signal] : [])]);
  const keys = !json && !attended && hasKeyboard(process.stdin);
  let screen: Screen | undefined;
  let escapeKey: Disposable | undefined;
  try {
    return await driveJob({
      ...ready,
      ...(attended && { conversation: attended.conversation }),
      control,
      signal,
      reach: reachOf(process.stderr, process.env),
      async claimed(journal) {
        const shown = attended?.screen(journal) ?? screenFor(journal, config, json, keys);
        screen = shown;
        if (keys) escapeKey = listenForEscape(process.stdin, escapeFor(control, shown));
        signal.addEventListener("abort", () =>
          shown.say("Ending the agent … Ctrl-C now ends Baton without waiting for it."),
        );
        journal.held.addEventListener("abort", () =>
          shown.say(
            "Another process holds the store, so nothing can be recorded. The agent is ended, and Baton waits for the store to record that. Ctrl-C twice ends Baton now.",
          ),
        );
        if (resumed === undefined) for await (const event of eventsSoFar(store, id, 0)) shown.show(event);
        journal.subscribe(shown.show);
      },
    });
  } finally {
    escapeKey?.[Symbol.dispose]();
    screen?.stop();
  }
}

function screenFor(journal: Journal, config: AgentConfig, json: boolean, keys: boolean): Screen {
  return json ? jsonScreen(process.stdout) : peopleScreen(journal, config, process.stdout, keys);
}

function escapeFor(control: Control, screen: Screen): () => void {
  let told = false;
  return () => {
    if (control.callOff() || told) return;
    told = true;
    const paint = paintFor(process.stdout, process.env);
    screen.say(paint("dim", "  Esc cancels a handoff, and none is being made. Ctrl-C ends the job."));
  };
}
