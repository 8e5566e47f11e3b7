import { setTimeout as sleep } from "node:timers/promises";
import { isPaste, type Prompt, promptOn } from "../../agents/claude/own/prompt-screen.ts";
import type { Pane } from "../../agents/claude/own/surroundings.ts";
import type { Hindrance } from "../record/handoff-state.ts";
import { type OwnCommand, wordsToType } from "./line.ts";
import { capture, enterIfStill, hearing, type InPane, type Look, lookAt, press } from "./tmux.ts";

/** Between two looks at a pane, and how many of them must show the same before anything is typed. */
const LOOK_MS = 200;
const SAME_LOOKS = 4;
/** How long what was typed may take to appear. */
const ECHO_MS = 5_000;

/** `unwanted`: whoever wanted it typed did not want it any more when its moment came. */
export type Typed = { sent: true } | { sent: false; why: string; unwanted?: true };

interface Typing {
  /** How long to wait for an empty prompt that nobody touches. */
  patienceMs: number;
  signal?: AbortSignal;
  /** Asked right before anything is typed: much can happen while a prompt is waited for. False leaves it alone. */
  before?: () => Promise<boolean>;
  /** Told while a prompt is waited for, whenever there is another reason. */
  waits?: (hindrance: Hindrance) => Promise<void>;
}

/**
 * Types a line of words into the prompt of a session and sends it, once the prompt is empty and nobody types. What a person
 * writes in the same moment is never sent along: the line is then taken back, and tried again later.
 */
export async function sendLine(session: InPane, line: string, typing: Typing): Promise<Typed> {
  const text = wordsToType(line);
  if (text === "") return { sent: false, why: "there are no words to type" };
  return send(session, text, typing, async (pane, { keyAt }) => {
    if (!(await press(session, pane, ["-l", "--", text]))) return false;
    const look = await shows(pane, text);
    return look !== undefined && enterIfStill(session, pane, { ...look, keyAt });
  });
}

/**
 * The same with a command of Baton's own. It is short enough for a program to read it with its Enter at once, and not take
 * both for a paste: so a person's keys come before it or after it, never in between.
 */
export function sendCommand(session: InPane, command: OwnCommand, typing: Typing): Promise<Typed> {
  return send(session, command, typing, async (pane, look) => {
    return (await enterIfStill(session, pane, look, command)) && (await isGone(pane, command));
  });
}

/** Puts words at the prompt of a session, for the person to send or not. False where it was not free. */
export async function giveBack(
  session: InPane,
  words: string,
  { patienceMs, signal }: Typing,
): Promise<boolean> {
  const text = wordsToType(words);
  const ready = await untilEmpty(session, Date.now() + patienceMs, text, { signal });
  if (!session.pane || typeof ready === "string") return false;
  return ready.shows === "ours" || press(session, session.pane, ["-l", "--", text]);
}

async function send(
  session: InPane,
  text: string,
  { patienceMs, signal, before, waits }: Typing,
  type: (pane: Pane, look: Look) => Promise<boolean>,
): Promise<Typed> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const ready = await untilEmpty(session, deadline, text, { signal, waits });
    const { pane } = session;
    if (typeof ready === "string" || !pane) return { sent: false, why: String(ready) };
    const isOurs = ready.shows === "ours";
    if (before && !(await before())) {
      if (isOurs) await takeBack(session, pane, text);
      return { sent: false, why: "it has continued meanwhile", unwanted: true };
    }
    const isSent = isOurs ? await enterIfStill(session, pane, ready) : await type(pane, ready);
    if (isSent) return { sent: true };
    await takeBack(session, pane, text);
  }
}

const GONE = "its pane is gone, or shows another program";
/** A prompt that nobody touches is free this soon: nobody needs to hear of the time that it takes to see that. */
const TOLD_AFTER_MS = 1_500;

/** A prompt that nobody touches. `ours`: the line was typed by an earlier attempt that ended before it was sent. */
interface Ready extends Look {
  shows: "nothing" | "ours";
}

/** Or why there is none. */
async function untilEmpty(
  session: InPane,
  deadline: number,
  ours: string,
  { signal, waits }: { signal?: AbortSignal | undefined; waits?: Typing["waits"] },
): Promise<Ready | string> {
  const began = Date.now();
  let told: Hindrance | undefined;
  let before: Look | undefined;
  let same = 0;
  for (;;) {
    const heard = await hearing(session);
    if (heard === "gone" || !session.pane) return GONE;
    const now = heard === "away" ? undefined : await lookAt(session.pane);
    same = now && before && isSameLook(now, before) ? same + 1 : 1;
    before = now;
    const prompt = promptOn(now?.screen ?? "");
    if (now && same >= SAME_LOOKS && isOfBefore(now)) {
      if (prompt.state === "empty") return { ...now, shows: "nothing" };
      if (prompt.state === "written" && isSame(prompt.text, ours)) return { ...now, shows: "ours" };
    }
    const hindrance = heard === "away" ? "scrolling" : hindranceOf(prompt);
    if (Date.now() >= deadline || signal?.aborted) return WHY_NOT[hindrance];
    if (waits && hindrance !== told && Date.now() - began > TOLD_AFTER_MS) {
      told = hindrance;
      await waits(hindrance);
    }
    await sleep(LOOK_MS);
  }
}

function isSameLook(one: Look, other: Look): boolean {
  return one.screen === other.screen && one.cursor === other.cursor && one.keyAt === other.keyAt;
}

/** The last key came in a second that is over: the next one will be known by its own. */
function isOfBefore({ keyAt }: Look): boolean {
  return Date.now() >= (keyAt + 1) * 1_000;
}

const WHY_NOT: Record<Hindrance, string> = {
  scrolling: "somebody scrolls in its pane",
  typing: "somebody was typing",
  written: "something is written at its prompt",
  shell: "its prompt is a shell's",
  working: "it was at work",
  dialog: "a dialog is open in it",
};

function hindranceOf({ state }: Prompt): Hindrance {
  switch (state) {
    case "empty":
      return "typing";
    case "none":
      return "dialog";
    case "written":
    case "shell":
    case "working":
      return state;
  }
}

/** The look at which the line stands at the prompt alone; none where it stands there with something else, or as something else. */
async function shows(pane: Pane, text: string): Promise<Look | undefined> {
  for (const deadline = Date.now() + ECHO_MS; ; await sleep(LOOK_MS / 4)) {
    const look = await lookAt(pane);
    const prompt = promptOn(look?.screen ?? "");
    const shown = "text" in prompt ? prompt.text : "";
    if (prompt.state === "written" && (isSame(shown, text) || isPaste(shown, text))) return look;
    if (compact(shown).includes(compact(text)) || Date.now() > deadline) return undefined;
  }
}

/** Whether a line that was sent is no longer at the prompt: else its Enter was taken for something else. */
async function isGone(pane: Pane, text: string): Promise<boolean> {
  for (const deadline = Date.now() + ECHO_MS; ; await sleep(LOOK_MS / 4)) {
    const prompt = promptOn((await capture(pane)) ?? "");
    if (prompt.state !== "written" || !compact(prompt.text).includes(compact(text))) return true;
    if (Date.now() > deadline) return false;
  }
}

/**
 * Removes exactly what was typed from around what a person typed, also where a shell would run it, or it would wait for the
 * end of a turn. Where that cannot be told apart, nothing is removed.
 */
async function takeBack(session: InPane, pane: Pane, text: string): Promise<void> {
  const prompt = promptOn((await capture(pane)) ?? "");
  if (prompt.state === "none" || prompt.state === "empty") return;
  const shown = compact(prompt.text);
  const times = ["-N", String([...text].length)];
  const [starts, ends] = [shown.startsWith(compact(text)), shown.endsWith(compact(text))];
  if (!starts && !ends) return;
  // From its start a shell's line would take the person's sign along.
  const isFromEnd = ends && (!starts || prompt.state === "shell");
  for (const key of isFromEnd ? [[...times, "BSpace"]] : [["C-a"], [...times, "DC"], ["C-e"]]) {
    if (!(await press(session, pane, key))) return;
  }
}

function isSame(shown: string, text: string): boolean {
  return compact(shown) === compact(text);
}

/** Where a line is wrapped, spaces are lost. */
function compact(text: string): string {
  return text.replace(/[\s\u00a0]+/g, "");
}
