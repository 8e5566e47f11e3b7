import { JobCancelled, JobInterrupted } from "../../app/jobs/control.ts";
import { EXIT } from "../exit.ts";

interface Signals extends Disposable {
  /** Aborted with a JobCancelled or a JobInterrupted. */
  signal: AbortSignal;
}

interface How {
  /** The user does not wait for the end, and this process is about to go. */
  onLeave(): void;
  /** What it means that a terminal is closed. */
  hangUp: "ends it" | "ignored";
}

/** Signals to this process, a reader of its output that went away, and what others ask: `asked` is part of its signal. */
export function listenForSignals(asked: AbortSignal, { onLeave, hangUp }: How): Signals {
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, asked]);
  const interrupted = (why: string) => controller.abort(new JobInterrupted(why));
  const onInterrupt = () => {
    if (signal.aborted) {
      onLeave();
      // The guard ends the agent when this process goes.
      process.exit(EXIT.cancelled);
    }
    controller.abort(new JobCancelled("by Ctrl-C"));
  };
  const onTerminate = (name: NodeJS.Signals) => interrupted(`Baton received ${name}.`);
  const onHangUp = hangUp === "ignored" ? () => {} : onTerminate;
  const onUnread = () => interrupted("Nobody reads Baton's output anymore.");
  process.on("SIGINT", onInterrupt).on("SIGTERM", onTerminate).on("SIGHUP", onHangUp);
  process.stdout.on("error", onUnread);
  return {
    signal,
    [Symbol.dispose]() {
      process.off("SIGINT", onInterrupt).off("SIGTERM", onTerminate).off("SIGHUP", onHangUp);
      process.stdout.off("error", onUnread);
    },
  };
}
