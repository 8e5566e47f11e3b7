import {
  hearRequests,
  type JobRequest,
  jobsAsked,
  stopHearingRequests,
  takeRequests,
} from "../../store/requests.ts";
import type { Store } from "../../store/store.ts";
import { messageOf } from "../../util/errors.ts";
import { isFields } from "../../util/json.ts";
import type { Journal } from "../journal.ts";
import type { Control } from "./control.ts";

const POLL_MS = 200;

/**
 * Hears what is asked of a job that this process runs, until it is disposed: at once where it is asked here, as by its own
 * server, and soon where another process asks. Who asks reads the answer in the journal.
 */
export function listenForRequests(journal: Journal, control: Control): Disposable {
  const { store, attempt } = journal;
  const poller = pollers.get(store) ?? new Poller(store);
  pollers.set(store, poller);
  return poller.listen(journal.job.id, { attempt, heed: (request) => heed(request, control, journal) });
}

interface Listener {
  attempt: number;
  heed(request: JobRequest): void;
}

const pollers = new WeakMap<Store, Poller>();

/** One for all jobs that this process runs in a store: a fleet of them asks the store no more often than one does. */
class Poller {
  readonly #store: Store;
  readonly #listeners = new Map<string, Listener>();
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;
  #isAskedMeanwhile = false;
  readonly #hear = () => this.#askedHere();

  constructor(store: Store) {
    this.#store = store;
  }

  listen(job: string, listener: Listener): Disposable {
    if (this.#listeners.size === 0) hearRequests(this.#store, this.#hear);
    this.#listeners.set(job, listener);
    this.#schedule();
    return {
      [Symbol.dispose]: () => {
        if (this.#listeners.get(job) === listener) this.#listeners.delete(job);
        if (this.#listeners.size > 0) return;
        stopHearingRequests(this.#store, this.#hear);
        clearTimeout(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  #askedHere(): void {
    if (this.#isPolling) {
      this.#isAskedMeanwhile = true;
      return;
    }
    clearTimeout(this.#timer);
    void this.#poll();
  }

  #schedule(): void {
    if (this.#timer || this.#isPolling || this.#listeners.size === 0) return;
    this.#timer = setTimeout(() => this.#poll(), POLL_MS);
  }

  async #poll(): Promise<void> {
    this.#timer = undefined;
    this.#isPolling = true;
    do {
      this.#isAskedMeanwhile = false;
      try {
        for (const job of await jobsAsked(this.#store, [...this.#listeners.keys()])) await this.#take(job);
      } catch {
        // The journal meets the same trouble with the store, and says so.
      }
    } while (this.#isAskedMeanwhile && this.#listeners.size > 0);
    this.#isPolling = false;
    this.#schedule();
  }

  async #take(job: string): Promise<void> {
    const listener = this.#listeners.get(job);
    if (!listener) return;
    for (const request of await takeRequests(this.#store, job, listener.attempt, new Date())) {
      listener.heed(request);
    }
  }
}

function heed({ kind, payload }: JobRequest, control: Control, journal: Journal): void {
  switch (kind) {
    case "cancel":
      control.cancel("by `baton cancel`");
      return;
    case "interrupt":
      control.interrupt(whyIn(payload));
      return;
    case "handoff":
      void control.handOff(textIn(payload, "focus"), textIn(payload, "to"));
      return;
    case "handoff-now":
      control.handOffNow().catch((error: unknown) => {
        const message = messageOf(error);
        journal.append({ type: "handoff:refused", message });
      });
      return;
    case "pause":
      heedPause(control, journal);
      return;
    case "messages":
      control.lookForMessages();
      return;
    case "answers":
      control.lookForAnswers();
      return;
    case "call-off":
      if (!control.callOff())
        journal.append({ type: "handoff:refused", message: "No handoff is being made" });
  }
}

function heedPause(control: Control, journal: Journal): void {
  if (journal.job.attended) {
    journal.append({ type: "pause:refused", message: "A person takes part in it: it rests when they do" });
    return;
  }
  if (!journal.job.pauseRequested) journal.append({ type: "pause:requested" });
  control.pause();
}

function whyIn(payload: unknown): string {
  return textIn(payload, "why") ?? "Somebody asked for it.";
}

function textIn(payload: unknown, key: "focus" | "to" | "why"): string | undefined {
  const value = isFields(payload) ? payload[key] : undefined;
  return typeof value === "string" ? value : undefined;
}
