import { setTimeout as sleep } from "node:timers/promises";
import { isPaste, type Prompt, promptOn } from "../../agents/claude/own/prompt-screen.ts";
import type { Pane } from "../../agents/claude/own/surroundings.ts";
import { hasTerminalOf } from "../../processes/foreground.ts";
import { type Run, run } from "../../processes/run.ts";
import type { OwnSession } from "../record/session.ts";
import { type OwnCommand, oneLineOf, wordsToType } from "./line.ts";

const TIMEOUT_MS = 5_000;

/** Between two looks at a pane, and how many of them must show the same before anything is typed. */
const LOOK_MS = 200;
const SAME_LOOKS = 4;
/** How long what was typed may take to appear. */
const ECHO_MS = 5_000;

/** A pane can only be named by its number: whatever else tmux would understand is refused. */
function isPane({ id, socket }: Pane): boolean {
  return /^%\d+$/.test(id) && socket.startsWith("/");
}

/** `away`: somebody scrolls in it, or what is typed would go elsewhere too. `gone`: another program is there, or none. */
export type Hearing = "listening" | "away" | "gone";

const FLAGS = "#{pane_pid} #{pane_dead} #{pane_in_mode} #{pane_input_off} #{pane_synchronized}";

type InPane = Pick<OwnSession, "pane" | "process">;

/** Whether what is typed into its pane reaches the session's own program, and nobody else. */
export async function hearing({ pane, process }: InPane): Promise<Hearing> {
  if (!pane || !isPane(pane) || process === null) return "gone";
  const { ok, stdout } = await tmux(pane.socket, ["display-message", "-p", "-t", pane.id, FLAGS]);
  const [pid = "", dead, ...hindrances] = stdout.trim().split(" ");
  if (!ok || pid === "" || dead !== "0") return "gone";
  // After a restart of the server another pane can have the same number, and while the program is suspended a shell listens.
  if (!(await hasTerminalOf(Number(pid), process.pid))) return "gone";
  return hindrances.some((flag) => flag !== "0") ? "away" : "listening";
}

/** What is on the screen of a pane, with its colours; undefined when there is no such pane. */
export async function capture(pane: Pane): Promise<string | undefined> {
  if (!isPane(pane)) return undefined;
  const { ok, stdout } = await tmux(pane.socket, ["capture-pane", "-p", "-e", "-t", pane.id]);
  return ok ? stdout : undefined;
}

/** `unwanted`: whoever wanted it typed did not want it any more when its moment came. */
export type Typed = { sent: true } | { sent: false; why: string; unwanted?: true };

interface Typing {
  /** How long to wait for an empty prompt that nobody touches. */
  patienceMs: number;
  signal?: AbortSignal;
  /** Asked right before anything is typed: much can happen while a prompt is waited for. False leaves it alone. */
  before?: () => Promise<boolean>;
}

/**
 * Types a line of words into the prompt of a session and sends it, once the prompt is empty and nobody types. What a person
 * writes in the same moment is never sent along: the line is then taken back, and tried again later.
 */
export async function sendLine(session: InPane, line: string, typing: Typing): Promise<Typed> {
  const text = wordsToType(line);
  return text === "" ? { sent: false, why: "there are no words to type" } : send(session, text, typing);
}

/** The same with a command of Baton's own. */
export function sendCommand(session: InPane, command: OwnCommand, typing: Typing): Promise<Typed> {
  return send(session, command, typing);
}

async function send(session: InPane, text: string, { patienceMs, signal, before }: Typing): Promise<Typed> {
  const deadline = Date.now() + patienceMs;
  do {
    const ready = await untilEmpty(session, deadline, text, signal);
    const { pane } = session;
    if (!pane || (ready !== "empty" && ready !== "ours")) return { sent: false, why: ready };
    if (before && !(await before())) {
      if (ready === "ours") await takeBack(session, pane, text);
      return { sent: false, why: "it has continued meanwhile", unwanted: true };
    }
    if (ready === "empty" && !(await press(session, pane, ["-l", "--", text]))) continue;
    if ((await shows(pane, text)) && (await press(session, pane, ["Enter"]))) return { sent: true };
    await takeBack(session, pane, text);
  } while (Date.now() < deadline && !signal?.aborted);
  return { sent: false, why: TYPING };
}

const GONE = "its pane is gone, or shows another program";
const AWAY = "somebody scrolls in its pane";
const TYPING = "somebody was typing";

/** `ours`: the line was typed by an earlier attempt that ended before it was sent. */
async function untilEmpty(
  session: InPane,
  deadline: number,
  ours: string,
  signal: AbortSignal | undefined,
): Promise<"empty" | "ours" | string> {
  let before: string | undefined;
  let same = 0;
  for (;;) {
    const heard = await hearing(session);
    if (heard === "gone" || !session.pane) return GONE;
    const now = heard === "away" ? undefined : await capture(session.pane);
    same = now === before ? same + 1 : 1;
    before = now;
    const prompt = promptOn(now ?? "");
    if (same >= SAME_LOOKS && prompt.state === "empty") return "empty";
    if (same >= SAME_LOOKS && prompt.state === "written" && isSame(prompt.text, ours)) return "ours";
    if (Date.now() >= deadline || signal?.aborted) return heard === "away" ? AWAY : whyNot(prompt);
    await sleep(LOOK_MS);
  }
}

function whyNot(prompt: Prompt): string {
  switch (prompt.state) {
    case "empty":
      return TYPING;
    case "written":
      return "something is written at its prompt";
    case "shell":
      return "its prompt is a shell's";
    case "working":
      return "it was at work";
    case "none":
      return "a dialog is open in it";
  }
}

/** True where the line stands at the prompt alone, and false where it stands there with something else, or as something else. */
async function shows(pane: Pane, text: string): Promise<boolean> {
  for (const deadline = Date.now() + ECHO_MS; ; await sleep(LOOK_MS / 4)) {
    const prompt = promptOn((await capture(pane)) ?? "");
    const shown = "text" in prompt ? prompt.text : "";
    if (prompt.state === "written" && (isSame(shown, text) || isPaste(shown, text))) return true;
    if (compact(shown).includes(compact(text)) || Date.now() > deadline) return false;
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

/** Looks before each key who would hear it. False where it was not pressed. */
async function press(session: InPane, pane: Pane, args: readonly string[]): Promise<boolean> {
  if ((await hearing(session)) !== "listening") return false;
  return (await tmux(pane.socket, ["send-keys", "-t", pane.id, ...args])).ok;
}

/** Shows a line to whoever looks at the pane, for a few seconds. It changes nothing in it. */
export async function announce(pane: Pane, line: string): Promise<void> {
  if (!isPane(pane)) return;
  // What is shown is a format: each # must be doubled to mean itself.
  const text = oneLineOf(line).replaceAll("#", "##");
  await tmux(pane.socket, ["display-message", "-d", "8000", "-t", pane.id, "--", text]);
}

/** The server that `tmux` would find by itself, if it runs and has a session. */
export async function runningServer(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { ok, stdout } = await tmuxIn(env, ["display-message", "-p", "#{socket_path}"]);
  return ok && stdout.trim().startsWith("/") ? stdout.trim() : undefined;
}

/** Starts a program in a new window, behind what a person looks at. Its words are no shell's and no format's. */
export async function openWindow(
  socket: string,
  command: readonly [string, string, ...string[]],
): Promise<Pane | undefined> {
  const { ok, stdout } = await tmux(socket, ["new-window", "-d", "-P", "-F", "#{pane_id}", "--", ...command]);
  const pane = { socket, id: stdout.trim() };
  return ok && isPane(pane) ? pane : undefined;
}

function tmux(socket: string, args: readonly string[]): Promise<Run> {
  return tmuxIn(process.env, ["-S", socket, ...args.map(literal)]);
}

/** A semicolon at the end of a word ends a command of tmux. */
function literal(word: string): string {
  return word.endsWith(";") ? `${word.slice(0, -1)}\\;` : word;
}

function tmuxIn(env: NodeJS.ProcessEnv, args: string[]): Promise<Run> {
  const { TMUX: _ours, ...rest } = env;
  return run("tmux", args, { timeoutMs: TIMEOUT_MS, env: rest });
}
