import { JobCancelled, JobInterrupted } from "../jobs/ending.ts";
import { type JobRequest, takeRequests } from "../store/requests.ts";
import type { Store } from "../store/store.ts";
import { EXIT } from "./exit.ts";

interface Endings extends Disposable {
  /** Aborted with a JobCancelled or a JobInterrupted. */
  signal: AbortSignal;
}

const REQUEST_POLL_MS = 200;

/**
 * Signals to this process, a reader of its output that went away, and requests that other processes left in the
 * store. Those that do not end the job go to `onRequest`.
 */
export function listenForEndings(
  store: Store,
  job: string,
  attempt: number,
  onRequest: (request: JobRequest) => void,
): Endings {
  const controller = new AbortController();
  const interrupted = (why: string) => controller.abort(new JobInterrupted(why));
  const onInterrupt = () => {
    // The guard ends the agent when this process goes.
    if (controller.signal.aborted) process.exit(EXIT.cancelled);
    controller.abort(new JobCancelled("by Ctrl-C"));
  };
  const onTerminate = (signal: NodeJS.Signals) => interrupted(`Baton received ${signal}.`);
  const onUnread = () => interrupted("Nobody read the output of Baton any more.");
  const poll = setInterval(() => {
    takeRequests(store, job, attempt, new Date()).then(
      (requests) => {
        for (const request of requests) {
          if (request.kind === "cancel") controller.abort(new JobCancelled("by `baton cancel`"));
          else onRequest(request);
        }
      },
      // The journal meets the same trouble with the store, and says so.
      () => {},
    );
  }, REQUEST_POLL_MS);
  process.on("SIGINT", onInterrupt).on("SIGTERM", onTerminate).on("SIGHUP", onTerminate);
  process.stdout.on("error", onUnread);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearInterval(poll);
      process.off("SIGINT", onInterrupt).off("SIGTERM", onTerminate).off("SIGHUP", onTerminate);
      process.stdout.off("error", onUnread);
    },
  };
}
