import { render, Text, useInput, useWindowSize } from "ink";
import { createElement as h, type ReactElement, useSyncExternalStore } from "react";
import { budgetView } from "../../../app/cost/budgets.ts";
import { FleetWatch, type TopView } from "../../../app/fleet/top.ts";
import { jobView } from "../../../app/jobs/list.ts";
import { print, printJson } from "../../../display/print.ts";
import { onScreen, type Paint, paintFor } from "../../../display/style.ts";
import { tableWidth } from "../../../display/table.ts";
import { TerminalTitle } from "../../../display/terminal-title.ts";
import { shortId } from "../../../display/words.ts";
import type { Job } from "../../../job/job.ts";
import { messageOf } from "../../../util/errors.ts";
import { EXIT } from "../../exit.ts";
import { answeredInWords } from "../../inbox/answer.ts";
import { hasKeyboard } from "../../jobs/terminal-keys.ts";
import { projectsIn, type SeveralOptions } from "../several.ts";
import { fittedTo, pressed, type TopAction, type TopKey, type TopState } from "./keys.ts";
import { topScreen } from "./screen.ts";

export interface TopOptions extends SeveralOptions {
  json?: boolean;
}

const LOOK_MS = 1_000;

/** The jobs of a project on a screen of their own, until the person leaves it. Without a terminal, once. */
export async function top(options: TopOptions): Promise<number> {
  await using watch = new FleetWatch(await projectsIn(options));
  const view = await watch.look(new Date());
  if (options.json) {
    printJson(topView(view));
    return EXIT.completed;
  }
  const paint = paintFor(process.stdout, process.env);
  if (!process.stdout.isTTY || !hasKeyboard(process.stdin)) {
    const size = { columns: tableWidth(process.stdout), rows: Number.MAX_SAFE_INTEGER };
    print(topScreen(view, { scrolled: 0 }, size, paint).slice(0, -2).join("\n"));
    return EXIT.completed;
  }
  const board = new Board(watch, view);
  // Before Ink hears of it: a terminal that became narrower has wrapped the lines that Ink would draw over.
  process.stdout.on("resize", clear);
  using title = new TerminalTitle(process.stdout);
  const titled = () => title.show(board.shown().view.needYou);
  titled();
  board.subscribe(titled);
  const screen = render(h(View, { board, paint }), { exitOnCtrlC: false, alternateScreen: true });
  await board.left;
  screen.unmount();
  await screen.waitUntilExit();
  process.stdout.off("resize", clear);
  return EXIT.completed;
}

const clear = () => void process.stdout.write("\u001b[2J\u001b[H");

/** What `baton top --json` prints: its keys are a promise to users. */
function topView({
  at,
  fleet,
  needYou,
  isPaused,
  budgets,
  projects,
  atWork,
  queued,
  stopped,
  completed,
}: TopView) {
  const view = (job: Job) => ({ project: projects.get(job.id), ...jobView(job) });
  return {
    at: at.toISOString(),
    fleet,
    needYou,
    queuePaused: isPaused,
    budgets: budgets.map(budgetView),
    atWork: atWork.map(view),
    queued: queued.map(({ job, place }) => ({ ...view(job), queued: place })),
    stopped: stopped.map(view),
    completed: completed.map(view),
  };
}

interface Shown {
  view: TopView;
  state: TopState;
}

/** What is on the screen, kept up to date, and what the person does with it. */
class Board {
  readonly #watch: FleetWatch;
  readonly #listeners = new Set<() => void>();
  readonly left: Promise<void>;
  #leave: () => void = () => {};
  #shown: Shown;
  #timer: NodeJS.Timeout;
  #isLooking = false;

  constructor(watch: FleetWatch, view: TopView) {
    this.#watch = watch;
    this.#shown = { view, state: fittedTo({ scrolled: 0 }, view) };
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
    this.left = new Promise((resolve) => {
      this.#leave = resolve;
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly shown = (): Shown => this.#shown;

  press(input: string, key: TopKey): void {
    const { view, state } = this.#shown;
    const next = pressed(state, view, input, key);
    this.#show({ view, state: next.state });
    if (next.action) void this.#act(next.action);
  }

  async #act(action: TopAction): Promise<void> {
    if (action.do === "quit") {
      clearInterval(this.#timer);
      this.#leave();
      return;
    }
    this.#say(BEGUN[action.do]);
    try {
      this.#say(await this.#done(action));
    } catch (error) {
      this.#say(messageOf(error));
    }
    await this.#look();
  }

  async #done(action: Exclude<TopAction, { do: "quit" }>): Promise<string> {
    switch (action.do) {
      case "approve":
      case "deny": {
        const { job, ask, digest } = action;
        const reply =
          action.do === "approve"
            ? ({ answer: "yes", digest } as const)
            : ({ answer: "no", digest } as const);
        return answeredInWords(await this.#watch.answer(job, ask, reply));
      }
      case "cancel":
        await this.#watch.cancel(action.job);
        return `${shortId(action.job)} is cancelled. Continue it with: baton resume ${shortId(action.job)}`;
      case "hand-off":
        return (await this.#watch.handOff(action.job)) ?? `${shortId(action.job)} has handed off.`;
      case "move":
        await this.#watch.move(action.job, action.to);
        return `${shortId(action.job)} is ${action.to} in the queue.`;
      case "pause":
        await this.#watch.pauseQueue();
        return "The queue is paused: nothing more starts, and running jobs continue. p resumes it.";
      case "resume":
        await this.#watch.resumeQueue();
        return "The queue is no longer paused.";
    }
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const view = await this.#watch.look(new Date());
      this.#show({ view, state: fittedTo(this.#shown.state, view) });
    } catch (error) {
      this.#say(`Cannot look: ${messageOf(error)}`);
    } finally {
      this.#isLooking = false;
    }
  }

  #say(note: string): void {
    const { view, state } = this.#shown;
    this.#show({ view, state: { ...state, note } });
  }

  #show(shown: Shown): void {
    this.#shown = shown;
    for (const listener of this.#listeners) listener();
  }
}

const BEGUN = {
  approve: "Saying yes …",
  deny: "Saying no …",
  cancel: "Cancelling …",
  "hand-off": "Handing off, at the next boundary …",
  move: "Moving …",
  pause: "Pausing …",
  resume: "Resuming …",
} as const;

function View({ board, paint }: { board: Board; paint: Paint }): ReactElement {
  const { view, state } = useSyncExternalStore(board.subscribe, board.shown);
  const { columns, rows } = useWindowSize();
  useInput((input, key) => board.press(input, key));
  // A row that reaches the last column, or the last line of the screen, would wrap or scroll on some terminals.
  const lines = topScreen(view, state, { columns: columns - 1, rows: rows - 1 }, paint);
  return h(Text, { wrap: "truncate" }, onScreen(lines.join("\n")));
}
