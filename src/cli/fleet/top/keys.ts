import type { TopView } from "../../../app/fleet/top.ts";
import type { Job } from "../../../job/job.ts";

/** What the person has chosen, as far as it is not in the store. */
export interface TopState {
  /** A job, by its id. */
  selected?: string | undefined;
  /** The one that is shown whole. */
  opened?: string | undefined;
  scrolled: number;
  /** What waits for a yes. */
  asks?: { what: "cancel" | "hand-off"; job: string } | AnswerInHand | undefined;
  /** What came of the last thing that was asked for. */
  note?: string | undefined;
}

/** An answer to what an agent asks, of which the person sees the whole call before they give it. `digest`: of that call. */
interface AnswerInHand {
  what: "approve" | "deny";
  job: string;
  ask: string;
  digest: string;
}

/** What a key asks to be done. */
export type TopAction =
  | { do: "approve" | "deny"; job: string; ask: string; digest: string }
  | { do: "cancel" | "hand-off"; job: string }
  | { do: "move"; job: string; to: "first" | "last" }
  | { do: "pause" | "resume" }
  | { do: "quit" };

/** A key as Ink tells it, as far as it is of use here. */
export interface TopKey {
  ctrl?: boolean;
  return?: boolean;
  escape?: boolean;
  upArrow?: boolean;
  downArrow?: boolean;
  pageUp?: boolean;
  pageDown?: boolean;
}

const PAGE = 10;

/** In the order in which they stand on the screen. */
export function jobsOf({ atWork, queued, stopped, completed }: TopView): Job[] {
  return [...atWork, ...queued.map(({ job }) => job), ...stopped, ...completed];
}

/** The state that fits what there is: of a job that is gone, nothing is left. */
export function fittedTo(state: TopState, view: TopView): TopState {
  const ids = jobsOf(view).map(({ id }) => id);
  const known = (id: string | undefined) => (id !== undefined && ids.includes(id) ? id : undefined);
  const selected = known(state.selected) ?? ids[0];
  const opened = known(state.opened);
  const asks = state.asks && isStillAsked(state.asks, view) ? state.asks : undefined;
  return { ...state, asks, selected, opened, scrolled: opened === undefined ? 0 : state.scrolled };
}

/** An ask that was answered elsewhere, or made anew, is no longer in hand. */
function isStillAsked(asks: NonNullable<TopState["asks"]>, view: TopView): boolean {
  const job = jobsOf(view).find(({ id }) => id === asks.job);
  if (!("ask" in asks)) return job !== undefined;
  return job?.asks?.some(({ ask, digest }) => ask === asks.ask && digest === asks.digest) ?? false;
}

/** What a key changes, and what it asks to be done. */
export function pressed(
  state: TopState,
  view: TopView,
  input: string,
  key: TopKey,
): { state: TopState; action?: TopAction } {
  const quiet: TopState = { ...state, note: undefined };
  if ((key.ctrl && input === "c") || (input === "q" && !state.asks))
    return { state: quiet, action: { do: "quit" } };
  // A key that is held down comes several at once where the terminal is slow.
  const by = key.upArrow || /^k+$/.test(input) ? -1 : key.downArrow || /^j+$/.test(input) ? 1 : 0;
  const step = by * Math.max(1, input.length) + (key.pageUp ? -PAGE : key.pageDown ? PAGE : 0);
  if (state.asks) {
    // A long call can be read to its end before it is answered.
    if (step !== 0 && "ask" in state.asks) return { state: moved(quiet, view, step) };
    const answered = { ...quiet, asks: undefined };
    return input === "y" ? { state: answered, action: agreedTo(state.asks) } : { state: answered };
  }
  if (step !== 0) return { state: moved(quiet, view, step) };
  const job = jobsOf(view).find(({ id }) => id === (state.opened ?? state.selected));
  if (key.escape) return { state: { ...quiet, opened: undefined, scrolled: 0 } };
  if (key.return) return { state: { ...quiet, opened: job?.id, scrolled: 0 } };
  if (input === "p") return { state: quiet, action: { do: view.isPaused ? "resume" : "pause" } };
  return job ? withJob(quiet, job, input) : { state: quiet };
}

function agreedTo(asks: NonNullable<TopState["asks"]>): TopAction {
  if (!("ask" in asks)) return { do: asks.what, job: asks.job };
  const { what, job, ask, digest } = asks;
  return { do: what, job, ask, digest };
}

/** The first of its asks: the next one comes after it. */
function answering(state: TopState, { id, asks = [] }: Job, what: AnswerInHand["what"]): TopState {
  const [first] = asks;
  if (!first) return { ...state, note: `${id} asks nothing.` };
  const { ask, digest, questions } = first;
  if (questions && what === "approve")
    return { ...state, opened: id, note: `It is a question. Answer it with: baton answer ${ask} "…"` };
  return { ...state, opened: id, scrolled: 0, asks: { what, job: id, ask, digest } };
}

function withJob(state: TopState, job: Job, input: string): { state: TopState; action?: TopAction } {
  const { id, status } = job;
  switch (input) {
    case "a":
      return { state: answering(state, job, "approve") };
    case "d":
      return { state: answering(state, job, "deny") };
    case "c":
      if (status === "completed" || status === "failed")
        return { state: { ...state, note: `${id} is ${status}: there is nothing to cancel.` } };
      return { state: { ...state, asks: { what: "cancel", job: id } } };
    case "h":
      if (status !== "running")
        return { state: { ...state, note: `${id} is ${status}: only a job that runs hands off.` } };
      return { state: { ...state, asks: { what: "hand-off", job: id } } };
    case "f":
    case "l":
      if (status !== "queued")
        return { state: { ...state, note: `${id} is ${status}, so it has no place in the queue.` } };
      return { state, action: { do: "move", job: id, to: input === "f" ? "first" : "last" } };
    default:
      return { state };
  }
}

function moved(state: TopState, view: TopView, step: number): TopState {
  if (state.opened !== undefined) return { ...state, scrolled: Math.max(0, state.scrolled + step) };
  const ids = jobsOf(view).map(({ id }) => id);
  const at = ids.indexOf(state.selected ?? "") + step;
  return { ...state, selected: ids[Math.max(0, Math.min(ids.length - 1, at))] };
}
