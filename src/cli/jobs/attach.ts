import { type AttachedJob, attachTo } from "../../app/jobs/background/attached.ts";
import { findProject, openStoreOfJobs, type Project } from "../../app/project.ts";
import { eventLine } from "../../display/event-line.ts";
import { folded, screenWidth } from "../../display/fold.ts";
import { printEnd } from "../../display/job-end.ts";
import { print, printWords } from "../../display/print.ts";
import { jsonScreen, peopleScreen, type Screen } from "../../display/screen.ts";
import { oneLine, paintFor } from "../../display/style.ts";
import { fitted } from "../../display/width.ts";
import { headline, shortId } from "../../display/words.ts";
import type { Job } from "../../job/job.ts";
import type { Store } from "../../store/store.ts";
import { age } from "../../util/figures.ts";
import { EXIT, exitCodeOf } from "../exit.ts";
import { NOT_RUNNING_WORDS } from "../fleet/head.ts";
import { Keyboard } from "./keyboard.ts";
import { hasKeyboard } from "./terminal-keys.ts";

export interface AttachOptions {
  config?: string;
  json?: boolean;
}

/** Shows a job that runs, whichever process does, until it ends or the user leaves. */
export async function attach(named: string | undefined, options: AttachOptions): Promise<number> {
  const project = findProject(options);
  await using store = await openStoreOfJobs(project);
  const attached = await attachTo(store, project, named);
  const { finishedAt, id, status } = attached.job;
  const isOver = !["created", "queued", "running", "waiting"].includes(status);
  if (options.json) {
    const screen = jsonScreen(process.stdout);
    for (const event of await attached.earlier()) screen.show(event);
    if (isOver) return exitCodeOf(attached.job);
    return (await watched(attached, screen)) ?? exitCodeOf(attached.job);
  }
  if (isOver) {
    const ago = finishedAt === null ? "" : `; it ended ${age(Date.now() - Date.parse(finishedAt))} ago`;
    printWords(`${id} is ${status}${ago}.`);
    printEnd(attached.job, () => false);
  } else {
    if (status === "queued") await sayWhyItWaits(project, id);
    const left = await onScreen(attached, store);
    if (left !== undefined) return left;
  }
  return exitCodeOf(attached.job);
}

/** It is shown from its start on, whenever that comes. */
async function sayWhyItWaits(project: Project, id: string): Promise<void> {
  const { fleetOfProject } = await import("../../app/fleet/view.ts");
  const { queue, state } = await fleetOfProject(project);
  const queued = queue.find(({ job }) => job === id);
  if (queued) printWords(`${id} waits at place ${queued.position}: ${oneLine(queued.reason.text)}`);
  if (state === "not running") printWords(NOT_RUNNING_WORDS);
}

const EARLIER_EVENTS = 400;
const EARLIER_LINES = 20;
const PROMPT_WIDTH = 60;

/** As `baton run` has it. Undefined when the job has ended. */
async function onScreen(attached: AttachedJob, store: Store): Promise<number | undefined> {
  const keyboard = hasKeyboard(process.stdin) ? keyboardOf(attached, store) : undefined;
  const shown = {
    get job() {
      return attached.job;
    },
    now: () => new Date(),
    config: attached.config,
  };
  await showEarlier(attached, { keys: keyboard !== undefined });
  const screen = peopleScreen(shown, process.stdout, {
    keys: keyboard !== undefined,
    below: keyboard?.lines,
  });
  keyboard?.at(screen);
  let left: number | undefined;
  try {
    left = await watched(attached, screen, keyboard);
  } finally {
    await keyboard?.close();
    screen.stop();
  }
  if (left !== undefined) printWords(leftWords(attached.job));
  else printEnd(attached.job, (result) => screen.hasShown(result));
  return left;
}

async function showEarlier(attached: AttachedJob, { keys }: { keys: boolean }): Promise<void> {
  const { id, agent } = attached.job;
  const paint = paintFor(process.stdout, process.env);
  const width = screenWidth(process.stdout);
  const lines = (await attached.earlier(EARLIER_EVENTS)).flatMap(
    (event) => eventLine(event, paint, width) ?? [],
  );
  const last = lines.slice(-EARLIER_LINES);
  if (last.length < lines.length || attached.job.seq > EARLIER_EVENTS) {
    print(paint("dim", `… what came before: baton logs ${shortId(id)}`));
  }
  for (const line of last) print(line);
  const about = fitted(oneLine(headline(attached.job)), PROMPT_WIDTH);
  const what = `Attached to ${id} (${oneLine(agent)}): ${about}`;
  const hint = keys ? "\nCtrl-C detaches, and the job continues. What you type goes to its agent." : "";
  print(folded(paint("dim", what + hint), width));
}

/** What to exit with where the user left before the job ended. */
async function watched(
  attached: AttachedJob,
  screen: Screen,
  keyboard?: Keyboard,
): Promise<number | undefined> {
  using leaving = listenForLeaving(attached);
  for await (const event of attached.events(leaving.signal)) {
    screen.show(event);
    if (event.type === "message:sent") keyboard?.look();
  }
  return leaving.signal.aborted ? EXIT.cancelled : undefined;
}

function keyboardOf(attached: AttachedJob, store: Store): Keyboard {
  return new Keyboard({
    store,
    job: () => attached.job,
    callOff: () => attached.callOff(),
    ctrlC: "detaches, and the job continues",
  });
}

/** Nothing of this reaches the job: a closed terminal, or a reader that went away, leaves it as it is. */
function listenForLeaving(attached: Pick<AttachedJob, "job">): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const onInterrupt = () => {
    if (controller.signal.aborted) {
      process.once("exit", () => print(leftWords(attached.job)));
      process.exit(EXIT.cancelled);
    }
    controller.abort();
  };
  const onOther = () => controller.abort();
  process.on("SIGINT", onInterrupt).on("SIGTERM", onOther).on("SIGHUP", onOther);
  process.stdout.on("error", onOther);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      process.off("SIGINT", onInterrupt).off("SIGTERM", onOther).off("SIGHUP", onOther);
      process.stdout.off("error", onOther);
    },
  };
}

function leftWords({ id: job, status }: Pick<Job, "id" | "status">): string {
  const id = shortId(job);
  const goesOn = status === "queued" ? "stays in the queue" : "continues";
  return `Detached: ${job} ${goesOn}.\nCome back with: baton attach ${id}\nEnd it with: baton cancel ${id}`;
}
