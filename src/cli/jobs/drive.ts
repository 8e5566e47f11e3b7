import { Control, type Conversation } from "../../app/jobs/control.ts";
import { eventsSoFar } from "../../app/jobs/follow.ts";
import type { ReadyJob } from "../../app/jobs/ready-job.ts";
import { driveJob } from "../../app/jobs/run.ts";
import { reachOf } from "../../app/reach.ts";
import type { AgentConfig } from "../../config/config.ts";
import { folded, screenWidth } from "../../display/fold.ts";
import { howToContinue } from "../../display/how-to-continue.ts";
import { print } from "../../display/print.ts";
import { jsonScreen, peopleScreen, type Screen } from "../../display/screen.ts";
import type { Job } from "../../job/job.ts";
import type { Journal } from "../../jobs/journal.ts";
import type { Store } from "../../store/store.ts";
import { deedIsOn } from "../audited.ts";
import type { Keyboard } from "./keyboard.ts";
import { listenForSignals } from "./signals.ts";
import { hasKeyboard } from "./terminal-keys.ts";

interface DriveOptions {
  json: boolean;
  /** A person who takes part, at a screen and a keyboard of their own. */
  attended?: Attended;
  /** Nobody sees it run: it has no terminal that could go away. */
  detached?: { begun(): void };
}

interface Attended {
  conversation: Conversation;
  control: Control;
  /** Aborted when they end the job. */
  signal: AbortSignal;
  screen(journal: Journal): Screen;
}

/** Runs a job in this process until it ends, showing it as it goes: a new one from its first event, and what came of it at the end. */
export async function drive(ready: ReadyJob, { json, attended, detached }: DriveOptions): Promise<Job> {
  const { store, config, job: id, resumed } = ready;
  deedIsOn(id);
  const control = attended?.control ?? new Control();
  using endings = listenForSignals(control.ending, {
    onLeave: () => leaveHint(id, { json }),
    hangUp: detached ? "ignored" : "ends it",
  });
  const signal = AbortSignal.any([endings.signal, ...(attended ? [attended.signal] : [])]);
  const keys = !json && !attended && hasKeyboard(process.stdin);
  let screen: Screen | undefined;
  let keyboard: Keyboard | undefined;
  let ended: Job;
  try {
    ended = await driveJob({
      ...ready,
      ...(attended && { conversation: attended.conversation }),
      control,
      signal,
      reach: reachOf(process.stderr, process.env),
      async claimed(journal) {
        if (keys) keyboard = await keyboardOf(store, journal, control);
        const shown = attended?.screen(journal) ?? screenFor(journal, config, { json, keyboard });
        screen = shown;
        keyboard?.at(shown);
        const say = (words: string) => shown.say(folded(words, screenWidth(process.stdout)));
        signal.addEventListener("abort", () =>
          say("Ending the agent … Press Ctrl-C again to leave without waiting."),
        );
        journal.held.addEventListener("abort", () =>
          say(
            "Another process holds the store, so nothing can be recorded. The agent is ended, and Baton waits for the store to record that. Press Ctrl-C twice to leave now.",
          ),
        );
        if (detached) tellOfBeginning(journal, detached.begun, resumed !== undefined);
        if (resumed === undefined) for await (const event of eventsSoFar(store, id, 0)) shown.show(event);
        journal.subscribe(shown.show);
      },
    });
  } finally {
    await keyboard?.close();
    screen?.stop();
  }
  if (!json && !attended) {
    const { printEnd } = await import("../../display/job-end.ts");
    printEnd(ended, (result) => screen?.hasShown(result) ?? false);
  }
  return ended;
}

/** Until it says that it is resumed, whoever looks at the job sees that it has ended. */
function tellOfBeginning(journal: Journal, begun: () => void, isResumed: boolean): void {
  if (!isResumed) begun();
  else
    journal.subscribe(({ type }) => {
      if (type === "job:resumed") begun();
    });
}

function screenFor(
  journal: Journal,
  config: AgentConfig,
  { json, keyboard }: { json: boolean; keyboard: Keyboard | undefined },
): Screen {
  if (json) return jsonScreen(process.stdout);
  const shown = {
    get job() {
      return journal.job;
    },
    now: () => journal.now(),
    config,
  };
  return peopleScreen(shown, process.stdout, { keys: keyboard !== undefined, below: keyboard?.lines });
}

async function keyboardOf(store: Store, journal: Journal, control: Control): Promise<Keyboard> {
  const { Keyboard } = await import("./keyboard.ts");
  const keyboard = new Keyboard({
    store,
    job: () => journal.job,
    callOff: () => control.callOff(),
    ctrlC: "ends the job",
  });
  journal.subscribe(({ type }) => {
    if (type === "message:sent") keyboard.look();
  });
  return keyboard;
}

/** Said when all else is off the screen. */
function leaveHint(job: string, { json }: { json: boolean }): void {
  if (!json) process.once("exit", () => print(`Left without waiting. ${howToContinue(job)}`));
}
